import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Resource } from '../../../runtime/registry/resources/resource.ts';
import { compileSelection, type Selection, splitKey } from '../../../runtime/registry/selection/selection.ts';
import type { Trigger } from '../../../runtime/registry/selection/watcher-index.ts';
import { encodeStoredObject, StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { parseFieldSelector } from '../../../runtime/selectors/field-selector-text.ts';
import { parseLabelSelector } from '../../../runtime/selectors/label-selector-text.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { loadResource } from '../../kinds/kind.ts';

const test = suite('selection');

const resourceWith = (selectableFields: readonly string[]): Resource =>
  ({
    data: { selectableFields, selectableAliases: { 'spec.crate': 'spec.box' }, name: 'toys', scope: 'Namespaced' },
    indexedFields: new Set(),
  }) as unknown as Resource;
const TOYS = resourceWith(['spec.box', 'status.phase']);
const PLAIN = resourceWith([]);

const select = (labels: string, fields: string, resource = TOYS): Selection =>
  compileSelection(resource, parseLabelSelector(labels), parseFieldSelector(fields), (stored) => stored.fields);

/** In the namespace n, with the name a. */
const stored = (labels: Record<string, string>, fields: readonly string[]): StoredObject =>
  new StoredObject(encodeStoredObject({ kind: 'Toy', apiVersion: 'v1', metadata: { name: 'a', labels } }, 1, fields).bytes);

const MATCHING: [labels: string, fields: string, matches: boolean][] = [
  ['', '', true],
  ['app=x', '', true],
  ['app=y', '', false],
  ['', 'metadata.name=a', true],
  ['', 'metadata.name!=a', false],
  ['', 'metadata.namespace=n', true],
  ['', 'metadata.namespace=m', false],
  ['', 'spec.box=wood', true],
  ['', 'spec.box!=wood', false],
  ['', 'spec.crate=wood', true],
  ['', 'spec.crate=tin', false],
  ['', 'status.phase=', true],
  ['', 'spec.box=wood,status.phase!=New', true],
  ['', 'spec.box=wood,status.phase=New', false],
  ['app=x', 'spec.box=tin', false],
  ['app notin (x)', 'spec.box=wood', false],
];
for (const [labels, fields, matches] of MATCHING)
  test(`${labels} and ${fields} ${matches ? 'select' : 'do not select'}`, () => {
    assert.is(select(labels, fields).matches('n', 'a', stored({ app: 'x' }, ['wood'])), matches);
  });

const SHAPES: [labels: string, fields: string, everything: boolean, name: string | undefined, trigger: Trigger | undefined][] = [
  ['', '', true, undefined, undefined],
  [' ', ',', true, undefined, undefined],
  ['app=x', '', false, undefined, undefined],
  ['', 'metadata.name=a', false, 'a', { field: 0, value: 'a' }],
  ['', 'metadata.namespace=n,spec.box==wood', false, undefined, { field: 2, value: 'wood' }],
  ['', 'spec.box=wood,metadata.name=a', false, 'a', { field: 0, value: 'a' }],
  ['', 'metadata.namespace=n', false, undefined, { field: 1, value: 'n' }],
  ['', 'spec.box!=wood', false, undefined, undefined],
  // most objects may have an empty value
  ['', 'status.phase=', false, undefined, undefined],
];
for (const [labels, fields, everything, name, trigger] of SHAPES)
  test(`what is known of ${labels} and ${fields}`, () => {
    const selection = select(labels, fields);
    assert.equal([selection.everything, selection.name, selection.trigger], [everything, name, trigger]);
  });

const REFUSED: [labels: string, fields: string, resource: Resource, message: string][] = [
  ['', 'spec.lid=x', TOYS, 'field label not supported: spec.lid'],
  ['', 'spec.box=x', PLAIN, '"spec.box" is not a known field selector: only "metadata.name", "metadata.namespace"'],
];
for (const [labels, fields, resource, message] of REFUSED)
  test(`${labels}${fields} is refused`, () => {
    try {
      select(labels, fields, resource);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, StatusError);
      assert.equal([(error as StatusError).code, (error as StatusError).status.message], [400, message]);
    }
  });

test('keys are split into namespace and name', () => {
  assert.equal(splitKey('toys/n/a', 'toys', true), { namespace: 'n', name: 'a' });
  assert.equal(splitKey('group/toys/a', 'group/toys', false), { namespace: '', name: 'a' });
});

test.run();

const kinds = suite('fields that select');
const NO_FIELDS = '"x" is not a known field selector: only "metadata.name", "metadata.namespace"';

const ROWS: readonly (readonly [resource: string, field: string, refused: string | undefined, groupVersion?: string])[] = [
  ['configmaps', 'metadata.namespace', undefined],
  ['configmaps', 'x', NO_FIELDS],
  ['secrets', 'type', undefined],
  ['secrets', 'x', 'field label not supported: x'],
  ['persistentvolumes', 'metadata.namespace', undefined],
  ['nodes', 'metadata.name', undefined],
  ['nodes', 'spec.unschedulable', undefined],
  ['nodes', 'metadata.namespace', 'field label not supported: metadata.namespace'],
  ['jobs', 'status.successful', undefined, 'batch/v1'],
  ['jobs', 'x', 'field label "x" not supported for batchv1.Job', 'batch/v1'],
  ['resourceslices', 'spec.driver', undefined, 'resource.k8s.io/v1beta1'],
  ['resourceslices', '$&', 'field label not supported for resource.k8s.io/v1beta1, Kind=ResourceSlice: $&', 'resource.k8s.io/v1beta1'],
  ['resourceslices', 'x', 'field label not supported for resource.k8s.io/v1alpha3, Kind=ResourceSlice: x', 'resource.k8s.io/v1alpha3'],
];

for (const [name, field, refused, groupVersion = '/v1'] of ROWS)
  kinds(`${field} of ${name} in ${groupVersion}`, async () => {
    const [group = '', version = ''] = groupVersion.split('/');
    const { resource } = await loadResource(group, version, name);
    const compile = () => compileSelection(resource, parseLabelSelector(''), parseFieldSelector(`${field}=a`), () => []);
    if (refused === undefined) assert.is(compile().everything, false);
    else assert.throws(compile, (error: unknown) => error instanceof StatusError && error.message === refused);
  });

kinds.run();

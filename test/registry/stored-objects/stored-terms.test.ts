import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupVersions } from '../../../generated/routes.ts';
import type { GroupVersionData, ResourceData } from '../../../runtime/contract/kind.ts';
import { customResource } from '../../../runtime/custom-resources/custom-resource.ts';
import type { CustomDefinition } from '../../../runtime/custom-resources/definition.ts';
import { makeResource, type Resource, type ResourceVersions } from '../../../runtime/registry/resources/resource.ts';
import { compileSelection, type Selection } from '../../../runtime/registry/selection/selection.ts';
import { encodeStoredObject, StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { indexedFields, storedTerms } from '../../../runtime/registry/stored-objects/stored-terms.ts';
import { parseFieldSelector } from '../../../runtime/selectors/field-selector-text.ts';
import { parseLabelSelector } from '../../../runtime/selectors/label-selector-text.ts';

const test = suite('stored terms');

const data = {
  name: 'toys',
  selectableFields: ['spec.box', 'status.phase'],
  indexedFields: ['status.phase'],
  storage: { prefix: 'toys', group: '', version: 'v1', kind: 'Toy' },
} as unknown as ResourceData;
const terms = storedTerms([{ resources: [data] } as unknown as GroupVersionData]);
const resource = { data, indexedFields: indexedFields(data) } as unknown as Resource;

const select = (labels: string, fields: string): Selection =>
  compileSelection(resource, parseLabelSelector(labels), parseFieldSelector(fields), (each) => each.fields);

const stored = (labels: Record<string, string>, fields: readonly string[]): Buffer =>
  encodeStoredObject({ kind: 'Toy', apiVersion: 'v1', metadata: { name: 'a', labels } }, 1, fields).bytes;

test('are labels and indexed fields that are not empty', () => {
  assert.equal(terms.of('toys', stored({ a: 'x', b: '' }, ['wood', 'New'])), ['la=x', 'lb=', 'f1=New']);
  assert.equal(terms.of('toys', stored({}, ['wood', ''])), []);
  assert.equal(terms.of('toys', stored({}, ['wood'])), ['f1?']);
  assert.equal(terms.of('games', stored({ a: 'x' }, ['wood', 'New'])), ['la=x']);
});

test('are one for an object of very many labels, which is looked at whatever is asked for', () => {
  const many = stored(Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`key-${index}`, 'x'])), ['wood', 'New']);
  assert.equal(terms.of('toys', many), ['l', 'f1=New']);
  const [[...alternatives] = []] = select('key-7=x', '').terms;
  assert.ok(alternatives.includes('l'));
  assert.ok(select('key-7=x', '').matches('', 'a', new StoredObject(many)));
});

test('are the same list for objects with the same labels and fields, and of their own resource', () => {
  const first = terms.of('toys', stored({ a: 'x' }, ['wood', 'New']));
  assert.is(terms.of('toys', stored({ a: 'x' }, ['wood', 'New'])), first);
  assert.equal(terms.of('games', stored({ a: 'x' }, ['wood', 'New'])), ['la=x']);
  assert.throws(() => (first as string[]).push('more'));
  // the same bytes, of another number of labels
  assert.equal(terms.of('toys', stored({ a: 'x', b: 'y' }, [])), ['la=x', 'lb=y', 'f1?']);
  assert.equal(terms.of('toys', stored({ a: 'x' }, ['b', 'y'])), ['la=x', 'f1=y']);
  assert.equal(terms.of('toys', stored({ a: 'x', b: 'y' }, [])), ['la=x', 'lb=y', 'f1?']);
});

test('are right for more objects than are remembered', () => {
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < 5_000; i++) assert.equal(terms.of('toys', stored({ a: `${i}` }, ['', ''])), [`la=${i}`]);
});

test('of what is no object there are none', () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('system:serviceaccount:ns:name, longer than a header'), Buffer.alloc(40)])
    assert.equal(terms.of('toys', bytes), []);
});

test('the definition changes with the indexed fields', () => {
  assert.is(terms.definition, '["256 labels",["toys",1]]');
  assert.is(storedTerms([]).definition, '["256 labels"]');
});

test('a resource that a definition brings is found by its selectable fields, of which the store posts no terms', () => {
  const version = { name: 'v1', served: true, storage: true, selectableFields: [{ jsonPath: '.spec.color' }] };
  const names = { plural: 'kites', kind: 'Kite' };
  const definition = { spec: { group: 'toys.example', scope: 'Namespaced', names, versions: [version] } } as unknown as CustomDefinition;
  const kite = customResource(definition, version as unknown as CustomDefinition['spec']['versions'][number], false);
  const kites = makeResource({ group: 'toys.example', version: 'v1' }, kite, kite, {} as ResourceVersions);
  const red = stored({ a: 'x' }, ['red']);
  const selection = compileSelection(kites, parseLabelSelector('a=x'), parseFieldSelector('spec.color=red'), (each) => each.fields);
  assert.ok(selection.matches('ns', 'one', new StoredObject(red)));
  const found = storedTerms(groupVersions).of('toys.example/kites', red);
  for (const alternatives of selection.terms)
    assert.ok(
      alternatives.some((term) => found.includes(term)),
      `${alternatives.join(' or ')} is none of ${found.join(', ')}`,
    );
});

const label = fc.constantFrom('a', 'b', 'example.com/c');
const value = fc.constantFrom('', 'x', 'y', 'z');
const requirement = fc.oneof(
  fc.tuple(label, fc.constantFrom('=', '==', '!='), value).map(([key, operator, text]) => `${key}${operator}${text}`),
  fc
    .tuple(label, fc.constantFrom('in', 'notin'), fc.array(fc.constantFrom('x', 'y', 'z'), { minLength: 1 }))
    .map(([key, operator, texts]) => `${key} ${operator} (${texts.join(',')})`),
  label,
  label.map((key) => `!${key}`),
);
const field = fc
  .tuple(fc.constantFrom('spec.box', 'status.phase', 'metadata.name'), fc.constantFrom('=', '!='), value)
  .map(([path, operator, text]) => `${path}${operator}${text}`);

test('what a selection selects has a term of each of its requirements', () => {
  fc.assert(
    fc.property(
      fc.array(requirement, { maxLength: 3 }),
      fc.array(field, { maxLength: 2 }),
      fc.dictionary(label, value),
      fc.tuple(value, value),
      (labelTexts, fieldTexts, labels, fields) => {
        const selection = select(labelTexts.join(','), fieldTexts.join(','));
        const bytes = stored(labels, fields);
        if (!selection.matches('', 'x', new StoredObject(bytes))) return;
        const found = terms.of('toys', bytes);
        for (const alternatives of selection.terms)
          assert.ok(
            alternatives.some((term) => found.includes(term)),
            alternatives.join(' or '),
          );
      },
    ),
    { numRuns: 2_000 },
  );
});

for (const [labels, fields, expected] of [
  ['', '', []],
  ['a=x', '', [['la=x', 'l']]],
  [
    'a in (x,y),b==z',
    '',
    [
      ['la=x', 'la=y', 'l'],
      ['lb=z', 'l'],
    ],
  ],
  ['a!=x,a notin (y),a,!b', '', []],
  ['', 'status.phase=New', [['f1=New', 'f1?']]],
  ['', 'status.phase!=New', []],
  ['', 'status.phase=', []],
  ['', 'spec.box=wood', []],
  [
    'a=',
    'status.phase=New',
    [
      ['la=', 'l'],
      ['f1=New', 'f1?'],
    ],
  ],
] as const)
  test(`terms of ${labels} ${fields}`, () => assert.equal(select(labels, fields).terms, expected));

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileSelection } from '../../runtime/registry/selection.ts';
import { StatusError } from '../../runtime/status/status.ts';
import { loadResource } from '../kinds/kind.ts';

const test = suite('fields that select');
const NO_FIELDS = '"x" is not a known field selector: only "metadata.name", "metadata.namespace"';

const ROWS: readonly (readonly [resource: string, field: string, refused: string | undefined])[] = [
  ['configmaps', 'metadata.namespace', undefined],
  ['configmaps', 'x', NO_FIELDS],
  ['secrets', 'type', undefined],
  ['secrets', 'x', 'field label not supported: x'],
  ['persistentvolumes', 'metadata.namespace', undefined],
  ['nodes', 'metadata.name', undefined],
  ['nodes', 'spec.unschedulable', undefined],
  ['nodes', 'metadata.namespace', 'field label not supported: metadata.namespace'],
];

for (const [name, field, refused] of ROWS)
  test(`${field} of ${name}`, async () => {
    const { resource } = await loadResource('', 'v1', name);
    const compile = () => compileSelection(resource, '', `${field}=a`, () => []);
    if (refused === undefined) assert.is(compile().selective, true);
    else assert.throws(compile, (error: unknown) => error instanceof StatusError && error.message === refused);
  });

test.run();

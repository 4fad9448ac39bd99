import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { selectableField } from '../../../runtime/registry/kinds/selectable-field.ts';
import { parseStoredJson } from '../../../runtime/registry/stored-objects/parse-stored-json.ts';

const test = suite('registry/selectable-field');

const PLAIN = { rules: {} } as unknown as Kind;
const OWN = {
  rules: { selectableField: (_object: ApiObject, path: string) => (path === 'status' ? 'own' : undefined) },
} as unknown as Kind;

/** Of an object as the store has it. */
const textAt = (spec: string, path: string): string => {
  const object = parseStoredJson(Buffer.from(`{"kind":"Thing","metadata":{"name":"a"},"spec":${spec}}`)) as ApiObject;
  return selectableField(PLAIN, object, path);
};

for (const [what, spec, path, text] of [
  ['a text', '{"size":"large"}', 'spec.size', 'large'],
  ['a number', '{"size":3}', 'spec.size', '3'],
  ['a number that JavaScript cannot hold', '{"size":9007199254740993}', 'spec.size', '9007199254740993'],
  ['true and false', '{"size":false}', 'spec.size', 'false'],
  ['null', '{"size":null}', 'spec.size', ''],
  ['an object, as another version may have it', '{"size":{"a":1}}', 'spec.size', ''],
  ['a list', '{"size":["a"]}', 'spec.size', ''],
  ['nothing', '{}', 'spec.size', ''],
  ['a member of a text', '{"size":"large"}', 'spec.size.length', ''],
  ['a member of null', '{"size":null}', 'spec.size.length', ''],
  ['a member that every object of JavaScript has', '{}', 'spec.constructor', ''],
  ['a member of that name', '{"constructor":"a"}', 'spec.constructor', 'a'],
] as const)
  test(`${what} is ${JSON.stringify(text)}`, () => {
    assert.is(textAt(spec, path), text);
  });

test('a kind may have texts of its own', () => {
  const object = { metadata: { name: 'a' }, status: 'stored' } as unknown as ApiObject;
  assert.is(selectableField(OWN, object, 'status'), 'own');
  assert.is(selectableField(OWN, object, 'metadata.name'), 'a');
});

test.run();

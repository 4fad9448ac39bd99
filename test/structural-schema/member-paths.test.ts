import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memberPath } from '../../runtime/structural-schema/member-paths.ts';

const test = suite('paths to members');

/** path, what it leads to or what is wrong with it */
const rows: readonly [string, string][] = [
  ["['a\\'b']", "a'b"],
  ["['a\\\\b']", 'a\\b'],
  ["['a\\tb']", 'a\tb'],
  ["['a\"b']", 'a"b'],
  ["['a\\\"b']", 'invalid string literal: invalid escape char \\"'],
  ["['a\\u0041']", 'invalid string literal: invalid escape char \\u'],
  ["['\\x\\é']", 'invalid string literal: invalid escape char \\é'],
  ["['a", "expected single quoted string but got 'a"],
  ["[']", "expected single quoted string but got ']"],
  ['[a]', 'expected single quoted string but got a'],
  ['.spec.size', 'spec.size'],
  [".spec['size']", 'spec.size'],
  [".spec.labels['a.b']", 'spec.labels[a.b]'],
  ['.spec.labels.a', 'spec.labels[a]'],
  ['.spec.any.a', 'spec.any[a]'],
  ['.spec.any.a.b', 'does not refer to a valid field'],
  ['.spec.size.a', 'does not refer to a valid field'],
  ['.size', 'does not refer to a valid field'],
  ['spec', 'expected [ or . but got: spec'],
  ['.spec]', 'expected [ or . but got: ]'],
  ['.', 'unexpected end of JSON path'],
  ["['spec'", 'unexpected end of JSON path'],
  ["['spec'.", 'expected ] but got .'],
];
const names = ["a'b", 'a\\b', 'a\tb', 'a"b'];
const spec = {
  type: 'object',
  properties: {
    size: { type: 'integer' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    any: { type: 'object', additionalProperties: true },
  },
};
const schema = { type: 'object', properties: { ...Object.fromEntries(names.map((name) => [name, { type: 'string' }])), spec } };
for (const [path, wanted] of rows)
  test(path, () => {
    const found = memberPath(schema, path);
    assert.is('problem' in found ? found.problem : found.field, wanted);
  });
test('keys in brackets, where they are not taken', () => {
  const problem = 'array notation is not allowed';
  assert.equal([memberPath(schema, "['spec']", false), memberPath(schema, ".spec['size']", false)], [{ problem }, { problem }]);
});

test('the schema of what a path leads to', () => {
  const schemaAt = (path: string) => {
    const found = memberPath(schema, path);
    return 'problem' in found ? found : found.schema;
  };
  assert.equal(['.spec.size', '.spec.labels.a', '.spec.any.a'].map(schemaAt), [{ type: 'integer' }, { type: 'string' }, undefined]);
});

test.run();

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
];
const names = ["a'b", 'a\\b', 'a\tb', 'a"b'];
const schema = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) };
for (const [path, wanted] of rows)
  test(path, () => {
    const found = memberPath(schema, path);
    assert.is('problem' in found ? found.problem : found.field, wanted);
  });
test.run();

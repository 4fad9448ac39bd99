import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { copyValue } from '../../runtime/schema/copy.ts';
import { deepEqual } from '../../runtime/schema/equal.ts';
import { parseJson } from '../../runtime/schema/json/json-text.ts';
import { shareEqual } from '../../runtime/schema/share.ts';

const test = suite('shareEqual');

/** Whether no container of the value that equals the one in its place is another. */
function sharesAll(value: unknown, stored: unknown): boolean {
  if (typeof value !== 'object' || value === null || typeof stored !== 'object' || stored === null) return true;
  if (deepEqual(value, stored)) return value === stored;
  if (Array.isArray(value) !== Array.isArray(stored)) return true;
  return Object.entries(value).every(
    ([name, member]) => !Object.hasOwn(stored, name) || sharesAll(member, (stored as Record<string, unknown>)[name]),
  );
}

const small = fc.jsonValue({ maxDepth: 4, stringUnit: fc.constantFrom('a', 'b', '_') });

test('the value stays what it is, with all that is equal out of the other', () => {
  fc.assert(
    fc.property(small, small, fc.array(fc.boolean(), { minLength: 1 }), (one, other, choices) => {
      // objects that have much in common
      const stored = { first: one, second: [other, one], third: { one, other } };
      let i = 0;
      const either = (value: unknown) => copyValue(choices[i++ % choices.length] ? value : other);
      const value = { third: { other: either(other), one: either(one) }, second: [either(other), either(one)], first: either(one) };
      const want = copyValue(value);
      const shared = shareEqual(value, stored);
      assert.ok(deepEqual(shared, want));
      assert.is(shared === stored, deepEqual(want, stored));
      assert.ok(sharesAll(shared, stored));
    }),
  );
});

const rows: readonly [value: string, stored: string, isStored: boolean][] = [
  ['{"b":2,"a":1}', '{"a":1,"b":2}', true],
  ['{"a":1}', '{"a":1,"b":2}', false],
  ['{"a":1,"b":2}', '{"a":1}', false],
  ['[1,2]', '[1,2,3]', false],
  ['{"a":9007199254740993}', '{"a":9007199254740993}', true],
  ['{"a":9007199254740993}', '{"a":{}}', false],
  ['{"a":null}', '{"a":{}}', false],
  ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}', true],
  ['{"__proto__":{"a":1}}', '{}', false],
  ['{"constructor":1}', '{}', false],
];
for (const [valueText, storedText, isStored] of rows)
  test(`${valueText} and ${storedText}`, () => {
    const [value, stored] = [parseJson(valueText).value, parseJson(storedText).value];
    const shared = shareEqual(value, stored);
    assert.is(shared === stored, isStored);
    assert.is(JSON.stringify(shared), isStored ? storedText : valueText);
    assert.is(JSON.stringify(stored), storedText);
  });

test('a member that is undefined counts as absent', () => {
  const stored = { a: { c: 1 } };
  assert.is(shareEqual({ a: { c: 1 }, b: undefined }, stored), stored);
  const undefinedToo = { ...stored, b: undefined };
  assert.is(shareEqual({ a: { c: 1 } }, undefinedToo), undefinedToo);
});

test('what is deeper than the stack is compared all the same', () => {
  const nested = (levels: number, end: string) => parseJson(`${'['.repeat(levels)}${end}${']'.repeat(levels)}`).value;
  const [value, stored] = [nested(9_000, '1'), nested(9_000, '1')];
  assert.is(shareEqual(value, stored), stored);
  const other = nested(9_000, '2');
  assert.is(shareEqual(other, stored), other);
});

test.run();

import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deepEqual } from '../../runtime/schema/equal.ts';
import { parseJson } from '../../runtime/schema/json/json-text.ts';

const equal = suite('deepEqual');

const rows: readonly [a: string, b: string, same: boolean][] = [
  ['1', '1', true],
  ['1', '"1"', false],
  ['null', '{}', false],
  ['[]', '{}', false],
  ['{"a":1,"b":2}', '{"b":2,"a":1}', true],
  ['{"a":1}', '{"a":1,"b":2}', false],
  ['{"a":1,"b":2}', '{"a":1}', false],
  ['{"a":null}', '{"b":null}', false],
  ['[1,2]', '[2,1]', false],
  ['[1]', '[1,2]', false],
  ['9007199254740993', '9007199254740993', true],
  ['9007199254740993', '9007199254740992', false],
  ['9007199254740993', '"9007199254740993"', false],
  ['9007199254740993', '{}', false],
  ['2.0', '2', false],
  ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}', true],
  ['{"__proto__":{"a":1}}', '{}', false],
  ['{"constructor":1}', '{}', false],
];
for (const [a, b, same] of rows) {
  equal(`${a} and ${b}`, () => {
    assert.is(deepEqual(parseJson(a).value, parseJson(b).value), same);
    assert.is(deepEqual(parseJson(b).value, parseJson(a).value), same);
  });
}

equal('a member that is undefined counts as absent', () => {
  assert.ok(deepEqual({ a: undefined, b: 1 }, { b: 1 }));
  assert.ok(deepEqual({ b: 1 }, { a: undefined, b: 1 }));
  assert.not.ok(deepEqual({ a: undefined }, { b: undefined, c: 1 }));
});

equal('values deeper than the stack', () => {
  const nested = (inner: string) => parseJson('{"a":'.repeat(9_999) + inner + '}'.repeat(9_999)).value;
  assert.ok(deepEqual(nested('1'), nested('1')));
  assert.not.ok(deepEqual(nested('1'), nested('2')));
});

equal('says what the texts say', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (a, b) => {
      const text = JSON.stringify(a);
      assert.ok(deepEqual(a, JSON.parse(text)));
      if (JSON.stringify(b) === text) assert.ok(deepEqual(a, b));
      assert.is(deepEqual(a, b), deepEqual(b, a));
    }),
  );
});

equal.run();

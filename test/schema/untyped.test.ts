/** Values without a type, as they are decoded. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJson } from '../../runtime/schema/json/json-text.ts';
import { ScalarError } from '../../runtime/schema/scalar/scalar-error.ts';
import { untypedValue } from '../../runtime/schema/untyped.ts';

const test = suite('values without a type');
const read = (text: string): unknown => parseJson(text).value;
/** Goes down lists of one element. */
function depthOf(value: unknown): { levels: number; leaf: unknown } {
  let levels = 0;
  let leaf = value;
  for (; Array.isArray(leaf); levels++) leaf = leaf[0];
  return { levels, leaf };
}

test('what has no number of a special spelling stays the same value', () => {
  const value = read('{"b":[1,{"a":null}],"a":"x"}');
  assert.is(untypedValue(value), value);
});

test('members and elements stay in their order, and what is given stays as it is', () => {
  const text = '{"b":[1.50,[],{"z":9007199254740993,"a":1e2}],"__proto__":{"c":2.0},"a":null}';
  const value = read(text) as object;
  const made = untypedValue(value) as object;
  assert.is.not(made, value);
  assert.equal(Object.keys(made), ['b', '__proto__', 'a']);
  assert.is(JSON.stringify(made), '{"b":[1.5,[],{"z":9007199254740993,"a":100}],"__proto__":{"c":2},"a":null}');
  assert.is(JSON.stringify(value), text);
});

test('of several numbers that no double holds the first one is told', () => {
  const error = (() => {
    try {
      return untypedValue(read('[{"a":[1e400]},1e500]'));
    } catch (thrown) {
      return thrown;
    }
  })();
  assert.instance(error, ScalarError);
  assert.match((error as Error).message, '1e400');
});

test('values may be as deep as JSON may be', () => {
  const levels = 9_999;
  const made = depthOf(untypedValue(read(`${'['.repeat(levels)}9007199254740993${']'.repeat(levels)}`)));
  assert.is(made.levels, levels);
  assert.is(JSON.stringify(made.leaf), '9007199254740993');
});
test.run();

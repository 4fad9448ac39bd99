import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PartialObject } from '../../../runtime/expressions/libraries/patch-types.ts';
import { DYN, type StructType } from '../../../runtime/expressions/types/type.ts';
import { type JsonForm, jsonOf, NoJson, TooMuchJson } from '../../../runtime/expressions/values/json-of.ts';
import { jsonValue } from '../../../runtime/expressions/values/json-values.ts';
import {
  ArrayList,
  Duration,
  EntryMap,
  type ListValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from '../../../runtime/expressions/values/value.ts';

const test = suite('JSON of values');
const text = (value: Value, form: JsonForm, limit = 1_000) => JSON.stringify(jsonOf(value, form, limit).json);
const PART: StructType = { kind: 'struct', name: 'Object', field: () => DYN };
const map = (...entries: [Value, Value][]): Value => EntryMap.of(entries);

const rows: readonly [name: string, value: Value, protobuf: string | RegExp, plain: string | RegExp][] = [
  ['a text', 'a', '"a"', '"a"'],
  ['true', true, 'true', 'true'],
  ['an integer', 3n, '3', '3'],
  ['an integer that a double cannot tell', 2n ** 53n + 1n, '"9007199254740993"', '9007199254740993'],
  ['an unsigned integer', new Uint(7n), '7', /^: expected numeric \(int or float\), got uint64$/],
  ['a double', 1.5, '1.5', '1.5'],
  ['no number', Number.NaN, /not finite/, /not finite/],
  ['null', null, 'null', /expected a value, got null/],
  ['a list', new ArrayList([1n, 'a', true]), '[1,"a",true]', '[1,"a",true]'],
  ['a list in a list', new ArrayList([1n, new ArrayList(['b', 1n])]), '[1,["b",1]]', /^\[1\]: expected list, got &\{\[b 1\]\}$/],
  ['a list of an object in a list', new ArrayList([jsonValue([1, ['b']])]), '[[1,["b"]]]', '[[1,["b"]]]'],
  ['a map in a map', map(['a', map(['c', 2n], ['b', 'x'])]), '{"a":{"c":2,"b":"x"}}', /^\.a: expected map, got &\{map\[b:x c:2\]\}$/],
  ['a map', map(['a', 1n], ['__proto__', 2n]), '{"a":1,"__proto__":2}', '{"a":1,"__proto__":2}'],
  ['a map of numbers', map([1n, 1n]), /^unsupported type conversion from 'int' to string$/, /map key "1" is of type int, not string/],
  ['what JSON stood behind', jsonValue({ a: [1, { b: null }] }), '{"a":[1,{"b":null}]}', '{"a":[1,{"b":null}]}'],
  ['an optional value', Optional.of(1n), '1', '1'],
  ['an empty one', Optional.NONE, /optional\.none\(\) dereference/, 'null'],
  ['a time', new Timestamp(0n), '"1970-01-01T00:00:00Z"', /got google\.protobuf\.Timestamp/],
  ['a duration', new Duration(1_500_000_000n), '"1.5s"', /got google\.protobuf\.Duration/],
  ['bytes', new Uint8Array([1, 2]), '"AQI="', /got bytes/],
  ['a type', new TypeValue('int'), /^type conversion not supported for 'type'$/, /got type/],
];
for (const [name, value, protobuf, plain] of rows)
  test(name, () => {
    for (const [form, expected] of [
      ['protobuf', protobuf],
      ['plain', plain],
    ] as const)
      if (typeof expected === 'string') assert.is(text(value, form), expected);
      else
        assert.throws(
          () => text(value, form),
          (error: unknown) => error instanceof NoJson && expected.test(error.message),
        );
  });

test('errors name the place', () => {
  const part = new PartialObject(PART, new Map([['b', null]]));
  const value = new PartialObject(PART, new Map([['a', new ArrayList([1n, part])]]));
  assert.throws(() => jsonOf(value, 'plain', 100), /^\.a\[1\]\.b: expected a value, got null$/);
});

/** A list of two that are the same, and so on: 2 to the power of `depth` in the end. */
function doubled(depth: number): ListValue {
  let list = new ArrayList(['x']);
  for (let level = 0; level < depth; level++) list = new ArrayList([list, list]);
  return list;
}

test('what is there twice is counted twice, and made once', () => {
  assert.is(jsonOf(doubled(4), 'protobuf', 1_000).size, 5 * 16 + 3 * 15);
  const began = process.cpuUsage();
  assert.throws(
    () => jsonOf(doubled(1_000), 'protobuf', 3 * 1024 * 1024),
    (error: unknown) => error instanceof TooMuchJson,
  );
  assert.ok(process.cpuUsage(began).user < 1_000_000);
});

test('what is too deep is no fault of the program', () => {
  let deep = new ArrayList([]);
  for (let level = 0; level < 100_000; level++) deep = new ArrayList([deep]);
  assert.throws(
    () => jsonOf(deep, 'protobuf', 3 * 1024 * 1024),
    (error: unknown) => error instanceof NoJson && error.message === 'exceeded max depth',
  );
});
/** A JSON value as an expression would make it. */
function made(json: unknown): Value {
  if (Array.isArray(json)) return new ArrayList(json.map(made));
  if (typeof json === 'object' && json !== null) return EntryMap.of(Object.entries(json).map(([key, value]) => [key, made(value)]));
  return jsonValue(json);
}

test('whatever JSON an expression makes comes out as it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      const expected = JSON.stringify(json);
      for (const value of [made(json), jsonValue(json)]) assert.is(JSON.stringify(jsonOf(value, 'protobuf', 1_000_000).json), expected);
    }),
  );
});

test('what comes out is no longer than the limit, and what does not is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(200), (json, limit) => {
      const { length } = JSON.stringify(json);
      const fits = (): number => jsonOf(made(json), 'protobuf', limit).size;
      if (length <= limit) assert.is(fits(), length);
      else assert.throws(fits, (error: unknown) => error instanceof TooMuchJson);
    }),
  );
});
test.run();

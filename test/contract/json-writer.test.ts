/** Values are written as JSON byte by byte as the language does it, at any depth. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeJson } from '../../runtime/contract/json-writer.ts';
import { indentedJson } from '../../runtime/endpoints/lists/indented-json.ts';
import { rawNumber } from '../../runtime/schema/scalar/raw-number.ts';

const test = suite('writing JSON');

/** More levels than JSON from outside may have, and than the stack has room for. */
const LEVELS = 12_000;
/** The room of each grows with them. */
const INDENTED_LEVELS = 6_000;

const shapes: Readonly<Record<string, (value: unknown) => unknown>> = {
  lists: (value) => [value],
  objects: (value) => ({ a: value }),
  'lists in objects': (value) => ({ before: '"', a: [null, value], none: undefined, behind: {} }),
};

/** A number that JavaScript cannot hold, which JSON.stringify writes in its slow way. */
const exact = rawNumber('12345678901234567890');

function nested(value: unknown, around: (value: unknown) => unknown, levels: number): unknown {
  let made = value;
  for (let level = 0; level < levels; level++) made = around(made);
  return made;
}

for (const [name, around] of Object.entries(shapes)) {
  const [before, behind] = JSON.stringify(around('|')).split('"|"') as [string, string];

  test(`${name} of many levels stand on one line`, () => {
    const expected = `${before.repeat(LEVELS)}12345678901234567890${behind.repeat(LEVELS)}`;
    assert.ok(writeJson(nested(exact, around, LEVELS)) === expected);
  });

  test(`${name} of many levels are indented`, () => {
    const value = nested({ list: [], object: {}, exact, text: 'é\n' }, around, INDENTED_LEVELS);
    assert.throws(() => JSON.stringify(value, null, 2), RangeError);
    assert.ok(writeJson(value, 2) === indentedJson(Buffer.from(writeJson(value)), 0).toString());
  });
}

/** What the native writer cannot do: it stands in front of the value. */
const tooDeep = nested(exact, (value) => [value], LEVELS);
const deepText = `${'['.repeat(LEVELS)}12345678901234567890${']'.repeat(LEVELS)}`;

test('everything that stands beside many levels is written as ever', () => {
  const beside = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(beside, (value) => {
      const expected = `{"deep":${deepText},"value":${JSON.stringify(value)}}`;
      assert.ok(writeJson({ deep: tooDeep, value }) === expected);
    }),
    { numRuns: 100 },
  );
});

const odd = {
  'a member without a value': [{ a: undefined, b: 1, c: (): void => {} }, '{"b":1}'],
  'only members without a value': [{ a: undefined }, '{}'],
  'elements without a value': [[undefined, 1, Symbol.iterator], '[null,1,null]'],
  'numbers that JSON does not have': [[Number.NaN, -0, 1e21, Number.POSITIVE_INFINITY], '[null,0,1e+21,null]'],
  'a time': [{ at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  'a lone surrogate': ['\ud800', '"\\ud800"'],
  'a name that looks like an index behind others': [{ b: 1, 7: 2 }, '{"7":2,"b":1}'],
} as const;
for (const [name, [value, text]] of Object.entries(odd))
  test(`${name} is written alike beside many levels`, () => {
    assert.is(writeJson(value), text);
    assert.ok(writeJson([value, tooDeep]) === `[${text},${deepText}]`);
  });

test('what is undefined has no text', () => assert.is(writeJson(undefined), undefined));

test('a circle is still an error', () => {
  const circle: Record<string, unknown> = {};
  circle.a = circle;
  assert.throws(() => writeJson(circle), /circular/);
});

test.run();

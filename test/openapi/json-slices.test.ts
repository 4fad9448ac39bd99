import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonSlices } from '../../runtime/openapi/json-slices.ts';
import { parseSlices } from '../../runtime/registry/stored-objects/sliced-reading.ts';
import { atOnce } from '../../runtime/schema/at-once.ts';

const test = suite('JSON in slices');

function written(value: unknown): { text: string; slices: number } {
  const work = jsonSlices(value);
  for (let slices = 0; ; slices++) {
    const { done, value: text } = work.next();
    if (done === true) return { text, slices };
  }
}

const VALUES = [
  null,
  true,
  -1.5,
  'ä "quoted" \\ \u2028',
  [],
  {},
  [[], {}, [1, 'a', null]],
  { a: undefined, b: { c: [undefined, { d: '' }] }, 'e "f"': 1 },
  JSON.parse('{"__proto__": {"a": 1}}'),
];

for (const value of VALUES)
  test(`${JSON.stringify(value)} is written as it is written at once`, () => assert.is(written(value).text, JSON.stringify(value)));

test('what is long is written in many slices', () => {
  const value = { list: Array.from({ length: 10_000 }, (_, index) => ({ name: `item-${index}`, text: 'ä' })) };
  const { text, slices } = written(value);
  assert.is(text, JSON.stringify(value));
  assert.ok(slices >= 10_000, `${slices}`);
});

test('members that were read in pieces keep the order that the engine gives them', () => {
  for (const prefix of ['name-', '']) {
    const json = JSON.stringify(Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`${prefix}${3_000 - index}`, index])));
    const read = atOnce(parseSlices(Buffer.from(json), 500));
    assert.is(atOnce(jsonSlices(read)), JSON.stringify(read));
    assert.is(JSON.stringify(read), json);
  }
});

test.run();

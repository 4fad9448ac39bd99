import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MadeOfNames } from '../../runtime/schema/made-of-names.ts';

const test = suite('made of names');

/** What was made of each object in turn, and how often something was made. */
function use(...objects: object[]): { made: string[]; count: number } {
  const names = new MadeOfNames<string>();
  let count = 0;
  const made = objects.map((object) =>
    names.of(object as Record<string, unknown>, (each) => {
      count++;
      return each.join();
    }),
  );
  return { made, count };
}

const many = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`n${i}`, 1]));
const long = { ['x'.repeat(2049)]: 1 };

const rows: readonly [name: string, objects: object[], count: number][] = [
  [
    'the same names',
    [
      { a: 1, b: 2 },
      { a: 'x', b: null },
    ],
    1,
  ],
  ['no names', [{}, {}], 1],
  [
    'another order',
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    2,
  ],
  ['fewer names', [{ a: 1, b: 2 }, { a: 1 }], 2],
  ['more names', [{ a: 1 }, { a: 1, b: 2 }], 2],
  ['four sorts in turn', [{ a: 1 }, { b: 1 }, { c: 1 }, { d: 1 }, { a: 1 }, { b: 1 }], 4],
  ['the fifth sort is made anew', [{ a: 1 }, { b: 1 }, { c: 1 }, { d: 1 }, { e: 1 }, { a: 1 }], 6],
  ['too many names', [many, many], 2],
  ['too long a name', [long, long], 2],
];
for (const [name, objects, count] of rows)
  test(`made once for each sort: ${name}`, () => {
    const found = use(...objects);
    assert.equal(
      found.made,
      objects.map((object) => Object.keys(object).join()),
    );
    assert.is(found.count, count);
  });

test('members that are undefined do not count', () => {
  assert.equal(use({ a: 1, b: undefined, c: 2 }, { a: undefined, b: 1, c: 2 }, { a: 1, c: 3 }).made, ['a,c', 'b,c', 'a,c']);
});

test.run();

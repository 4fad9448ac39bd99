import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type TextRevision, textKey, textRevisionKey } from '../../../runtime/storage/lmdb/codecs/codecs.ts';
import { OverlaidRows } from '../../../runtime/storage/lmdb/tables/overlaid-rows.ts';

const test = suite('overlaid rows');

type Rows = ReadonlyMap<string, number>;
const inOrder = (rows: Rows): { key: string; value: number }[] =>
  [...rows].map(([key, value]) => ({ key, value })).sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));

/** What a store would have that had taken all of them. */
function taken(stored: Rows, written: readonly (readonly [string, number | undefined])[]): Rows {
  const all = new Map(stored);
  for (const [key, value] of written) {
    if (value === undefined) all.delete(key);
    else all.set(key, value);
  }
  return all;
}

const key = fc.oneof(
  fc.constantFrom('a', 'a/b', 'a/', 'b', 'ä', '￿', '\u{10000}'),
  fc.string({ maxLength: 3 }).filter((text) => !text.includes('\0')),
);
const bounds = fc.record({ start: fc.oneof(fc.constant(''), key), end: fc.oneof(fc.constant(undefined), fc.constant(''), key) });
const before = (a: string, b: string): boolean => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;

test('are read as if they were stored', () =>
  fc.assert(
    fc.property(
      fc.array(fc.tuple(key, fc.nat(9))),
      fc.array(fc.tuple(key, fc.option(fc.nat(9), { nil: undefined }))),
      bounds,
      (rows, written, { start, end }) => {
        const stored = new Map(rows);
        const expected = inOrder(taken(stored, written));
        const overlaid = new OverlaidRows<string, number>(
          written.map(([each, value]) => ({ key: each, value })),
          textKey,
        );
        const within = (each: { key: string }): boolean =>
          !before(each.key, start) && (end === undefined || end === '' || before(each.key, end));
        const storedWithin = inOrder(stored).filter(within);
        assert.is(
          overlaid.has(start, end),
          written.some(([each]) => within({ key: each })),
        );
        assert.equal([...overlaid.over(storedWithin, start, end)], expected.filter(within));
        const grown = overlaid.growth(start, end ?? '', (each) => stored.has(each));
        assert.is(storedWithin.length + grown, expected.filter(within).length);
        const upTo = end ?? '\u{10ffff}';
        const between = (each: { key: string }): boolean => before(start, each.key) && !before(upTo, each.key);
        assert.equal(overlaid.floor(inOrder(stored).filter(between).reverse(), upTo, start), expected.filter(between).at(-1));
        for (const [each, value] of written.slice(-1)) assert.is(overlaid.get(each)?.value, value);
      },
    ),
  ));

test('keys that are no single value are told apart by what they stand for', () => {
  const overlaid = new OverlaidRows<TextRevision, string>(
    [
      { key: { text: 'a', revision: 300 }, value: 'x' },
      { key: { text: 'a', revision: 2 }, value: 'y' },
      { key: { text: 'a', revision: 300 }, value: undefined },
    ],
    textRevisionKey,
  );
  assert.is(overlaid.get({ text: 'a', revision: 2 })?.value, 'y');
  assert.ok(overlaid.get({ text: 'a', revision: 300 }));
  assert.is(overlaid.get({ text: 'a', revision: 300 })?.value, undefined);
  assert.is(overlaid.get({ text: 'b', revision: 2 }), undefined);
  assert.equal([...overlaid.over([], { text: '', revision: 0 }, undefined)], [{ key: { text: 'a', revision: 2 }, value: 'y' }]);
});

test.run();

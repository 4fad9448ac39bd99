import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atOnce } from '../../runtime/schema/at-once.ts';
import { sortedSlices } from '../../runtime/schema/sorted-slices.ts';

const test = suite('sorted in slices');

interface Numbered {
  readonly key: number;
  readonly place: number;
}

const byKey = (a: Numbered, b: Numbered): number => a.key - b.key;

test('lists of all lengths come as they do when they are sorted at once, equal elements in their order', () => {
  const lengths = fc.oneof(fc.integer({ min: 0, max: 10 }), fc.constantFrom(511, 512, 513, 1_024, 1_025, 1_537, 4_000));
  fc.assert(
    fc.property(lengths, fc.integer({ min: 1, max: 5_000 }), fc.integer(), (length, keys, seed) => {
      const list = Array.from({ length }, (_, place): Numbered => ({ key: Math.abs(Math.imul(place + seed, 0x9e3779b1)) % keys, place }));
      const given = [...list];
      assert.equal(atOnce(sortedSlices(list, byKey)), list.toSorted(byKey));
      assert.equal(list, given, 'the list itself stays');
    }),
    { numRuns: 60 },
  );
});

test('it yields as long lists demand, and not for short ones', () => {
  const yields = (length: number): number =>
    [
      ...sortedSlices(
        Array.from({ length }, (_, i) => (i * 7_919) % length),
        (a, b) => a - b,
      ),
    ].length;
  assert.is(yields(0), 0);
  assert.is(yields(500), 0);
  assert.ok(yields(20_000) > 100);
});

test.run();

import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { foundInEach, joined, NONE } from '../../runtime/validation/joined.ts';

const test = suite('joined');

const lists = fc.array(fc.array(fc.integer(), { maxLength: 3 }), { maxLength: 6 });

test('lists stand one after the other, and none is changed', () => {
  fc.assert(
    fc.property(lists, (given) => {
      const frozen = given.map((list) => Object.freeze([...list]));
      assert.equal(joined(...frozen), given.flat());
      assert.equal(
        foundInEach(frozen, (list) => list),
        given.flat(),
      );
      assert.is(NONE.length, 0);
    }),
  );
});

test('no list is made of nothing', () => {
  assert.is(joined(NONE, NONE), NONE);
  for (const list of [undefined, null, [], [1, 2]])
    assert.is(
      foundInEach(list as number[] | null | undefined, () => NONE),
      NONE,
    );
});

test('an item may have more findings than a call has arguments', () => {
  const found = Array.from({ length: 300_000 }, (_, i) => i);
  assert.is(foundInEach([0], () => found).length, found.length);
});

test.run();

/** The part of a trace that calls of the store belong to: as long as the call, and no longer. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Part } from '../../runtime/contract/trace.ts';
import { partUnderWay, withinPart } from '../../runtime/storage/traced-part.ts';

const none = (): never => {
  throw new Error('nothing is begun here');
};
const [one, two]: [Part, Part] = [
  { id: '01', begin: none },
  { id: '02', begin: none },
];

const test = suite('the traced part of calls of the store');

test('none is under way where nothing is traced', () => assert.is(partUnderWay(), undefined));

test('parts are within each other, whatever is thrown', () => {
  const seen = withinPart(one, () => {
    const inner = withinPart(two, partUnderWay);
    assert.throws(() =>
      withinPart(two, () => {
        throw new Error('no');
      }),
    );
    return [inner, partUnderWay()];
  });
  assert.equal(seen, [two, one]);
  assert.throws(() =>
    withinPart(one, () => {
      throw new Error('no');
    }),
  );
  assert.is(partUnderWay(), undefined);
});

test('what waits goes on within none', async () => {
  const seen: (Part | undefined)[] = [];
  const working = withinPart(one, async () => {
    seen.push(partUnderWay());
    await undefined;
    seen.push(partUnderWay());
  });
  assert.is(partUnderWay(), undefined);
  await working;
  assert.equal(seen, [one, undefined]);
});

test.run();

/** Reads wait for a revision that the store has not reached, for some time. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseResourceVersion, waitUntilFresh } from '../../../runtime/registry/resource-store/resource-version.ts';
import type { Storage } from '../../../runtime/storage/storage.ts';
import { HOUR, withMachineClock } from '../../harness/machine-clock.ts';

const test = suite('the wait for a revision');
/** Looks at the store that somebody who waits for ever is left. */
const ENOUGH = 4;

/** @param reached at each look, but for the last, which counts for all behind it. @returns what comes of the wait for revision 2 */
function outcome(reached: number[], meanwhile: () => void): Promise<string> {
  const storage = { currentRevision: () => (reached.length > 1 ? reached.shift() : reached[0]) } as unknown as Storage;
  let looks = 0;
  const throwIfOver = (): void => {
    if (++looks > ENOUGH) throw new Error('it waits and waits');
  };
  const waited = waitUntilFresh(storage, 2, true, { throwIfOver });
  meanwhile();
  return waited.then(
    () => 'fresh',
    ({ message }) => message,
  );
}

test('is over after its time where the clock is set back meanwhile', () =>
  withMachineClock(async (clock) => {
    const passed = (): void => {
      clock.set(-6 * HOUR);
      clock.pass(3_000);
    };
    assert.match(await outcome([1], passed), 'Too large resource version: 2, current: 1');
  }));
test('goes on where the clock is set forward meanwhile', () =>
  withMachineClock(async (clock) => assert.is(await outcome([1, 1, 2], () => clock.set(6 * HOUR)), 'fresh')));

const versions: readonly [text: string, version: number | bigint | undefined][] = [
  ['', undefined],
  ['0', 0],
  ['0042', 42],
  [`${'0'.repeat(30)}7`, 7],
  ['9007199254740991', 9_007_199_254_740_991],
  ['9007199254740992', 9_007_199_254_740_992n],
  ['18446744073709551615', 18_446_744_073_709_551_615n],
];
for (const [text, version] of versions)
  test(`reads the version ${JSON.stringify(text)}, exactly`, () => assert.is(parseResourceVersion(text), version));
const none: readonly [text: string, problem: string][] = [
  ['18446744073709551616', 'value out of range'],
  ['99999999999999999999', 'value out of range'],
  ['100000000000000000000', 'value out of range'],
  ...['-1', '+1', '1.0', '1e3', 'x', ' 1', 'a"b'].map((text): [string, string] => [text, 'invalid syntax']),
];
for (const [text, problem] of none)
  test(`reads no version in ${JSON.stringify(text)}, and says why as 1.32 does`, () => {
    const shown = JSON.stringify(text);
    const message = `invalid resource version: resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: ${problem}`;
    assert.throws(
      () => parseResourceVersion(text),
      (error: Error) => error.message === message,
    );
  });
test('ends for a version that no store reaches as for any other, and names it', async () => {
  const storage = { currentRevision: () => 5 } as unknown as Storage;
  const waiting = waitUntilFresh(storage, 18_446_744_073_709_551_615n, false);
  const message = await waiting.then(String, (error: Error) => error.message);
  assert.is(message, 'Timeout: Too large resource version: 18446744073709551615, current: 5');
});
test.run();

/** Durations of the format of schemas, with units in words. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isDuration, wordedDuration } from '../../runtime/formats/durations.ts';

const test = suite('formats/durations');
const SECOND = 1_000_000_000n;
const rows: readonly [text: string, nanoseconds: bigint | undefined][] = [
  ['3 days', 3n * 86_400n * SECOND],
  ['1d', 86_400n * SECOND],
  ['1 Day', 86_400n * SECOND],
  ['1d 12h', 129_600n * SECOND],
  ['2 weeks 1 wk', 3n * 604_800n * SECOND],
  ['1hr30min', 5_400n * SECOND],
  [' 5 seconds ', 5n * SECOND],
  ['7nanos 1micro 1milli', 1_001_007n],
  ['1 moon 1 s', SECOND],
  ['1 moon', undefined],
  ['soon', undefined],
  ['', undefined],
  ['1.5d', 5n * 86_400n * SECOND],
  ['-1d', 86_400n * SECOND],
  ['in 2 d, at 3h!', 183_600n * SECOND],
  ['2562047h47m16.854775808s', (2_562_047n * 3_600n + 47n * 60n + 854_775_808n) * SECOND - 2n ** 64n],
  ['9223372036854775808ns', undefined],
  ['1', undefined],
  [`${'9'.repeat(20)} d`, undefined],
  [`${' '.repeat(300)}1d`, 86_400n * SECOND],
  [`${'0'.repeat(30)}1d`, 86_400n * SECOND],
];
for (const [text, nanoseconds] of rows)
  test(JSON.stringify(text).slice(0, 40), () => {
    assert.is(wordedDuration(text), nanoseconds);
    assert.is(isDuration(text), nanoseconds !== undefined);
  });
test('as Go writes them', () => {
  for (const text of ['1h30m', '0', '-1.5s', '.5ms']) assert.ok(isDuration(text), text);
});
test.run();

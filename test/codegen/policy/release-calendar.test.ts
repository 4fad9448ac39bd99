import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ReleaseCalendar } from '../../../codegen/policy/release-calendar.ts';

const calendar = new ReleaseCalendar([
  { name: '1.8', date: '2020-01-31' },
  { name: '1.9', date: '2020-03-31' },
  { name: '1.10', date: '2020-11-29' },
  { name: '1.11', date: '2020-11-30' },
  { name: '2.0', date: '2022-02-28' },
]);

const spans = suite('spans between releases');
const rows: [from: string, to: string, releases: number, months: number, atLeast: boolean, atMost: boolean][] = [
  ['1.8', '1.9', 1, 2, true, true],
  ['1.8', '1.9', 2, 2, false, true],
  ['1.8', '1.9', 1, 3, false, true],
  ['1.8', '1.10', 2, 9, true, true],
  // Ten months after the last of January is the last of November, which is the 30th.
  ['1.8', '1.10', 1, 10, false, true],
  ['1.8', '1.11', 3, 10, true, true],
  ['1.9', '2.0', 2, 24, false, true],
  ['1.9', '2.0', 2, 22, true, false],
  ['1.9', '2.0', 3, 12, true, true],
  ['1.8', '1.8', 0, 0, true, true],
];
for (const [from, to, releases, months, atLeast, atMost] of rows)
  spans(`from ${from} to ${to}: ${releases} releases and ${months} months`, () => {
    assert.is(calendar.isAtLeast(from, to, { releases, months }), atLeast);
    assert.is(calendar.isAtMost(from, to, { releases, months }), atMost);
  });
spans('end in the first release by which all of it has passed', () => {
  assert.is(calendar.firstAfter('1.8', { releases: 2, months: 9 }), '1.10');
  assert.is(calendar.firstAfter('1.8', { releases: 2, months: 10 }), '1.11');
  assert.is(calendar.firstAfter('1.8', { releases: 0, months: 0 }), '1.9');
  assert.is(calendar.firstAfter('1.9', { releases: 9, months: 1 }), undefined);
  assert.is(calendar.firstBeyond('1.8', { releases: 1, months: 9 }), '1.10');
  assert.is(calendar.whenPassed('1.9', { releases: 9, months: 1 }), '9 releases and 1 months after 1.9 (2020-03-31)');
});
spans('know what stands beside a release', () => {
  assert.equal(
    [calendar.before('1.10'), calendar.after('1.10'), calendar.before('1.8'), calendar.after('2.0')],
    ['1.9', '1.11', undefined, undefined],
  );
});
spans.run();

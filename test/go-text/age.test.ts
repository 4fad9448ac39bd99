import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { age, shortDuration } from '../../runtime/go-text/age.ts';

const test = suite('ages');
const [second, minute, hour, day, year] = [1000, 60_000, 3_600_000, 86_400_000, 365 * 86_400_000] as const;

const rows: [string, number, string][] = [
  ['from the future', -2 * second, '<invalid>'],
  ['a clock that is a little ahead', -1 * second, '0s'],
  ['seconds', 119 * second, '119s'],
  ['minutes and seconds', 2 * minute + 3 * second, '2m3s'],
  ['whole minutes', 3 * minute, '3m'],
  ['many minutes', 179 * minute + 59 * second, '179m'],
  ['hours and minutes', 3 * hour + 5 * minute, '3h5m'],
  ['many hours', 47 * hour + 59 * minute, '47h'],
  ['days and hours', 2 * day + hour, '2d1h'],
  ['whole days', 3 * day, '3d'],
  ['many days', 729 * day, '729d'],
  ['years and days', 2 * year + 5 * day, '2y5d'],
  ['whole years', 3 * year, '3y'],
  ['many years', 8 * year + 9 * day, '8y'],
];

for (const [name, duration, text] of rows) test(name, () => assert.is(shortDuration(duration), text));

test('without a timestamp', () => assert.is(age(null, 0), '<unknown>'));
test('since a timestamp', () => assert.is(age('2026-01-01T00:00:00Z', Date.parse('2026-01-01T00:01:00Z')), '60s'));

test.run();

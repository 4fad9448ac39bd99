import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atMost, notDecremented } from '../../runtime/kinds/counts.ts';
import { rawNumber } from '../../runtime/schema/raw-number.ts';

const test = suite('counts');
const largest = rawNumber('9223372036854775807');

const rows: [string, unknown, unknown, number][] = [
  ['the same', 3, 3, 0],
  ['more', 4, 3, 0],
  ['less', 2, 3, 1],
  ['gone', undefined, 3, 1],
  ['begun', 3, undefined, 0],
  ['more than a double holds', largest, 3, 0],
  ['less than what a double does not hold', 3, largest, 1],
];
for (const [name, value, old, errors] of rows)
  test(`a counter that only grows: ${name}`, () => assert.is(notDecremented(value, old, 'status.observedGeneration').length, errors));

test('a limit is compared with numbers beyond doubles', () =>
  assert.equal(
    atMost({ ready: 2, available: largest, absent: undefined }, 'status', ['ready', 'available', 'absent'], 2, 'too many').map(
      ({ field }) => field,
    ),
    ['status.available'],
  ));

test('an absent number is shown as the 0 that it counts as', () =>
  assert.equal(
    atMost({}, 'status', ['ready'], -1, 'too many').map(({ message }) => message),
    ['Invalid value: 0: too many'],
  ));

test.run();

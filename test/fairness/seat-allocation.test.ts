/** How levels lend and borrow. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allocateSeats, divideSeats, type LevelClaim, type SeatClaim } from '../../runtime/fairness/seat-allocation.ts';
import { SeatDemand } from '../../runtime/fairness/seat-demand.ts';

const claim = (target: number, lowerBound: number, upperBound: number): SeatClaim => ({ target, lowerBound, upperBound });
const allocation = suite('an allocation of seats');
const rows: [name: string, total: number, claims: SeatClaim[], seats: number[]][] = [
  ['to nobody', 10, [], []],
  ['to one', 10, [claim(1, 0, 10)], [10]],
  ['by targets', 12, [claim(1, 0, 12), claim(2, 0, 12), claim(3, 0, 12)], [2, 4, 6]],
  ['within a lower bound', 12, [claim(4, 4, 12), claim(16, 0, 12)], [4, 8]],
  ['within an upper bound', 12, [claim(10, 0, 3), claim(10, 0, 12)], [3, 9]],
  ['to those who want nothing', 12, [claim(0, 0, 12), claim(0, 0, 12)], [6, 6]],
  ['of no more than all may have', 100, [claim(1, 0, 10), claim(1, 0, 20)], [10, 20]],
  ['of no less than all must have', 5, [claim(4, 4, 10), claim(4, 4, 10)], [4, 4]],
  ['of nothing', 0, [claim(4, 0, 10)], [0]],
];
for (const [name, total, claims, seats] of rows)
  allocation(name, () => {
    assert.equal(
      allocateSeats(total, claims).seats.map((each) => Math.round(each * 1e6) / 1e6),
      seats,
    );
  });
allocation('sums up, keeps to the bounds, and gives the same part to all whom no bound holds', () => {
  const claims = fc.array(
    fc.record({ low: fc.nat(50), above: fc.nat(100), up: fc.nat(200) }).map(({ low, above, up }) => claim(low + above, low, low + up)),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(claims, fc.double({ min: 0, max: 1, noNaN: true }), (all, part) => {
      const least = all.reduce((sum, { lowerBound }) => sum + lowerBound, 0);
      const most = all.reduce((sum, { upperBound }) => sum + upperBound, 0);
      const total = least + part * (most - least);
      const { seats, fairFraction } = allocateSeats(total, all);
      assert.ok(Math.abs(seats.reduce((a, b) => a + b, 0) - total) < 1e-3);
      for (const [index, { target, lowerBound, upperBound }] of all.entries()) {
        const own = seats[index] as number;
        assert.ok(own >= lowerBound - 1e-6 && own <= upperBound + 1e-6);
        if (own > lowerBound + 1e-6 && own < upperBound - 1e-6) assert.ok(Math.abs(own - fairFraction * Math.max(target, 0.001)) < 1e-3);
      }
    }),
  );
});
const limited = (lowest: number, target: number, lowerBound: number, upperBound: number): LevelClaim => ({
  ...claim(target, lowerBound, upperBound),
  isExempt: false,
  lowest,
  current: 7,
});
const exempt = (needed: number): LevelClaim => ({ ...limited(0, needed, needed, 100), isExempt: true });
const divisions: [name: string, total: number, claims: LevelClaim[], seats: number[]][] = [
  [
    'to exempt levels and, as if those had none, to the others',
    100,
    [exempt(10), limited(0, 20, 20, 100), limited(0, 60, 60, 100)],
    [10, 25, 75],
  ],
  ['to those who lend by the same part', 100, [exempt(40), limited(20, 40, 40, 100), limited(20, 60, 60, 100)], [40, 27, 33]],
  ['to those who lend all that they may', 100, [exempt(90), limited(20, 40, 40, 100), limited(20, 60, 60, 100)], [90, 20, 20]],
  ['of no less than all have above what they lend', 100, [exempt(60), limited(20, 20, 20, 100), limited(20, 20, 20, 100)], [60, 20, 20]],
  ['to those who may not have all, as before', 100, [exempt(0), limited(5, 10, 10, 20), limited(5, 10, 10, 20)], [0, 7, 7]],
];
for (const [name, total, claims, seats] of divisions)
  allocation(name, () => {
    assert.equal(
      divideSeats(total, claims).seats.map((each) => Math.round(each)),
      seats,
    );
  });
allocation.run();

const demand = suite('the demand of a level');
demand('is averaged over time, and smoothed over periods', () => {
  const seats = new SeatDemand(0);
  seats.set(4, 0);
  seats.set(0, 5_000);
  assert.equal(seats.endPeriod(10_000), { highWatermark: 4, average: 2, deviation: 2, smoothed: 4 });
  const { highWatermark, average, smoothed } = seats.endPeriod(20_000);
  assert.equal([highWatermark, average, Math.round(smoothed * 1_000)], [0, 0, 3_908]);
});
demand('of a period without time keeps what is known', () => {
  const seats = new SeatDemand(0);
  seats.set(3, 0);
  seats.endPeriod(10);
  seats.set(5, 10);
  assert.equal(seats.endPeriod(10), { highWatermark: 5, average: 3, deviation: 0, smoothed: 3 });
});
demand.run();

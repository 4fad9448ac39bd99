/** When the node tells of pressure, by a clock of the test's own. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Signal, Supplies } from '../../../runtime/node-agent/node/machine.ts';
import { type Pressure, PressureWatch } from '../../../runtime/node-agent/node/pressure.ts';
import { readThresholds } from '../../../runtime/node-agent/node/thresholds.ts';

const MIB = 1024 ** 2;

function watchOf(members: object, transition = 1_000): PressureWatch {
  const { thresholds, faults } = readThresholds(members as never);
  assert.equal(faults, []);
  return new PressureWatch(thresholds, transition);
}

const supply = (signal: Signal, available: number, capacity = 1_000 * MIB): Supplies => new Map([[signal, { available, capacity }]]);

const pressure = suite('pressure');
const signals: [signal: Signal, threshold: string, enough: number, short: number, type: Pressure][] = [
  ['memory.available', '100Mi', 100 * MIB, 100 * MIB - 1, 'MemoryPressure'],
  ['memory.available', '10%', 100 * MIB + 1, 100 * MIB, 'MemoryPressure'],
  ['nodefs.available', '10%', 100 * MIB + 1, 100 * MIB, 'DiskPressure'],
  ['nodefs.inodesFree', '5%', 50 * MIB, 49 * MIB, 'DiskPressure'],
  ['imagefs.available', '15%', 150 * MIB + 6, 150 * MIB + 5, 'DiskPressure'],
  ['imagefs.inodesFree', '5%', 50 * MIB, 49 * MIB, 'DiskPressure'],
  ['pid.available', '1k', 1_000, 999, 'PIDPressure'],
];
for (const [signal, threshold, enough, short, type] of signals)
  pressure(`of ${signal} below ${threshold} is ${type}`, () => {
    const watch = watchOf({ evictionHard: { [signal]: threshold } });
    assert.equal([...watch.observe(supply(signal, enough), 0)], []);
    assert.equal([...watch.observe(supply(signal, short), 10)], [type]);
  });
pressure('is told for a while after it has ended', () => {
  const watch = watchOf({ evictionHard: { 'memory.available': '100Mi' } });
  const at = (available: number, now: number) => watch.observe(supply('memory.available', available), now).size;
  assert.equal([at(0, 0), at(200 * MIB, 999), at(200 * MIB, 1_000), at(0, 2_000), at(200 * MIB, 2_500)], [1, 1, 0, 1, 1]);
});
pressure('ends at once without such a while', () => {
  const watch = watchOf({ evictionHard: { 'memory.available': '100Mi' } }, 0);
  const at = (available: number, now: number) => watch.observe(supply('memory.available', available), now).size;
  assert.equal([at(0, 0), at(200 * MIB, 1)], [1, 0]);
});
pressure('of a soft threshold begins when that has lasted', () => {
  const watch = watchOf({ evictionSoft: { 'memory.available': '100Mi' }, evictionSoftGracePeriod: { 'memory.available': '30s' } });
  const at = (available: number, now: number) => watch.observe(supply('memory.available', available), now).size;
  assert.equal([at(0, 0), at(0, 29_999), at(200 * MIB, 30_000), at(0, 31_000), at(0, 60_999), at(0, 61_000)], [0, 0, 0, 0, 0, 1]);
});
for (const off of ['0%', '100%'])
  pressure(`is never told of ${off}`, () => {
    const watch = watchOf({ evictionHard: { 'memory.available': off } });
    assert.is(watch.observe(supply('memory.available', 0), 0).size, 0);
  });
pressure('is not told of what cannot be measured', () => {
  assert.is(watchOf({ evictionHard: { 'memory.available': '100Mi' } }).observe(new Map(), 0).size, 0);
});
pressure.run();

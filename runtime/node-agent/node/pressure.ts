/**
 * Determines which resources of the node are short. A soft threshold counts once it has been crossed for its grace period, and pressure is still reported for
 * some time after it has ended.
 */
import type { Supplies } from './machine.ts';
import { isShort, type Threshold } from './thresholds.ts';

export const PRESSURES = ['MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;
export type Pressure = (typeof PRESSURES)[number];

/** The pressure by the first part of a signal's name. */
const PRESSURE_OF: Readonly<Record<string, Pressure>> = {
  memory: 'MemoryPressure',
  allocatableMemory: 'MemoryPressure',
  nodefs: 'DiskPressure',
  imagefs: 'DiskPressure',
  containerfs: 'DiskPressure',
  pid: 'PIDPressure',
};

export class PressureWatch {
  readonly #thresholds: readonly Threshold[];
  readonly #transition: number;
  /** the time since which each threshold is crossed, in milliseconds */
  readonly #shortSince = new Map<Threshold, number>();
  /** the time at which each pressure was seen last, in milliseconds */
  readonly #lastSeen = new Map<Pressure, number>();

  /** @param transition milliseconds for which pressure is still reported after it has ended */
  constructor(thresholds: readonly Threshold[], transition: number) {
    this.#thresholds = thresholds;
    this.#transition = transition;
  }

  /** Takes new measurements. @param now milliseconds of a monotonic clock. @returns the pressures to report */
  observe(supplies: Supplies, now: number): ReadonlySet<Pressure> {
    for (const threshold of this.#thresholds) {
      const supply = supplies.get(threshold.signal);
      if (supply === undefined || !isShort(threshold, supply)) {
        this.#shortSince.delete(threshold);
        continue;
      }
      const since = this.#shortSince.get(threshold) ?? now;
      this.#shortSince.set(threshold, since);
      const [place = ''] = threshold.signal.split('.');
      if (now - since >= threshold.grace) this.#lastSeen.set(PRESSURE_OF[place] as Pressure, now);
    }
    return new Set(PRESSURES.filter((each) => this.#isTold(each, now)));
  }

  #isTold(pressure: Pressure, now: number): boolean {
    const seen = this.#lastSeen.get(pressure);
    return seen !== undefined && (seen === now || now - seen < this.#transition);
  }
}

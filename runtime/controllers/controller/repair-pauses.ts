/**
 * How long whoever keeps an object waits before it is put right again. Another server may keep it otherwise: without pauses both would write as fast as the
 * store lets them, for ever.
 */

/** The milliseconds before the second of several successive repairs. */
const FIRST = 100;
/** The most milliseconds between two repairs. */
const LONGEST = 300_000;

interface Repaired {
  /** milliseconds, by the clock */
  readonly at: number;
  /** milliseconds until the next repair may be made */
  readonly pause: number;
}

export class RepairPauses {
  readonly #repaired = new Map<string, Repaired>();
  readonly #now: () => number;

  /** @param now milliseconds, of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @returns milliseconds until the object may be repaired; 0: now, which counts as done */
  begin(name: string): number {
    const now = this.#now();
    const last = this.#repaired.get(name);
    const left = last === undefined ? 0 : last.at + last.pause - now;
    if (left > 0) return left;
    // what has stayed right for as long again begins anew
    const again = last !== undefined && now - last.at < 2 * last.pause + FIRST;
    this.#repaired.set(name, { at: now, pause: again ? Math.min(LONGEST, 2 * last.pause) : FIRST });
    return 0;
  }

  /** @returns whether the object was repaired many times in a row */
  isContested(name: string): boolean {
    return (this.#repaired.get(name)?.pause ?? 0) >= 16 * FIRST;
  }

  forget(name: string): void {
    this.#repaired.delete(name);
  }
}

/** Looks through a store while the process has little to do, again and again. */
import { LONGEST_TIMER } from '../contract/longest-timer.ts';
import type { Finding, StoreVerification } from './storage.ts';

export interface IdleVerificationOptions {
  /** milliseconds from the beginning of one look to that of the next */
  readonly interval: number;
  begin(found: (finding: Finding) => void): StoreVerification | undefined;
  /** Is called for each finding, and again for the same one in each look. It must not throw. */
  found(finding: Finding): void;
  /** Is called at the end of each look. It must not throw. */
  ended(counts: StoreVerification['counts'], findings: number): void;
  /** Tells whether the process has little to do. It is called before every step. Default: by how much the process has worked since the last call. */
  readonly isIdle?: () => boolean;
}

/** Milliseconds of a step, and between two of them: it takes a hundredth of a processor at most. */
const STEP = 2;
const BETWEEN = 200;
/** Milliseconds before the first look: a start has enough to do. */
const FIRST = 600_000;
/** The largest part of its time in which an idle process works. */
const IDLE = 0.25;

export class IdleVerification {
  readonly #options: IdleVerificationOptions;
  readonly #isIdle: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: IdleVerificationOptions) {
    this.#options = options;
    this.#isIdle = options.isIdle ?? idleness();
  }

  start(): void {
    this.#after(Math.min(FIRST, this.#options.interval), () => this.#begin());
  }

  #after(milliseconds: number, then: () => void): void {
    if (this.#stopped) return;
    // a longer time is none for the runtime
    const now = Math.min(milliseconds, LONGEST_TIMER);
    this.#timer = setTimeout(() => (now < milliseconds ? this.#after(milliseconds - now, then) : then()), now).unref();
  }

  #begin(): void {
    const begun = performance.now();
    let findings = 0;
    const tell = (finding: Finding): void => {
      findings++;
      this.#options.found(finding);
    };
    const verification = this.#options.begin(tell);
    if (verification === undefined) return;
    const step = (): void => {
      if (!this.#isIdle() || this.#goesOn(verification, tell)) return this.#after(BETWEEN, step);
      this.#options.ended(verification.counts, findings);
      this.#after(Math.max(BETWEEN, this.#options.interval - (performance.now() - begun)), () => this.#begin());
    };
    step();
  }

  /** What ends it is a finding as well. */
  #goesOn(verification: StoreVerification, tell: (finding: Finding) => void): boolean {
    try {
      return verification.step(STEP);
    } catch (error) {
      tell({ key: undefined, revision: undefined, found: `it cannot be looked through: ${String(error)}` });
      return false;
    }
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
}

/** Makes a function that tells whether the process was idle since its last call. */
function idleness(): () => boolean {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization <= IDLE;
  };
}

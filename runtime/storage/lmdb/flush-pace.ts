/**
 * Whether a disk takes a flush in less time than it takes to have another thread wait for it: waking that thread, and being woken by it, costs a lone writer
 * a twentieth of all that its write takes.
 */

/** Milliseconds for which the event loop may wait for the disk: less than a long request holds it. */
const SWIFT_MILLISECONDS = 1;
/** Flushes in a row that are no longer, before the event loop waits for one. */
const SWIFT_IN_A_ROW = 16;

export class FlushPace {
  #swiftInARow = 0;

  get isSwift(): boolean {
    return this.#swiftInARow >= SWIFT_IN_A_ROW;
  }

  /** To be told of each flush, whichever thread waited for it. */
  took(milliseconds: number): void {
    this.#swiftInARow = milliseconds <= SWIFT_MILLISECONDS ? this.#swiftInARow + 1 : 0;
  }
}

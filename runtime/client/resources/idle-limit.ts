/** Notices that the other side has fallen silent, as one does whose machine or network is gone without a word. */
import { LongTimer } from '../timers/long-timer.ts';
import { ConnectionError } from '../transport/transport.ts';

/** No word came from the server for too long. */
export class WatchStalled extends ConnectionError {
  override readonly name = 'WatchStalled';
}

export class IdleLimit {
  /** aborted by the caller's signal, and with a WatchStalled after too long a silence */
  readonly signal: AbortSignal;
  readonly #stalled = new AbortController();
  readonly #what: string;
  readonly #milliseconds: () => number;
  #timer: LongTimer | undefined;

  /**
   * @param what of the request, for the error
   * @param milliseconds of silence at most; asked for anew whenever a word has come
   */
  constructor(what: string, milliseconds: () => number, signal: AbortSignal | undefined) {
    this.#what = what;
    this.#milliseconds = milliseconds;
    this.signal = signal === undefined ? this.#stalled.signal : AbortSignal.any([signal, this.#stalled.signal]);
    this.begin();
  }

  /** The other side has to say something from now on. */
  begin(): void {
    this.end();
    const milliseconds = this.#milliseconds();
    const stall = (): void =>
      this.#stalled.abort(new WatchStalled(`${this.#what}: the server said nothing for ${milliseconds} ms`, undefined));
    this.#timer = new LongTimer(milliseconds, stall);
  }

  /** Nobody waits for the other side. */
  end(): void {
    this.#timer?.cancel();
  }
}

/** Notices that the server has fallen silent, for example because its machine or network failed without closing the connection. */
import { LongTimer } from '../timers/long-timer.ts';
import { ConnectionError } from '../transport/transport.ts';

/** The server was silent for too long. */
export class WatchStalled extends ConnectionError {
  override readonly name = 'WatchStalled';
}

export class IdleLimit {
  /** is aborted with the caller's signal, or by a WatchStalled after too long a silence */
  readonly signal: AbortSignal;
  readonly #stalled = new AbortController();
  readonly #what: string;
  readonly #milliseconds: () => number;
  #timer: LongTimer | undefined;

  /**
   * @param what of the request, for the error
   * @param milliseconds returns the longest silence; is called again whenever the server has sent something
   */
  constructor(what: string, milliseconds: () => number, signal: AbortSignal | undefined) {
    this.#what = what;
    this.#milliseconds = milliseconds;
    this.signal = signal === undefined ? this.#stalled.signal : AbortSignal.any([signal, this.#stalled.signal]);
    this.begin();
  }

  /** Starts the time in which the server has to send something. */
  begin(): void {
    this.end();
    const milliseconds = this.#milliseconds();
    const stall = (): void =>
      this.#stalled.abort(new WatchStalled(`${this.#what}: the server said nothing for ${milliseconds} ms`, undefined));
    this.#timer = new LongTimer(milliseconds, stall);
  }

  /** Stops the time, because nobody waits for the server. */
  end(): void {
    this.#timer?.cancel();
  }
}

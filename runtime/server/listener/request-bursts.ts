import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import { firstTurn } from '../../event-loop/turns.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Milliseconds of a round of the event loop in which requests begin at once, and how many do: all begin before what they have to wait for goes on. */
const ROUND = 4;
const AT_ONCE = 32;

/**
 * Begins requests of HTTP/2. Node tells of all that it has read of a connection in one go, hundreds of requests perhaps: the first of them begin at once, the
 * others wait for their turn, so that nobody else waits for all of them. What its client has given up by then does not begin at all.
 */
export class RequestBursts {
  readonly #answer: Answer;
  /** when the first request of this round of the event loop was taken, by `performance.now()`; undefined: none was */
  #began: number | undefined;
  #count = 0;
  readonly #endRound = (): void => {
    this.#began = undefined;
  };

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  take(request: IncomingMessage, response: ServerResponse): unknown {
    const now = performance.now();
    if (this.#began === undefined) {
      this.#began = now;
      this.#count = 0;
      setImmediate(this.#endRound);
    }
    const begins = now - this.#began < ROUND && this.#count++ < AT_ONCE;
    return begins ? this.#answer(request, response) : this.#later(request, response);
  }

  async #later(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { stream } = request as IncomingMessage & { readonly stream: ServerHttp2Stream };
    await firstTurn();
    if (!stream.closed && !stream.destroyed) this.#answer(request, response);
  }
}

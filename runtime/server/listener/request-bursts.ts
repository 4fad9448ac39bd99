import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import { Beginnings } from '../../event-loop/turns.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * Begins requests of HTTP/2. Node tells of all that it has read of a connection in one go, hundreds of requests perhaps: the first of them begin at once, the
 * others wait for their turn, so that nobody else waits for all of them. What its client has given up by then does not begin at all.
 */
export class RequestBursts {
  readonly #answer: Answer;
  readonly #beginnings = new Beginnings();

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  take(request: IncomingMessage, response: ServerResponse): unknown {
    const turn = this.#beginnings.next();
    return turn === undefined ? this.#answer(request, response) : this.#later(turn, request, response);
  }

  async #later(turn: Promise<void>, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { stream } = request as IncomingMessage & { readonly stream: ServerHttp2Stream };
    await turn;
    if (!stream.closed && !stream.destroyed) this.#answer(request, response);
  }
}

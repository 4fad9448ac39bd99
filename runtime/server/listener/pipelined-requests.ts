import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];
type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A line of HTTP/1.1 may name any version: what came on HTTP/2 has a stream. */
export function isHttp2(request: IncomingMessage): boolean {
  return request.httpVersionMajor === 2 && 'stream' in request;
}

/** The requests of a connection. */
interface Turn {
  /** the answer to the request under way */
  current: ServerResponse | undefined;
  /** requests that wait for it */
  readonly queue: Exchange[];
  /** no more is read until the queue is empty */
  paused: boolean;
  /** will be paused in a moment */
  pausing: boolean;
  /** what is done when nothing is left to answer, because no request follows */
  last?: () => void;
}

/**
 * Answers the requests of one connection of HTTP/1.1 one after the other, as in 1.32, and reads no more of a connection than it is ready to answer.
 * Node begins each as soon as it has read its head, so that one connection could have any number of requests under way.
 */
export class PipelinedRequests {
  readonly #turns = new WeakMap<Socket, Turn>();
  readonly #answer: Answer;
  readonly #ended: (this: ServerResponse) => void;

  constructor(answer: Answer) {
    this.#answer = answer;
    const turns = this;
    // One function for all answers, which knows its answer as `this`: it is listened with for each.
    this.#ended = function () {
      turns.#next(this);
    };
  }

  /** Answers a request at once, or when those before it on its connection are answered. */
  take(request: IncomingMessage, response: ServerResponse): unknown {
    const { socket } = request;
    keepParsing(socket);
    let turn = this.#turns.get(socket);
    if (turn === undefined) {
      turn = { current: undefined, queue: [], paused: false, pausing: false };
      this.#turns.set(socket, turn);
    }
    if (turn.current === undefined) return this.#begin(turn, request, response);
    turn.queue.push([request, response]);
    // Later, and again for what was on its way already: Node reads on at the end of each message, a tick after it was told to.
    if (turn.pausing) return;
    turn.pausing = true;
    setImmediate(pause, socket, turn);
  }

  /** Answers of a connection of HTTP/1.1 that have not left yet, the one under way first. */
  answersOf(socket: Socket): readonly ServerResponse[] {
    const turn = this.#turns.get(socket);
    return turn?.current === undefined ? [] : [turn.current, ...turn.queue.map(([, response]) => response)];
  }

  /**
   * Refuses what came on a connection and is no request, when those before it are answered.
   * @param refuse ends the connection; it is called at once where the body of the request under way is what cannot be read
   */
  refuseAfterAnswers(socket: Socket, refuse: () => void): void {
    const turn = this.#turns.get(socket);
    if (turn?.queue.at(-1)?.[0].complete === false) turn.queue.pop();
    if (turn?.current?.req.complete && socket.writable) turn.last ??= refuse;
    else refuse();
  }

  #begin(turn: Turn, request: IncomingMessage, response: ServerResponse): unknown {
    turn.current = response;
    response.on('close', this.#ended);
    return this.#answer(request, response);
  }

  #next(ended: ServerResponse): void {
    const { socket } = ended.req;
    const turn = this.#turns.get(socket);
    // The answer to a request whose connection was taken over may be said to have closed twice.
    if (turn?.current !== ended) return;
    turn.current = undefined;
    if (turn.queue.length === 0) return socket.writable ? turn.last?.() : undefined;
    const exchange = socket.destroyed || !socket.writable ? undefined : turn.queue.shift();
    if (turn.paused && turn.queue.length === 0) {
      turn.paused = false;
      socket.resume();
    }
    if (exchange !== undefined) this.#begin(turn, ...exchange);
  }
}

/**
 * Undoes that Node pauses a connection where a request begins while an answer before it is still on its way: Node then pauses the parser, and breaks
 * the connection off with `HPE_PAUSED` when the parser is given what was read already, such as the request's body. How much of a connection is
 * read is bounded here instead. (`_paused` is Node's own mark, without which `resume` has no effect.)
 */
function keepParsing(socket: Socket & { _paused?: boolean }): void {
  if (socket._paused !== true) return;
  socket._paused = false;
  socket.resume();
}

function pause(socket: Socket, turn: Turn): void {
  turn.pausing = false;
  if (turn.queue.length === 0) return;
  turn.paused = true;
  socket.pause();
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];
type Answer = (...exchange: Exchange) => unknown;

/** A line of HTTP/1.1 may name any version: what came on HTTP/2 has a stream. */
export function isHttp2(request: IncomingMessage): boolean {
  return request.httpVersionMajor === 2 && 'stream' in request;
}

/** A connection that has a request under way. */
interface Turn {
  /** requests that wait for it */
  readonly queue: Exchange[];
  /** no more is read until the queue is empty */
  paused: boolean;
  /** will be paused in a moment */
  pausing: boolean;
}

/**
 * Answers the requests of one connection of HTTP/1.1 one after the other, as in 1.32, and reads no more of a connection than it is ready to answer.
 * Node begins each as soon as it has read its head, so that one connection could have any number of requests under way.
 */
export function inTurn(answer: Answer): Answer {
  const turns = new WeakMap<Socket, Turn>();
  const begin = (socket: Socket, turn: Turn, exchange: Exchange): void => {
    exchange[1].once('close', () => next(socket, turn));
    answer(...exchange);
  };
  const next = (socket: Socket, turn: Turn): void => {
    const exchange = socket.destroyed || !socket.writable ? undefined : turn.queue.shift();
    if (turn.paused && turn.queue.length === 0) {
      turn.paused = false;
      socket.resume();
    }
    if (exchange === undefined) turns.delete(socket);
    else begin(socket, turn, exchange);
  };
  return (...exchange) => {
    const [request] = exchange;
    if (isHttp2(request)) return answer(...exchange);
    const { socket } = request;
    keepParsing(socket);
    const turn = turns.get(socket);
    if (turn === undefined) {
      const first = { queue: [], paused: false, pausing: false };
      turns.set(socket, first);
      return begin(socket, first, exchange);
    }
    turn.queue.push(exchange);
    // Later, and again for what was on its way already: Node reads on at the end of each message, a tick after it was told to.
    if (turn.pausing) return;
    turn.pausing = true;
    setImmediate(pause, socket, turn);
  };
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

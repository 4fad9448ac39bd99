import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];
type Answer = (...exchange: Exchange) => unknown;

/**
 * Answers the requests of one connection of HTTP/1.1 one after the other, as in 1.32, and reads no more of a connection than it is ready to answer.
 * Node begins each as soon as it has read its head, so that one connection could have any number of requests under way.
 */
export function inTurn(answer: Answer): Answer {
  /** by connections that have a request under way: those that wait for it */
  const waiting = new WeakMap<Socket, Exchange[]>();
  const begin = (socket: Socket, exchange: Exchange): void => {
    exchange[1].once('close', () => next(socket));
    answer(...exchange);
  };
  const next = (socket: Socket): void => {
    const queue = waiting.get(socket);
    const exchange = socket.destroyed || !socket.writable ? undefined : queue?.shift();
    if (queue === undefined || queue.length === 0) socket.resume();
    if (exchange === undefined) waiting.delete(socket);
    else begin(socket, exchange);
  };
  return (...exchange) => {
    const [{ socket, httpVersionMajor }] = exchange;
    if (httpVersionMajor !== 1) return answer(...exchange);
    const queue = waiting.get(socket);
    if (queue === undefined) {
      waiting.set(socket, []);
      return begin(socket, exchange);
    }
    queue.push(exchange);
    // Later, for Node reads on at the end of each message.
    if (queue.length === 1) process.nextTick(() => queue.length > 0 && socket.pause());
  };
}

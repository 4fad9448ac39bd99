/** How long the body of a request may take to arrive on HTTP/1.1. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { upgradeProtocol } from './upgrade.ts';

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/** Ends the connection of a request that is not here in time. @param limit milliseconds */
export function limitArrival(request: IncomingMessage, response: ServerResponse, limit: number): void {
  const { headers, httpVersionMajor } = request;
  const hasBody = (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined;
  if (httpVersionMajor !== 1 || !hasBody || upgradeProtocol(request) !== '') return;
  const timer = setTimeout(() => endLate(request, response), limit).unref();
  timers.set(request, timer);
  request.once('close', () => clearTimeout(timer));
}

/** Lets the body take as long as it likes: another server takes it in, at its own pace. */
export function liftArrivalLimit(request: IncomingMessage): void {
  clearTimeout(timers.get(request));
}

function endLate(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  const { socket } = request;
  if (!response.headersSent) socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
  socket.destroySoon();
}

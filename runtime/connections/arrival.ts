/** How long the body of a request may take to arrive on HTTP/1.1. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { upgradeProtocol } from './upgrade.ts';

interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** milliseconds */
  readonly limit: number;
}

/** Requests whose heads have been read in this turn of the event loop: most bodies come with them, and need no timer. */
let arrived: Arrival[] = [];
/** The timers of requests. The value is undefined for a request that shall get none. */
const timers = new WeakMap<IncomingMessage, NodeJS.Timeout | undefined>();

/** Ends the connection of a request that is not here in time. @param limit milliseconds */
export function limitArrival(request: IncomingMessage, response: ServerResponse, limit: number): void {
  const { headers, httpVersionMajor } = request;
  const hasBody = (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined;
  if (httpVersionMajor !== 1 || !hasBody || upgradeProtocol(request) !== '') return;
  if (arrived.length === 0) setImmediate(limitOthers);
  arrived.push({ request, response, limit });
}

function limitOthers(): void {
  const begun = arrived;
  arrived = [];
  for (const arrival of begun) {
    const { request } = arrival;
    if (!request.complete && !request.destroyed && !timers.has(request)) limitOne(arrival);
  }
}

function limitOne({ request, response, limit }: Arrival): void {
  const timer = setTimeout(() => endLate(request, response), limit).unref();
  timers.set(request, timer);
  request.once('close', () => clearTimeout(timer));
}

/** Lets the body take as long as it likes: another server takes it in, at its own pace. */
export function liftArrivalLimit(request: IncomingMessage): void {
  clearTimeout(timers.get(request));
  timers.set(request, undefined);
}

function endLate(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  const { socket } = request;
  if (!response.headersSent) socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
  socket.destroySoon();
}

/** One request to a backend, on a connection of its own, so that no client can get the answer to another client's request. */

import { type ClientRequest, request as httpRequest, type IncomingMessage, type InformationEvent } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { BROKEN, exchangeProblem, hostPort, type SystemError } from '../connections/connection-problem.ts';
import { ExchangeError } from '../connections/exchange-error.ts';
import { type Dial, DialError, type Target } from './dial.ts';
import { ThrottledConnection } from './throttled-connection.ts';

export interface Outgoing {
  readonly target: Target;
  readonly method: string;
  /** percent-encoded, with the query */
  readonly path: string;
  /** names and values in turn, without headers about framing and the connection */
  readonly headers: readonly string[];
  /** absent: no body. It is sent in chunks unless `bodyLength` says its length in bytes. */
  readonly body?: Readable | undefined;
  readonly bodyLength?: string | undefined;
  /** the protocol to switch to, as the client spelt it; '' where the client asks for a switch and says not to what */
  readonly upgrade?: string | undefined;
}

export interface ExchangeOptions {
  readonly dial: Dial;
  /** milliseconds for the connection */
  readonly connectLimit: number;
  /** limit in each direction of a connection that has switched protocols; absent: no limit */
  readonly bytesPerSecond?: number | undefined;
  /** milliseconds from the connection until the head of the answer; absent: as long as the client waits */
  readonly headLimit?: number;
  /** is told of informational answers before the real one */
  readonly informed?: (information: Information) => void;
  /** aborts the exchange, and closes its connection */
  readonly signal: AbortSignal;
}

/** An answer before the real one, such as 103. */
export type Information = Pick<InformationEvent, 'statusCode' | 'statusMessage' | 'rawHeaders'>;

export interface Answer {
  readonly head: IncomingMessage;
  /** present after a switch of protocols: the connection, and the bytes that came behind the head. The answer has no body then. */
  readonly switched?: { readonly socket: Duplex; readonly rest: Buffer };
}

/** Most bytes of an answer's head. An answer with a longer one is an error. */
export const MAX_HEAD_BYTES = 64 * 1024;
export const MAX_HEADERS = 1_000;
/** Most informational answers, such as 100 and 103, before the real one (as in 1.32). */
const MAX_INFORMATION = 5;

/** @throws DialError, ExchangeError */
export async function exchange(outgoing: Outgoing, options: ExchangeOptions): Promise<Answer> {
  const { target } = outgoing;
  const socket = await options.dial(target, options.connectLimit);
  if (options.signal.aborted) {
    socket.destroy();
    throw new DialError('the client is gone');
  }
  const request = begin(outgoing, socket);
  const abort = (): void => void socket.destroy();
  options.signal.addEventListener('abort', abort, { once: true });
  socket.once('close', () => options.signal.removeEventListener('abort', abort));
  const answer = answerTo(request, outgoing, { headLimit: options.headLimit, informed: options.informed, problem: exchangeProblem });
  send(request, outgoing);
  const answered = await answer;
  if (answered.switched === undefined) answered.head.once('close', abort);
  else if (options.bytesPerSecond !== undefined) return throttled(answered, answered.switched, options.bytesPerSecond);
  return answered;
}

function throttled(answer: Answer, { socket, rest }: Required<Answer>['switched'], bytesPerSecond: number): Answer {
  return { ...answer, switched: { socket: new ThrottledConnection(socket, bytesPerSecond), rest } };
}

/** Sends the head at once, because a backend may answer before any of the body has come. (`flushHeaders` of Node would write it in UTF-8.) */
export function send(request: ClientRequest, { body }: Outgoing): void {
  if (body === undefined) return void request.end();
  request.write('', 'latin1');
  body.pipe(request);
}

/** @throws ExchangeError for a request that HTTP does not allow, such as one with spaces in its path */
function begin({ target, method, path, headers, ...rest }: Outgoing, socket: Duplex): ClientRequest {
  try {
    const request = httpRequest({
      createConnection: () => socket,
      host: hostPort(target.host, target.port),
      method,
      path,
      headers: [...headers, ...framing({ target, method, path, headers, ...rest }, 'keep-alive')],
      maxHeaderSize: MAX_HEAD_BYTES,
    });
    request.maxHeadersCount = MAX_HEADERS;
    return request;
  } catch (error) {
    socket.destroy();
    throw new ExchangeError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Headers about the connection and the length of the body. They replace the client's, so that exactly one says where the body ends.
 * @param afterwards `keep-alive`, although the connection is not used again: a backend that is asked to close it often does so in the middle of a body
 *   that it does not want, and then its answer is lost. Absent: Node's agent adds the header
 */
export function framing({ method, body, bodyLength, upgrade }: Outgoing, afterwards?: 'keep-alive'): string[] {
  const kept = afterwards === undefined ? [] : ['Connection', afterwards];
  const connection = upgrade === undefined ? kept : ['Connection', 'Upgrade', ...(upgrade === '' ? [] : ['Upgrade', upgrade])];
  if (body === undefined) return method === 'GET' || method === 'HEAD' ? connection : [...connection, 'Content-Length', '0'];
  return bodyLength === undefined ? [...connection, 'Transfer-Encoding', 'chunked'] : [...connection, 'Content-Length', bodyLength];
}

interface Awaiting {
  /** milliseconds; absent: as long as the client waits */
  readonly headLimit?: number | undefined;
  readonly informed?: ExchangeOptions['informed'] | undefined;
  /** the message for the client */
  readonly problem: (error: SystemError) => string;
}

/** Waits for the answer to a request that is being sent. @throws ExchangeError, with Node's error, if any, as its cause */
export function answerTo(request: ClientRequest, { upgrade, body }: Outgoing, { headLimit, informed, problem }: Awaiting): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let settled = false;
  const fail = (message: string, cause?: Error): void => {
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    request.destroy();
    reject(new ExchangeError(message, { cause }));
  };
  const succeed = (answer: Answer): void => {
    settled = true;
    clearTimeout(timer);
    resolve(answer);
  };
  const timer = headLimit === undefined ? undefined : setTimeout(() => fail('timeout awaiting response headers'), headLimit);
  request.on('response', (head) => {
    const problem = upgrade === undefined ? problemOfStatus(head.statusCode as number) : undefined;
    if (problem === undefined) succeed({ head });
    else fail(problem);
  });
  let count = 0;
  request.on('information', (information) => {
    if (++count > MAX_INFORMATION) fail('net/http: too many 1xx informational responses');
    else if (!settled) informed?.(information);
  });
  request.on('upgrade', (head, socket, rest) => {
    socket.on('error', () => {});
    if (upgrade === undefined || upgrade === '') fail(SWITCHED);
    else succeed({ head, switched: { socket, rest } });
  });
  request.on('error', (error) => {
    const told = problem(error);
    fail(upgrade !== undefined && told.startsWith(BROKEN) ? told.slice(BROKEN.length) : told, error);
  });
  request.on('close', () => {
    fail('EOF');
    // A backend that answers early reads no more of the body. The rest must still be read, because the client's next request comes behind it.
    body?.resume();
  });
  return promise;
}

const SWITCHED = 'the server switched protocols though nobody asked for it';

/** Why an answer with this status may not go to a client that did not ask to switch protocols. @returns undefined if it may */
function problemOfStatus(status: number): string | undefined {
  if (status >= 200) return undefined;
  return status === 101 ? SWITCHED : `malformed HTTP status code ${JSON.stringify(String(status).padStart(3, '0'))}`;
}

/** One request to another API server. It uses a kept connection if it may be sent again, otherwise a new one. */
import type { Agent, ClientRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { hostPort, requestProblem } from '../connections/connection-problem.ts';
import { ExchangeError } from '../connections/exchange-error.ts';
import { DialError } from '../relay/dial.ts';
import {
  type Answer,
  answerTo,
  type ExchangeOptions,
  framing,
  MAX_HEAD_BYTES,
  MAX_HEADERS,
  type Outgoing,
  send,
} from '../relay/exchange.ts';
import type { RemoteConnections } from './remote-connections.ts';
import type { TrustedService } from './remote-version.ts';

/** Milliseconds for the connection, and then for the TLS handshake, as in 1.32. */
const CONNECT_LIMIT = 30_000;
const HANDSHAKE_LIMIT = 10_000;

/** Methods whose requests may be sent again (RFC 9110 section 9.2.1). Others get a new connection, which no server ends before it has read the request. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** @throws ExchangeError; DialError for a switch of protocols where nobody was reached; ServiceError if the bundle of authorities is invalid */
export async function exchangeWith(
  remote: TrustedService,
  outgoing: Outgoing,
  connections: RemoteConnections,
  { signal, headLimit, informed }: Pick<ExchangeOptions, 'signal' | 'headLimit' | 'informed'>,
): Promise<Answer> {
  const { kept, single } = connections.of(remote);
  const mayRepeat = SAFE.has(outgoing.method) && outgoing.body === undefined && outgoing.upgrade === undefined;
  for (;;) {
    if (signal.aborted) throw new ExchangeError('context canceled');
    const request = begin(outgoing, mayRepeat ? kept : single);
    const connection = limitConnecting(request, outgoing);
    const abort = (): void => void request.destroy();
    signal.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal.removeEventListener('abort', abort));
    const answer = answerTo(request, outgoing, { headLimit, informed, problem: requestProblem });
    send(request, outgoing);
    try {
      return await answer;
    } catch (error) {
      if (outgoing.upgrade !== undefined && !connection.stands)
        throw new DialError((error as Error).message, { cause: (error as Error).cause });
      if (!(mayRepeat && request.reusedSocket && wasEnded(error))) throw error;
    }
  }
}

/** @throws ExchangeError for a request that HTTP does not allow, such as one with a line feed in a header */
function begin(outgoing: Outgoing, agent: Agent): ClientRequest {
  const { target, method, path, headers } = outgoing;
  try {
    const request = httpsRequest({
      agent,
      host: target.host,
      port: target.port,
      method,
      path,
      headers: [...headers, ...framing(outgoing)],
      maxHeaderSize: MAX_HEAD_BYTES,
    });
    request.maxHeadersCount = MAX_HEADERS;
    return request;
  } catch (error) {
    throw new ExchangeError(error instanceof Error ? error.message : String(error));
  }
}

/** @returns whether the connection has been made, by the time that somebody looks */
function limitConnecting(request: ClientRequest, { target }: Outgoing): { readonly stands: boolean } {
  const connection = { stands: false };
  request.once('socket', (socket) => {
    if (request.reusedSocket) return;
    const late =
      (message: string): (() => void) =>
      () =>
        void request.destroy(new Error(message));
    let timer = setTimeout(late(`dial tcp ${hostPort(target.host, target.port)}: i/o timeout`), CONNECT_LIMIT);
    socket.once('connect', () => {
      clearTimeout(timer);
      timer = setTimeout(late('net/http: TLS handshake timeout'), HANDSHAKE_LIMIT);
    });
    for (const event of ['secureConnect', 'close']) socket.once(event, () => clearTimeout(timer));
    socket.once('secureConnect', () => {
      connection.stands = true;
    });
  });
  return connection;
}

/** Whether the error is one of a kept connection that the server ended before it read the request. */
function wasEnded(error: unknown): boolean {
  const { code = '' } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** Sends requests as client-go does, over HTTP/1.1 or HTTP/2: what it may send again without a doubt it sends again, and nothing else. */
import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2, constants, type IncomingHttpHeaders } from 'node:http2';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Target {
  readonly port: number;
  readonly authority: string;
  readonly token: string;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** An answer whose body is read as it comes. */
export interface Received {
  readonly status: number;
  readonly retryAfter: number | undefined;
  /** the answer is the last of its connection */
  readonly isLast: boolean;
  readonly body: AsyncIterable<Buffer>;
}

/** A request was not answered. */
export class Unanswered extends Error {
  /** the server has not begun to work on it */
  readonly isUndone: boolean;

  constructor(message: string, isUndone: boolean) {
    super(message);
    this.isUndone = isUndone;
  }
}

export interface Exchange {
  /** @throws Unanswered */
  send(request: Sent): Promise<Received>;
  close(): void;
}

/** Milliseconds until a request is given up, whatever it waits for. */
const PATIENCE = 60_000;
/** Milliseconds before what could not be sent is sent again. */
const PAUSE = 50;
const MOST_ATTEMPTS = 100;

const headersOf = ({ token }: Target, { method, body }: Sent, text: string | undefined) => ({
  accept: 'application/json',
  authorization: `Bearer ${token}`,
  ...(body && {
    'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    'content-length': String(Buffer.byteLength(text as string)),
  }),
});

export class Http1 implements Exchange {
  readonly #target: Target;
  readonly #agent: https.Agent;

  constructor(target: Target) {
    this.#target = target;
    this.#agent = new https.Agent({ keepAlive: true, ca: target.authority });
  }

  send(request: Sent): Promise<Received> {
    const text = request.body && JSON.stringify(request.body);
    const { method, path } = request;
    const { promise, resolve, reject } = Promise.withResolvers<Received>();
    const headers = headersOf(this.#target, request, text);
    const sent = https.request({ host: '127.0.0.1', port: this.#target.port, method, path, headers, agent: this.#agent }, (response) => {
      sent.setTimeout(0);
      const { headers: answered, statusCode = 0 } = response;
      resolve({ status: statusCode, retryAfter: retryAfter(answered), isLast: answered.connection === 'close', body: response });
    });
    // what is sent before the handshake of TLS is over has not left
    let hasLeft = false;
    sent.on('socket', (socket) => {
      if (sent.reusedSocket) hasLeft = true;
      else socket.once('secureConnect', () => (hasLeft = true));
    });
    sent.on('error', (error) => reject(new Unanswered(`HTTP/1.1 ${method} ${path}: ${error.message}`, !hasLeft)));
    sent.setTimeout(PATIENCE, () => sent.destroy(new Error('no answer')));
    sent.end(text);
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}

export class Http2 implements Exchange {
  readonly #target: Target;
  #session: ClientHttp2Session | undefined;

  constructor(target: Target) {
    this.#target = target;
  }

  async send(request: Sent): Promise<Received> {
    const { method, path } = request;
    const session = await this.#connected();
    const text = request.body && JSON.stringify(request.body);
    let stream: ReturnType<ClientHttp2Session['request']>;
    try {
      stream = session.request({ ':method': method, ':path': path, ...headersOf(this.#target, request, text) });
    } catch (error) {
      throw new Unanswered(`HTTP/2 ${method} ${path}: ${(error as Error).message}`, true);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Received>();
    stream.on('response', (headers) =>
      resolve({ status: Number(headers[':status']), retryAfter: retryAfter(headers), isLast: false, body: stream }),
    );
    // By RFC 9113, section 8.7, a stream that is refused, or that GOAWAY says was not looked at, may be sent again.
    const isRefused = () => stream.rstCode === constants.NGHTTP2_REFUSED_STREAM || stream.id === undefined;
    const fail = (error?: Error): void =>
      reject(new Unanswered(`HTTP/2 ${method} ${path}: ${error?.message ?? `ended with code ${stream.rstCode}`}`, isRefused()));
    stream.on('error', fail);
    stream.on('close', () => fail());
    stream.setTimeout(PATIENCE, () => stream.close(constants.NGHTTP2_CANCEL));
    promise.then(
      () => stream.setTimeout(0),
      () => {},
    );
    stream.end(text);
    return promise;
  }

  async #connected(): Promise<ClientHttp2Session> {
    if (this.#session !== undefined && !this.#session.closed && !this.#session.destroyed) return this.#session;
    const session = connectHttp2(`https://127.0.0.1:${this.#target.port}`, { ca: this.#target.authority });
    session.on('error', () => {});
    try {
      await once(session, 'connect', { signal: AbortSignal.timeout(PATIENCE) });
    } catch (error) {
      session.destroy();
      throw new Unanswered(`HTTP/2: no connection: ${(error as Error).message}`, true);
    }
    this.#session = session;
    return session;
  }

  close(): void {
    this.#session?.destroy();
  }
}

function retryAfter({ 'retry-after': seconds }: IncomingHttpHeaders): number | undefined {
  return seconds === undefined ? undefined : 1_000 * Number(seconds);
}

export interface Retries {
  /** answers that said when to try again */
  told: number;
  /** requests that did not reach the server */
  undone: number;
  /** reads whose connection broke */
  reads: number;
  /** answers of HTTP/1.1 by which clients were sent away */
  lasts: number;
}

/**
 * Sends until there is an answer. As in client-go: 429 and 503 that say when to try again are waited for, a read whose connection broke is repeated, and what the
 * server has not begun is sent again.
 * @throws Unanswered for a write of which nobody knows whether it was done
 */
export async function sendWell(exchange: Exchange, request: Sent, retries: Retries): Promise<Received> {
  for (let attempt = 0; ; attempt++) {
    let wait = PAUSE;
    try {
      const received = await exchange.send(request);
      const { status, retryAfter: told, isLast } = received;
      if (isLast) retries.lasts++;
      if ((status !== 429 && status !== 503) || told === undefined || attempt === MOST_ATTEMPTS) return received;
      await Array.fromAsync(received.body);
      retries.told++;
      wait = told;
    } catch (error) {
      if (!(error instanceof Unanswered) || attempt === MOST_ATTEMPTS) throw error;
      if (error.isUndone) retries.undone++;
      else if (request.method === 'GET') retries.reads++;
      else throw error;
    }
    await sleep(wait);
  }
}

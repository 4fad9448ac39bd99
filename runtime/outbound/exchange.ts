/** One request to another server, bounded in time and in the size of the answer. Redirects are not followed. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { ConnectionSettings } from '../client/transport/connection-settings.ts';
import { bodyOf } from '../client/transport/read-body.ts';
import { plainMessage } from '../client/transport/tls-failure.ts';
import { ConnectionError, Transport } from '../client/transport/transport.ts';

/** Another server; requests go to its URL where they name none. */
export type Peer = ConnectionSettings;

export interface Exchange {
  readonly method: 'GET' | 'POST';
  /** absent: that of the peer */
  readonly url?: URL;
  /** absent: the credentials of the peer */
  readonly authorization?: string | undefined;
  /** sent as JSON */
  readonly body?: unknown;
  /** JSON that is sent as it stands, in place of `body` */
  readonly json?: string;
  /** milliseconds for all of it */
  readonly timeout: number;
  /** gives it up */
  readonly signal?: AbortSignal | undefined;
  /** bytes of the answer's body at most */
  readonly maxBytes: number;
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A request that got no whole answer. */
export class ExchangeError extends Error {}

export class ExchangeTimeout extends ExchangeError {}

/** Connections that are kept for later, where the peer's settings say nothing of it. */
const IDLE_CONNECTIONS = 4;

/** A peer with the connections to it that are kept for later. */
export class PeerConnection {
  readonly #url: URL;
  readonly #transport: Transport;

  /** @throws TypeError for a peer whose URL is none of http or https */
  constructor(peer: Peer) {
    this.#url = new URL(peer.server);
    this.#transport = new Transport({ limits: { idle: IDLE_CONNECTIONS }, ...peer });
  }

  /** @throws ExchangeError without a whole answer; the reason of the signal */
  async exchange({
    method,
    url = this.#url,
    authorization,
    body,
    json,
    timeout,
    maxBytes,
    signal: ending,
  }: Exchange): Promise<ExchangeAnswer> {
    const payload = json ?? (body === undefined ? undefined : JSON.stringify(body));
    const headers = {
      accept: 'application/json',
      ...(authorization !== undefined && { authorization }),
      ...(payload !== undefined && { 'content-type': 'application/json' }),
    };
    const limit = new TimeLimit(timeout, ending);
    try {
      // a question may be asked twice
      const sent = { method, path: url, headers, signal: limit.signal, repeatable: true, ...(payload !== undefined && { body: payload }) };
      const answer = await this.#transport.send(sent);
      return { status: answer.statusCode, headers: answer.headers, body: await whole(bodyOf(answer), maxBytes) };
    } catch (error) {
      const what = `${method} ${url.origin}${url.pathname}`;
      if (ending?.aborted === true) throw ending.reason;
      if (limit.isOver) throw new ExchangeTimeout(`${what}: no answer in ${timeout} ms`, { cause: error });
      const cause = error instanceof ConnectionError ? error.cause : error;
      throw new ExchangeError(`${what}: ${plainMessage(cause)}`, { cause });
    } finally {
      limit.end();
    }
  }

  /** Ends the connections that are kept. */
  close(): void {
    void this.#transport.close();
  }
}

/** A signal that is aborted when the time is over, or with another one. It costs less than Node's own signals of both kinds together. */
class TimeLimit {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #ending: AbortSignal | undefined;
  isOver = false;

  /** @param milliseconds of the time */
  constructor(milliseconds: number, ending: AbortSignal | undefined) {
    this.#ending = ending;
    this.#timer = setTimeout(() => {
      this.isOver = true;
      this.#controller.abort();
    }, milliseconds).unref();
    if (ending?.aborted) this.#pass();
    else ending?.addEventListener('abort', this.#pass);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Nobody waits any longer. */
  end(): void {
    clearTimeout(this.#timer);
    this.#ending?.removeEventListener('abort', this.#pass);
  }

  readonly #pass = (): void => this.#controller.abort(this.#ending?.reason);
}

/** @throws Error where it is larger, or ends too early */
function whole(body: Readable, maxBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const parts: Buffer[] = [];
  let size = 0;
  body.on('data', (part: Buffer) => {
    parts.push(part);
    size += part.length;
    if (size > maxBytes) body.destroy(new Error(`the answer is larger than ${maxBytes} bytes`));
  });
  body.on('end', () => resolve(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)));
  body.on('error', reject);
  // of an answer that was ended before anybody read it
  body.on('close', () => reject(body.errored ?? new Error('aborted')));
  if (body.destroyed) reject(body.errored ?? new Error('aborted'));
  return promise;
}

/** One request to another server, bounded in time and in the size of the answer. Redirects are not followed. */
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { plainMessage } from '../client/transport/tls-failure.ts';

export interface Peer {
  /** http or https; paths are below it */
  readonly url: URL;
  readonly tls: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> & {
    /** name that the certificate must have; absent: the host of the address */
    readonly servername?: string;
    /** false believes any certificate */
    readonly rejectUnauthorized?: boolean;
  };
  /** credentials, read anew for each request */
  readonly authorization?: () => string | undefined;
  /** finds the address of the host; absent: by DNS */
  readonly lookup?: LookupFunction;
}

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
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A request that got no whole answer. */
export class ExchangeError extends Error {}

export class ExchangeTimeout extends ExchangeError {}

/** Milliseconds for which a connection is kept that nobody uses, as in 1.32. */
const IDLE = 90_000;

/** A peer with the connections to it that are kept for later. */
export class PeerConnection {
  readonly #peer: Peer;
  readonly #agent: http.Agent;

  constructor(peer: Peer) {
    this.#peer = peer;
    const { lookup } = peer;
    const options = { keepAlive: true, maxSockets: 64, maxFreeSockets: 4, timeout: IDLE, ...(lookup && { lookup }) };
    this.#agent = peer.url.protocol === 'https:' ? new https.Agent({ ...options, ...peer.tls }) : new http.Agent(options);
  }

  /** @throws ExchangeError without a whole answer; the reason of the signal */
  async exchange({
    method,
    url = this.#peer.url,
    authorization = this.#peer.authorization?.(),
    body,
    json,
    timeout,
    maxBytes,
    signal: ending,
  }: Exchange): Promise<ExchangeAnswer> {
    const payload = json ?? (body === undefined ? undefined : JSON.stringify(body));
    const headers: http.OutgoingHttpHeaders = {
      accept: 'application/json',
      ...(authorization !== undefined && { authorization }),
      ...(payload !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
    };
    try {
      const limit = AbortSignal.timeout(timeout);
      const signal = ending === undefined ? limit : AbortSignal.any([limit, ending]);
      return await send(url, { method, headers, agent: this.#agent, signal }, payload, maxBytes);
    } catch (error) {
      const what = `${method} ${url.origin}${url.pathname}`;
      if (ending?.aborted === true) throw ending.reason;
      if (error instanceof Error && error.name === 'AbortError')
        throw new ExchangeTimeout(`${what}: no answer in ${timeout} ms`, { cause: error });
      throw new ExchangeError(`${what}: ${plainMessage(error)}`, { cause: error });
    }
  }

  /** Ends the connections that are kept. */
  close(): void {
    this.#agent.destroy();
  }
}

function send(url: URL, options: http.RequestOptions, payload: string | undefined, maxBytes: number): Promise<ExchangeAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ExchangeAnswer>();
  let isAnswered = false;
  const request = (url.protocol === 'https:' ? https : http).request(url, options, (response) => {
    isAnswered = true;
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxBytes) request.destroy(new Error(`the answer is larger than ${maxBytes} bytes`));
    });
    response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
    response.on('error', reject);
  });
  request.on('error', (error: NodeJS.ErrnoException) => {
    // a server may end a connection that was kept just when it is used again: it has not read the request
    const isStale = request.reusedSocket && !isAnswered && error.code === 'ECONNRESET';
    if (isStale) send(url, options, payload, maxBytes).then(resolve, reject);
    else reject(error);
  });
  request.end(payload);
  return promise;
}

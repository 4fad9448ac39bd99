/** Sends requests to one server, each with the present credentials. Answers are given before their bodies have arrived. */
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { unlessAborted } from '../timers/unless-aborted.ts';
import { AgentPool } from './agent-pool.ts';
import {
  type ConnectionSettings,
  type Credential,
  type Credentials,
  fixedCredentials,
  impersonationHeaders,
} from './connection-settings.ts';
import { plainMessage } from './tls-failure.ts';

export interface TransportRequest {
  readonly method: string;
  /** path and query below the server's own path, or a complete URL of the server */
  readonly path: string | URL;
  readonly headers?: Readonly<Record<string, http.OutgoingHttpHeader>>;
  readonly body?: string | Buffer;
  /** ends the request or its answer with its reason */
  readonly signal?: AbortSignal | undefined;
  /** whether the answer lasts, as that of a watch; it then does not count towards the limit of connections */
  readonly isStream?: boolean | undefined;
  /** whether it may be sent again if the server ended the kept connection at the same time; default: true for a GET */
  readonly repeatable?: boolean;
}

/** An answer whose body is still to be read. */
export type TransportAnswer = http.IncomingMessage & { readonly statusCode: number };

/** A connection that has switched to another protocol. */
export interface SwitchedConnection {
  readonly headers: http.IncomingHttpHeaders;
  readonly socket: Duplex;
  /** bytes that arrived behind the answer's headers */
  readonly head: Buffer;
}

/** Tells the two results apart: answers have a socket too, but no `head`. */
export const isSwitched = (answer: SwitchedConnection | TransportAnswer): answer is SwitchedConnection => 'head' in answer;

/** A request got no answer, or only a part of one. The message names the server, the cause tells what happened. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';
  /** code of the system, such as `ECONNREFUSED` */
  readonly code: string | undefined;

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.code = (cause as NodeJS.ErrnoException | undefined)?.code;
  }
}

export const UNAUTHORIZED = 401;

export type Headers = Readonly<Record<string, http.OutgoingHttpHeader>>;

export class Transport {
  readonly server: URL;
  protected readonly agents: AgentPool;
  protected readonly credentials: Credentials | undefined;
  readonly #headers: Headers;
  /** whether bodies must be bytes: Node writes the head together with a text body as UTF-8, which would spoil headers that are Latin-1 */
  readonly #hasBytes: boolean;
  /** the server's own path, without a slash at its end */
  readonly #base: string;
  /** connections that were switched to other protocols; the agents no longer know them */
  readonly #switched = new Set<Duplex>();
  #ending = new AbortController();

  /** @throws TypeError for a server that is not a URL with http or https */
  constructor(settings: ConnectionSettings) {
    this.server = new URL(settings.server);
    if (!/^https?:$/.test(this.server.protocol)) throw new TypeError(`${this.server.protocol} is neither http nor https`);
    this.#base = this.server.pathname.replace(/\/+$/, '');
    this.agents = new AgentPool(this.server, settings);
    this.credentials = settings.credentials ?? fixedCredentials(settings);
    this.#headers = {
      ...(settings.userAgent !== undefined && { 'user-agent': settings.userAgent }),
      ...(settings.impersonate !== undefined && impersonationHeaders(settings.impersonate)),
    };
    this.#hasBytes = /[^ -~]/.test(Object.values(this.#headers).flat().join(''));
  }

  /**
   * Sends a request. If the server refuses the credentials, it is sent once more with new ones. Redirects are not followed.
   * @throws ConnectionError if there is no answer; the reason of the signal; what the credentials throw
   */
  async send(request: TransportRequest): Promise<TransportAnswer> {
    const answer = await this.#authorized(request);
    if (!isSwitched(answer)) return answer;
    answer.socket.destroy();
    const cause = new Error('the server switched protocols, which nobody has asked for');
    throw connectionError(request.method, this.urlOf(request.path), cause);
  }

  protected headersFor({ authorization }: Credential, body: string | Buffer | undefined, method: string): Headers {
    return {
      ...this.#headers,
      ...(authorization !== undefined && { authorization }),
      ...((body !== undefined || method === 'POST') && { 'content-length': body === undefined ? 0 : Buffer.byteLength(body) }),
    };
  }

  /**
   * Asks the server to switch to another protocol.
   * @param request its headers name the protocol
   * @returns the switched connection, or the answer if the server does not switch
   * @throws what `send` throws
   */
  async switchProtocols(request: TransportRequest): Promise<SwitchedConnection | TransportAnswer> {
    const { ending } = this;
    const answer = await this.#authorized({ ...request, isStream: true });
    if (!isSwitched(answer)) return answer;
    const { socket } = answer;
    this.#switched.add(socket.once('close', () => this.#switched.delete(socket)));
    if (ending.aborted) socket.destroy(ending.reason);
    return answer;
  }

  /** Ends all connections, also those in use; later requests make new ones. Resolves when all sockets are closed. */
  async close(): Promise<void> {
    const closed = new ConnectionError('the client is closed', undefined);
    const ending = this.#ending;
    this.#ending = new AbortController();
    // requests end before their connections: some have none yet, and those on kept connections would be sent again on new ones
    ending.abort(closed);
    const switched = [...this.#switched].map((socket) => once(socket.destroy(closed), 'close').catch(() => {}));
    await Promise.all([...switched, this.agents.close()]);
  }

  /** is aborted by a ConnectionError when `close` is called; after that it is another signal */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  async #authorized(request: TransportRequest): Promise<TransportAnswer | SwitchedConnection> {
    const { credentials, ending } = this;
    const credential = credentials === undefined ? {} : await this.credentialFor(request, ending);
    const answer = await this.#exchange(request, credential, ending);
    if (isSwitched(answer) || answer.statusCode !== UNAUTHORIZED || !credentials?.refused(credential)) return answer;
    answer.resume();
    return this.#exchange(request, await this.credentialFor(request, ending), ending);
  }

  /**
   * Gets the credentials. The wait ends with the signal, but a credential program goes on, because other requests may wait for it.
   * @throws the reason of the signal; ConnectionError if `ending` is aborted; what the credentials throw
   */
  protected async credentialFor({ method, path, signal }: TransportRequest, ending: AbortSignal): Promise<Credential> {
    const given = this.credentials?.get() ?? {};
    if (!(given instanceof Promise)) return given;
    try {
      return await unlessAborted(unlessAborted(given, ending), signal);
    } catch (error) {
      if (!ending.aborted || signal?.aborted) throw error;
      throw connectionError(method, this.urlOf(path), ending.reason);
    }
  }

  protected urlOf(path: string | URL): URL {
    return typeof path === 'string' ? new URL(`${this.#base}${path}`, this.server) : path;
  }

  async #exchange(request: TransportRequest, credential: Credential, ending: AbortSignal): Promise<TransportAnswer | SwitchedConnection> {
    const url = this.urlOf(request.path);
    const { body } = request;
    const isRepeatable = request.repeatable ?? request.method === 'GET';
    try {
      const route = this.agents.route(url, credential.certificate, request.isStream ?? false);
      const headers = { ...route.headers, ...this.headersFor(credential, body, ''), ...request.headers };
      const sent = this.#hasBytes && typeof body === 'string' ? { ...request, body: Buffer.from(body) } : request;
      const options = { ...route, method: request.method, headers, signal: ending };
      return await send(url, options, { ...sent, repeatable: isRepeatable });
    } catch (error) {
      request.signal?.throwIfAborted();
      throw connectionError(request.method, url, ending.reason ?? error);
    }
  }
}

export const connectionError = (method: string, { origin, pathname }: URL, cause: unknown): ConnectionError =>
  new ConnectionError(`${method} ${origin}${pathname}: ${plainMessage(cause)}`, cause);

function send(url: URL, options: http.RequestOptions, sent: TransportRequest): Promise<TransportAnswer | SwitchedConnection> {
  const { promise, resolve, reject } = Promise.withResolvers<TransportAnswer | SwitchedConnection>();
  const request = ((options.protocol ?? url.protocol) === 'https:' ? https : http).request(url, options);
  const { signal } = sent;
  let answer: TransportAnswer | undefined;
  // the reader of the answer gets the reason of the end
  const abort = (): unknown => (answer ?? request).destroy(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  request.on('close', () => signal?.removeEventListener('abort', abort));
  request.on('response', (response) => {
    answer = response as TransportAnswer;
    // an error before somebody reads is kept for the reader
    answer.on('error', () => {});
    resolve(answer);
  });
  request.on('upgrade', ({ headers }, socket, head) => {
    signal?.removeEventListener('abort', abort);
    resolve({ headers, socket, head });
  });
  request.on('error', (error: NodeJS.ErrnoException) => {
    // the server may have ended a kept connection just when it was used again: it has not read the request then
    const isStale = request.reusedSocket && answer === undefined && error.code === 'ECONNRESET';
    if (isStale && sent.repeatable && !signal?.aborted) send(url, options, sent).then(resolve, reject);
    else reject(error);
  });
  if (signal?.aborted) abort();
  else request.end(sent.body);
  return promise;
}

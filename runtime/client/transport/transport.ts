/** Sends requests to one server, each with the credentials that count at that moment, and gives what comes back as it comes. */
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
  /** below the server's own path, with its query; or a whole URL of the server */
  readonly path: string | URL;
  readonly headers?: Readonly<Record<string, http.OutgoingHttpHeader>>;
  readonly body?: string | Buffer;
  /** ends the request, or the answer under way, with its reason */
  readonly signal?: AbortSignal | undefined;
  /** the answer lasts, so nothing waits for its end */
  readonly isStream?: boolean | undefined;
  /** may be sent again on a connection that the server ended at the same time; true for a GET */
  readonly repeatable?: boolean;
}

/** An answer whose body is still to be read. */
export type TransportAnswer = http.IncomingMessage & { readonly statusCode: number };

/** A connection that has switched to another protocol. */
export interface SwitchedConnection {
  readonly headers: http.IncomingHttpHeaders;
  readonly socket: Duplex;
  /** what came behind the answer's headers */
  readonly head: Buffer;
}

/** Answers have sockets as well, but no beginning of what follows. */
export const isSwitched = (answer: SwitchedConnection | TransportAnswer): answer is SwitchedConnection => 'head' in answer;

/** A request that got no answer, or not a whole one. The message names the server, the cause says what happened. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';
  /** of the system, such as `ECONNREFUSED` */
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
  /** Node writes a head together with a text, as UTF-8: one that has bytes as Latin-1 needs a body in bytes */
  readonly #hasBytes: boolean;
  /** path of the server, without a slash at its end */
  readonly #base: string;
  /** connections that other protocols have now, which the agents know no longer */
  readonly #switched = new Set<Duplex>();
  #ending = new AbortController();

  /** @throws TypeError for a server that is no URL, or one of another scheme */
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
   * Credentials that the server refuses are asked for anew, once. Redirects are not followed.
   * @throws ConnectionError without an answer; the reason of the signal; what the credentials throw
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
   * Asks to switch protocols.
   * @param request its headers say to which
   * @returns the answer where the server does not switch
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

  /** Ends all connections, those of requests under way as well; later requests make new ones. Resolves when nothing of them is left. */
  async close(): Promise<void> {
    const closed = new ConnectionError('the client is closed', undefined);
    const ending = this.#ending;
    this.#ending = new AbortController();
    // before their connections end: some have none yet, and those on one that was kept would be sent again on another
    ending.abort(closed);
    const switched = [...this.#switched].map((socket) => once(socket.destroy(closed), 'close').catch(() => {}));
    await Promise.all([...switched, this.agents.close()]);
  }

  /** Of what is under way: aborted with `close`, by a ConnectionError. */
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
   * Whoever gives up waits no longer for a program that gets credentials; it goes on for others.
   * @throws the reason of the signal; ConnectionError where `ending` is aborted; what the credentials throw
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
  // whoever reads the answer hears why it ended
  const abort = (): unknown => (answer ?? request).destroy(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  request.on('close', () => signal?.removeEventListener('abort', abort));
  request.on('response', (response) => {
    answer = response as TransportAnswer;
    // a failure before somebody reads is one that the reader meets
    answer.on('error', () => {});
    resolve(answer);
  });
  request.on('upgrade', ({ headers }, socket, head) => {
    signal?.removeEventListener('abort', abort);
    resolve({ headers, socket, head });
  });
  request.on('error', (error: NodeJS.ErrnoException) => {
    // the server may end a connection that was kept just when it is used again: it has not read the request
    const isStale = request.reusedSocket && answer === undefined && error.code === 'ECONNRESET';
    if (isStale && sent.repeatable && !signal?.aborted) send(url, options, sent).then(resolve, reject);
    else reject(error);
  });
  if (signal?.aborted) abort();
  else request.end(sent.body);
  return promise;
}

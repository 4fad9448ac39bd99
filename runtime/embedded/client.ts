/** Requests to one server, with its administrator's rights: what a test needs where it has no client library. */

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { parseNativeJson } from '../schema/native-json.ts';
import type { ClientConfig } from './client-config.ts';

/** Answers to these have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

export class Client {
  readonly #config: ClientConfig;
  readonly #agent: Agent;

  constructor(config: ClientConfig) {
    this.#config = config;
    this.#agent = new Agent({ ca: config.certificateAuthority, keepAlive: true });
  }

  /**
   * The global `fetch`, for paths of this server, which it trusts. A request without `Authorization` is the administrator's.
   * @param path with its query, such as `/api/v1/namespaces?limit=5`
   * @throws TypeError for a request that is none; Error of the system when the server is gone; the signal's reason when that is aborted
   */
  async fetch(path: string, init?: RequestInit): Promise<Response> {
    const wanted = new Request(new URL(path, this.#config.server), init);
    if (!wanted.headers.has('authorization')) wanted.headers.set('authorization', `Bearer ${this.#config.token}`);
    const body = wanted.body === null ? undefined : Buffer.from(await wanted.arrayBuffer());
    return this.#send(wanted, body);
  }

  /**
   * Sends an object as JSON, and gives the object of the answer.
   * @param body of a patch: a merge patch. @throws ApiError for every answer that is no success
   */
  // biome-ignore lint/suspicious/noExplicitAny: objects of the API are of many types, which the caller knows
  async request(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<any> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const response = await this.fetch(path, {
      method,
      headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new ApiError(response.status, text);
    return parseNativeJson(text);
  }

  /** Ends its connections. Resolves when nothing of them is left. */
  async close(): Promise<void> {
    const sockets = [this.#agent.sockets, this.#agent.freeSockets].flatMap((each) => Object.values(each).flatMap((some) => some ?? []));
    const closed = sockets.filter((socket) => !socket.closed).map((socket) => once(socket, 'close'));
    this.#agent.destroy();
    await Promise.all(closed);
    // Node frees what TLS has of a connection a moment after its end
    await setImmediate();
  }

  #send({ url, method, headers, signal }: Request, body: Buffer | undefined): Promise<Response> {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const length = body !== undefined && { 'content-length': body.length };
    const sent = request(url, { agent: this.#agent, method, headers: { ...Object.fromEntries(headers), ...length } });
    let answer: IncomingMessage | undefined;
    // whoever reads the answer hears why it ended
    const abort = (): unknown => (answer ?? sent).destroy(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    sent.on('close', () => signal.removeEventListener('abort', abort));
    sent.on('error', reject);
    sent.on('response', (response) => {
      answer = response;
      resolve(responseOf(response));
    });
    if (signal.aborted) abort();
    else sent.end(body);
    return promise;
  }
}

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = answer;
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string);
  if (!BODILESS.has(status)) return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status, statusText, headers });
  answer.resume();
  return new Response(null, { status, statusText, headers });
}

/** The server has refused a request. */
export class ApiError extends Error {
  /** of HTTP */
  readonly code: number;
  /** such as `NotFound`; undefined where the answer is no Status */
  readonly reason: string | undefined;
  /** the answer's text, a Status as JSON nearly always */
  readonly body: string;

  constructor(code: number, body: string) {
    const { message = body, reason } = statusOf(body);
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.reason = reason;
    this.body = body;
  }
}

function statusOf(body: string): { readonly message?: string; readonly reason?: string } {
  try {
    const parsed: unknown = parseNativeJson(body);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

/** A small client of our own: one token, JSON both ways, nothing hidden. */
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { parse } from 'yaml';
import { identity as identityData } from '../../generated/identity.ts';
import { createIdentity } from '../../runtime/contract/identity.ts';
import type { TestServer } from './server.ts';
import { Watch } from './watch.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every kind, and assert on what they find
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** the body, parsed where the content type is JSON; undefined where it is not */
  readonly body: Json;
  /** the body as it came */
  readonly text: string;
}

export interface ReceivedAnswer extends Answer {
  /** the body, which may be no text */
  readonly bytes: Buffer;
}

export interface RequestOptions {
  readonly headers?: OutgoingHttpHeaders;
  /** text and bytes are sent as they are, anything else as JSON */
  readonly body?: unknown;
  /** milliseconds until the request is given up; 30,000 by default */
  readonly timeout?: number;
}

/** Bytes of an answer's head: one with warnings may have many. */
const MOST_HEADERS = 1024 * 1024;

export class Client {
  readonly #server: TestServer;
  readonly #token: string;
  readonly #agent: https.Agent;
  readonly #text: (template: string) => string;

  /** @param token '' asks anonymously; the administrator's by default */
  constructor(server: TestServer, token: string = server.tokens.admin) {
    this.#server = server;
    this.#token = token;
    this.#agent = new https.Agent({ keepAlive: true, maxSockets: 64, ca: authority(server) });
    this.#text = createIdentity(identityData, server.dialect).text;
  }

  /** A text with the names of the server's dialect in place of `${groupDomain}`, `${labelDomain}` … */
  name(template: string): string {
    return this.#text(template);
  }

  get(path: string, headers?: OutgoingHttpHeaders): Promise<ReceivedAnswer> {
    return this.request('GET', path, { headers });
  }

  post(path: string, body: unknown, headers?: OutgoingHttpHeaders): Promise<Answer> {
    return this.request('POST', path, { headers, body });
  }

  put(path: string, body: unknown, headers?: OutgoingHttpHeaders): Promise<Answer> {
    return this.request('PUT', path, { headers, body });
  }

  /** @param type media type of the patch without the `+json` */
  patch(path: string, body: unknown, type = 'application/merge-patch', headers?: OutgoingHttpHeaders): Promise<Answer> {
    return this.request('PATCH', path, { headers: { 'content-type': `${type}+json`, ...headers }, body });
  }

  delete(path: string, body?: unknown, headers?: OutgoingHttpHeaders): Promise<Answer> {
    return this.request('DELETE', path, { headers, body });
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<ReceivedAnswer> {
    const response = await this.#send(method, path, options);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const text = bytes.toString('utf8');
    const json = /^application\/(?:[\w.-]+\+)?json\b/.test(response.headers['content-type'] ?? '');
    const body = json && text !== '' ? JSON.parse(text) : undefined;
    return { status: response.statusCode as number, headers: response.headers, body, bytes, text };
  }

  /** Opens a watch. `path` has its own query, `watch=1` included. @throws Error when the answer is not 200 */
  async watch(path: string, headers?: OutgoingHttpHeaders): Promise<Watch> {
    const response = await this.#send('GET', path, { headers });
    if (response.statusCode !== 200) throw new Error(`watching ${path}: ${response.statusCode} ${await Array.fromAsync(response)}`);
    return new Watch(response);
  }

  /** Ends the connections that are kept for later. */
  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, { headers = {}, body, timeout = 30_000 }: RequestOptions): Promise<IncomingMessage> {
    const payload = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const all: OutgoingHttpHeaders = { accept: 'application/json', ...headers };
    if (this.#token !== '') all.authorization = `Bearer ${this.#token}`;
    if (payload !== undefined) {
      all['content-type'] ??= 'application/json';
      if (all['transfer-encoding'] === undefined) all['content-length'] ??= Buffer.byteLength(payload);
    }
    return new Promise((resolve, reject) => {
      const request = https.request(
        this.#server.url + path,
        { method, headers: all, agent: this.#agent, maxHeaderSize: MOST_HEADERS },
        (response) => {
          request.setTimeout(0);
          resolve(response);
        },
      );
      request.on('error', reject);
      request.setTimeout(timeout, () => request.destroy(new Error(`no answer to ${method} ${path} in ${timeout} ms`)));
      request.end(payload);
    });
  }
}

/** PEM of the authority that signed the server's certificate, from the administrator's client configuration. */
export function authority(server: TestServer): string {
  const configuration = parse(readFileSync(server.kubeconfig, 'utf8'));
  return Buffer.from(configuration.clusters[0].cluster['certificate-authority-data'], 'base64').toString();
}

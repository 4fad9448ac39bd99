/** A server in this process, for tests of what one handler answers. */
import { setImmediate } from 'node:timers/promises';
import type { Dialect, EmbeddedServer, ServerFlags } from '../../../runtime/embedded/start-server.ts';
import { startServer } from '../../../runtime/embedded/start-server.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** parsed where it is JSON */
  // biome-ignore lint/suspicious/noExplicitAny: answers are of many kinds
  readonly body: any;
}

export interface Question {
  readonly body?: unknown;
  /** of the body; default JSON */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const MERGE = 'application/merge-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';
export const APPLY = 'application/apply-patch+yaml';

export class AskedServer {
  readonly embedded: EmbeddedServer;

  private constructor(embedded: EmbeddedServer) {
    this.embedded = embedded;
  }

  static async start(dialect: Dialect = 'kubernetes', flags: ServerFlags = {}): Promise<AskedServer> {
    const server = new AskedServer(await startServer({ dialect, flags }));
    // a controller of the server's own gives it to each namespace
    while ((await server.get('/api/v1/namespaces/default/configmaps')).body.items.length === 0) await setImmediate();
    return server;
  }

  async ask(method: string, path: string, { body, type = 'application/json', headers = {} }: Question = {}): Promise<Answer> {
    const sent = body === undefined ? {} : { body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) };
    const answer = await this.embedded.client.fetch(path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': type }), ...headers },
      ...sent,
    });
    const text = await answer.text();
    const isJson = /json/.test(answer.headers.get('content-type') ?? '') && text !== '';
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
  }

  get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> => this.ask('GET', path, { headers });
  post = (path: string, body: unknown): Promise<Answer> => this.ask('POST', path, { body });

  stop(): Promise<void> {
    return this.embedded.stop();
  }
}

/** What a refusal says: its status, its reason and its message. */
export const refusal = ({ status, body }: Answer): readonly [number, string, string] => [status, body.reason, body.message];

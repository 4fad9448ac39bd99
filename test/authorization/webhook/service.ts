/** A service that decides, on loopback: it answers what a test tells it to, and remembers what it was asked. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: tests look into reviews of both versions
type Review = any;

export interface Reply {
  /** of the HTTP answer; 200 where it is absent */
  readonly code?: number;
  readonly status?: object;
  /** in place of a review */
  readonly text?: string;
  /** there is no answer as long as the client waits */
  readonly never?: boolean;
  /** milliseconds before the answer */
  readonly delay?: number;
}

export class DecidingService {
  readonly asked: Review[] = [];
  reply: (review: Review) => Reply = () => ({ status: { allowed: true } });
  readonly #server = http.createServer((request, response) => void this.#answer(request, response));

  readonly #left = Promise.withResolvers<void>();

  /** Resolves when a client that gets no answer has gone. */
  left(): Promise<void> {
    return this.#left.promise;
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/authorize`;
  }

  /** a client configuration that leads here */
  get kubeconfig(): string {
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: this.url } }],
      users: [{ name: 'u', user: { token: 'secret' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString());
    this.asked.push(review);
    const { code = 200, status, text, delay = 0, never = false } = this.reply(review);
    if (never) {
      await once(response, 'close');
      this.#left.resolve();
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, delay));
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(text ?? JSON.stringify({ ...review, status }));
  }
}

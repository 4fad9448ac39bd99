/**
 * A plain TCP balancer before one server: it looks at /readyz all the time, hands connections to the server while that answers 200, and lets new ones wait while it does
 * not. It knows nothing of TLS or HTTP on the connections that it carries, and ends none by itself.
 */
import { once } from 'node:events';
import https from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between looks, and for one. */
const INTERVAL = 100;
const PATIENCE = 1_000;

export class Balancer {
  readonly port: number;
  /** of the server */
  readonly #target: number;
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();
  #waiting: Socket[] = [];
  #isReady = false;
  #isClosed = false;
  readonly #looking: Promise<void>;

  private constructor(target: number, listener: Server) {
    this.#target = target;
    this.#listener = listener;
    this.port = (listener.address() as AddressInfo).port;
    listener.on('connection', (client) => {
      this.#keep(client);
      this.#handOn(client);
    });
    this.#looking = this.#look();
  }

  static async start(target: number): Promise<Balancer> {
    // an end of one side is passed on, and nothing that is on its way is lost for it
    const listener = createServer({ allowHalfOpen: true, noDelay: true }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new Balancer(target, listener);
  }

  /** connections that it carries, or that wait */
  get connections(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listener.close();
    for (const socket of this.#sockets) socket.destroy();
    await this.#looking;
  }

  async #look(): Promise<void> {
    while (!this.#isClosed) {
      this.#isReady = await isReady(this.#target);
      if (this.#isReady) for (const client of this.#waiting.splice(0)) this.#handOn(client);
      await sleep(INTERVAL);
    }
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {});
  }

  #handOn(client: Socket): void {
    if (client.destroyed) return;
    if (!this.#isReady) return void this.#waiting.push(client);
    const server = connect({ port: this.#target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    this.#keep(server);
    server.once('connect', () => {
      server.removeListener('error', refused);
      client.pipe(server);
      server.pipe(client);
      for (const [one, other] of [
        [client, server],
        [server, client],
      ] as const)
        one.on('close', () => one.errored !== null && other.destroy());
    });
    const refused = (): void => {
      this.#isReady = false;
      this.#waiting.push(client);
    };
    server.once('error', refused);
  }
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = https.get(
      { host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, agent: false, timeout: PATIENCE },
      (response) => {
        response.resume();
        response.on('close', () => resolve(response.statusCode === 200));
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}

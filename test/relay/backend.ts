/** A machine on loopback that relays lead to, and a front whose clients they serve. */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Context } from 'koa';
import { ClientAnswer } from '../../runtime/connections/client-answer.ts';
import { offerUpgrade } from '../../runtime/connections/upgrade.ts';
import { dial, type Target } from '../../runtime/relay/dial.ts';
import type { ExchangeOptions, Outgoing } from '../../runtime/relay/exchange.ts';
import type { RelayServer } from '../../runtime/relay/relay-server.ts';
import { newNotFound } from '../../runtime/status/status.ts';
import { identity } from '../kinds/context.ts';

export class Backend {
  readonly server = http.createServer((request, response) => this.answer(request, response));
  answer: (request: IncomingMessage, response: ServerResponse) => unknown = (_, response) => response.end();

  readonly #sockets = new Set<Socket>();

  async start(): Promise<this> {
    this.server.on('connection', (socket) => this.#sockets.add(socket));
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get target(): Target {
    return { host: '127.0.0.1', port: this.port };
  }

  /** Switches every connection that asks for it. */
  switches(take: (socket: Duplex, head: Buffer, request: IncomingMessage) => void, lines = 'Upgrade: echo'): this {
    this.server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => {});
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n${lines}\r\n\r\n`);
      take(socket, head, request);
    });
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    // those that have switched are no longer the server's
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

export const outgoing = (target: Target, more: Partial<Outgoing> = {}): Outgoing => ({
  target,
  method: 'GET',
  path: '/',
  headers: ['Host', 'x'],
  ...more,
});

export const options = (signal = new AbortController().signal): ExchangeOptions => ({ dial, connectLimit: 5_000, signal });

/** What a request's handler has of it, as far as relays look. */
export function contextOf(req: IncomingMessage, res: ServerResponse): Context {
  return { req, res, state: { answer: new ClientAnswer(res) } } as unknown as Context;
}

/** A server whose requests, switches among them, are handed to `relay`. */
export async function front(relay: (context: Context) => unknown): Promise<Backend> {
  const served = new Backend();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    Promise.resolve(relay(contextOf(request, response))).catch((error) => {
      response.statusCode = 500;
      response.end(String(error.message));
    });
  };
  served.answer = handle;
  served.server.on('upgrade', (request, socket, head) => offerUpgrade(request, socket, head, handle));
  return served.start();
}

/** All that comes for the lines of a request, until the other side ends. */
export async function say(port: number, text: string): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write(text);
  let answer = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    answer += chunk;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return answer;
}

/** A server with these objects, by `resource/namespace/name`. */
export function serverWith(objects: Readonly<Record<string, object>>, nodeAgents: object = {}): RelayServer {
  const resource = (_group: string, _version: string, name: string) => ({ name });
  return {
    identity,
    registry: { current: { resource } },
    outbound: {
      dial,
      nodeAgents: { tls: {}, preferredAddressTypes: ['Hostname', 'InternalIP'], port: 10_250, connectLimit: 5_000, ...nodeAgents },
    },
    store: ({ name: plural }: { name: string }) => ({
      get(namespace: string, name: string) {
        const object = objects[`${plural}/${namespace}/${name}`];
        if (object === undefined) throw newNotFound({ group: '', resource: plural }, name);
        return { object: { metadata: { name, namespace }, ...object } };
      },
      entry: (namespace: string, name: string) => objects[`${plural}/${namespace}/${name}`],
      decodeEntry: (object: object) => object,
    }),
  } as unknown as RelayServer;
}

/** What a promise comes to, in a line. */
export const outcomeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    (value) => JSON.stringify(value),
    (error) => `${error.status?.code ?? error.name}: ${error.message}`,
  );

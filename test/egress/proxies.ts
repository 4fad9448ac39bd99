/** Proxies of the test's own: one that is asked by CONNECT, one of KEP-1281. What they are asked for leads to where the test says. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type Server as HttpServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { Server as GrpcServer, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { type Packet, PacketType, ProxyService } from '../../generated/node-interfaces/network-proxy.ts';
import type { Sparse } from '../../runtime/contract/node-interface.ts';
import { decodeWireMessage, encodeWireMessage } from '../../runtime/schema/protobuf/wire-messages.ts';

/** The port on loopback that an address leads to. @returns undefined: the proxy refuses it */
export type Lead = (address: string) => number | undefined;

/** What is left of a test that fails is not to keep its process. */
const ends = new Set<() => void>();
process.once('exit', () => {
  for (const end of ends) end();
});

/** A path for a socket, in a folder that goes with the process. */
export function socketPath(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'egress-proxy-'));
  ends.add(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, 'proxy.sock');
}

export class ConnectProxy {
  /** addresses that it was asked for, in turn */
  readonly asked: string[] = [];
  readonly #server: HttpServer;
  readonly #sockets = new Set<Socket>();

  /** @param tls absent: it speaks no TLS */
  constructor(lead: Lead, tls?: SecureContextOptions & { readonly requestCert?: boolean }) {
    this.#server = tls === undefined ? createHttpServer() : createTlsServer(tls);
    this.#server.on('connect', ({ url = '' }: IncomingMessage, client: Socket) => {
      this.asked.push(url);
      const port = lead(url);
      if (port === undefined) return void client.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
      const onward = connect(port, '127.0.0.1', () => client.write('HTTP/1.1 200 Connection established\r\n\r\n'));
      for (const [one, other] of [
        [client, onward],
        [onward, client],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => {}).on('close', () => other.destroy());
      }
      client.pipe(onward).pipe(client);
    });
  }

  /** @param at path of a socket; absent: a free port */
  async listen(at?: string): Promise<this> {
    if (at === undefined) this.#server.listen(0, '127.0.0.1');
    else this.#server.listen(at);
    await once(this.#server, 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export type Call = ServerDuplexStream<Packet, Sparse<Packet>>;

/** Of KEP-1281, at the path of a socket. */
export async function servePackets(at: string, serve: (call: Call) => void): Promise<GrpcServer> {
  const { path: name, request, answer } = ProxyService.Proxy;
  const definition = {
    path: name,
    requestStream: true,
    responseStream: true,
    requestSerialize: () => Buffer.alloc(0),
    requestDeserialize: (bytes: Buffer) => decodeWireMessage(request, bytes),
    responseSerialize: (message: Sparse<Packet> | Buffer) => (Buffer.isBuffer(message) ? message : encodeWireMessage(answer, message)),
    responseDeserialize: () => ({}),
  };
  const server = new GrpcServer();
  server.addService({ Proxy: definition }, { Proxy: serve });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${at}`, ServerCredentials.createInsecure(), (error) => (error === null ? resolve() : reject(error)));
  });
  return server;
}

export class KonnectivityServer {
  readonly asked: string[] = [];
  /** types of the packets that came, but for data */
  readonly heard: number[] = [];
  /** dials that nothing is answered to */
  silent = false;
  readonly #lead: Lead;
  #server: GrpcServer | undefined;
  readonly #calls = new Set<Call>();

  constructor(lead: Lead) {
    this.#lead = lead;
  }

  /** connections that are led now */
  get open(): number {
    return this.#calls.size;
  }

  #serve(call: Call): void {
    this.#calls.add(call);
    let onward: Socket | undefined;
    const leave = (): void => {
      this.#calls.delete(call);
      onward?.destroy();
    };
    call.on('cancelled', leave).on('error', leave);
    call.on('end', () => call.end());
    call.on('data', ({ type, dialRequest, data }: Packet) => {
      if (type !== PacketType.DATA) this.heard.push(type);
      if (type === PacketType.DIAL_REQ && dialRequest) onward = this.#dial(call, dialRequest);
      else if (type === PacketType.DATA && data) onward?.write(data.data);
      else if (type === PacketType.CLOSE_REQ) {
        call.write({ type: PacketType.CLOSE_RSP, closeResponse: { connectID: ID } });
        leave();
      }
    });
  }

  #dial(call: Call, { address, random }: NonNullable<Packet['dialRequest']>): Socket | undefined {
    this.asked.push(address);
    if (this.silent) return undefined;
    const port = this.#lead(address);
    const answer = (dialResponse: Sparse<Packet>['dialResponse']) =>
      call.write({ type: PacketType.DIAL_RSP, dialResponse: { random, ...dialResponse } });
    if (port === undefined) return void answer({ error: 'no agent is there' });
    const onward = connect(port, '127.0.0.1', () => answer({ connectID: ID }));
    onward.on('error', () => {});
    onward.on('data', (data: Buffer) => {
      if (call.write({ type: PacketType.DATA, data: { connectID: ID, data } })) return;
      onward.pause();
      call.once('drain', () => onward.resume());
    });
    onward.on('close', () => call.write({ type: PacketType.CLOSE_RSP, closeResponse: { connectID: ID } }));
    return onward;
  }

  async listen(at: string): Promise<this> {
    this.#server = await servePackets(at, (call) => this.#serve(call));
    return this;
  }

  /** Ends calls under way, too. */
  stop(): void {
    this.#server?.forceShutdown();
  }
}

/** Of the connection of each call. */
export const ID = 7n;

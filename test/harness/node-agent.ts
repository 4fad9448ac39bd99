/** A node agent written for tests: logs, commands, attached terminals and forwarded ports over TLS on loopback, in WebSocket and SPDY. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type Duplex, PassThrough, Writable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Certificates, ensureCertificates } from '../../runtime/server/certificates/certificates.ts';
import { answerPort, exitStatus, run } from './agent-commands.ts';
import { SpdyConnection, type SpdyStream } from './spdy.ts';

/** In the network of `pod-network.ts`: `proxy` leads to no agent on loopback. */
export const AGENT_ADDRESS = '10.99.0.100';

/** What the agent was asked. */
export interface Asked {
  readonly method: string;
  /** with the query */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** Common Name of the client certificate that was shown; '' for none */
  readonly client: string;
}

/** Deals with a request before the agent does. @returns whether it has */
export type Misbehaviour = (request: IncomingMessage, socket: Duplex) => boolean;

/** Of commands, over WebSocket and in SPDY alike: version 5 is for servers that translate it. */
const PROTOCOLS = ['v4.channel.k8s.io'];

export class NodeAgent {
  readonly port: number;
  /** its authority, its own certificate, and a client certificate for who talks to it */
  readonly certificates: Certificates;
  readonly asked: Asked[] = [];
  /** of every container's log */
  readonly lines: string[] = ['first line', 'second line'];
  misbehaviour: Misbehaviour | undefined;
  /** answers requests on paths that are not the agent's own */
  answer: (request: IncomingMessage, response: ServerResponse) => void = (request, response) => {
    response.setHeader('content-type', 'text/plain').end(`agent: ${request.method} ${request.url}`);
  };
  readonly #server: Server;
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => PROTOCOLS.find((protocol) => offered.has(protocol)) ?? false,
  });
  readonly #followers = new Set<ServerResponse>();
  readonly #sockets = new Set<Duplex>();

  private constructor(server: Server, certificates: Certificates) {
    this.#server = server;
    this.certificates = certificates;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket)).on('error', () => {});
    });
    server.on('request', (request, response) => {
      this.#note(request);
      if (this.misbehaviour?.(request, request.socket) !== true) this.#request(request, response);
    });
    server.on('upgrade', (request, socket, head) => {
      this.#note(request);
      socket.on('error', () => {});
      if (this.misbehaviour?.(request, socket) !== true) this.#upgrade(request, socket, head);
    });
  }

  /** @param directory for its certificates */
  static async start(directory: string): Promise<NodeAgent> {
    const certificates = await ensureCertificates({
      folder: path.join(directory, 'node-agent'),
      names: ['127.0.0.1', 'localhost', AGENT_ADDRESS],
      administrator: 'apiserver-of-the-test',
    });
    const { certificate: cert, key } = certificates.serving;
    const server = createServer({ cert, key, requestCert: true, rejectUnauthorized: false });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new NodeAgent(server, certificates);
  }

  /** Adds a line to all logs, and tells who follows them. */
  addLine(line: string): void {
    this.lines.push(line);
    for (const follower of this.#followers) follower.write(`${line}\n`);
  }

  get followers(): number {
    return this.#followers.size;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Ends all connections. */
  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.disconnect();
    await once(this.#server, 'close');
  }

  #note(request: IncomingMessage): void {
    const certificate = (request.socket as TLSSocket).getPeerCertificate();
    const client = String(certificate?.subject?.CN ?? '');
    this.asked.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, client });
  }

  #request(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = urlOf(request);
    if (!pathname.startsWith('/containerLogs/')) return this.answer(request, response);
    const tail = searchParams.get('tailLines');
    const shown = tail === null ? this.lines : this.lines.slice(this.lines.length - Number(tail));
    response.setHeader('content-type', 'text/plain');
    response.write(shown.map((line) => `${line}\n`).join(''));
    if (searchParams.get('follow') !== 'true') return void response.end();
    this.#followers.add(response);
    response.on('close', () => this.#followers.delete(response));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (request.headers.upgrade?.toLowerCase() === 'spdy/3.1') return overSpdy(request, socket, head);
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
    if (!offered.some((protocol) => PROTOCOLS.includes(protocol)))
      return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 19\r\n\r\nunknown subprotocol');
    this.#webSockets.handleUpgrade(request, socket, head, (client) => {
      client.on('error', () => {});
      void overChannels(request, client);
    });
  }
}

function urlOf({ url = '' }: IncomingMessage): URL {
  return new URL(url, 'https://agent');
}

/** `attach` runs what repeats its input. */
function commandOf(request: IncomingMessage): string[] {
  const { pathname, searchParams } = urlOf(request);
  return pathname.startsWith('/attach/') ? ['cat'] : searchParams.getAll('command');
}

const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3 };

async function overChannels(request: IncomingMessage, client: WebSocket): Promise<void> {
  const stdin = new PassThrough();
  client.on('message', (data: Buffer) => {
    if (data[0] === CHANNELS.stdin) stdin.write(data.subarray(1));
  });
  client.on('close', () => stdin.end());
  const channel = (number: number): Writable =>
    new Writable({
      write: (chunk, _encoding, done) => client.send(Buffer.concat([Buffer.from([number]), chunk]), () => done()),
    });
  const [stdout, stderr] = [channel(CHANNELS.stdout), channel(CHANNELS.stderr)];
  const code = await run(commandOf(request), { stdin, stdout, stderr, sizes: undefined });
  await ended(stdout, stderr);
  channel(CHANNELS.error).write(JSON.stringify(exitStatus(code)), () => client.close(1000));
}

function overSpdy(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const offered = String(request.headers['x-stream-protocol-version'] ?? '').split(', ');
  const forPorts = request.url?.startsWith('/portForward/') ?? false;
  const version = offered.find((each) => forPorts || PROTOCOLS.includes(each)) ?? '';
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: SPDY/3.1', `X-Stream-Protocol-Version: ${version}`];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  if (head.length > 0) socket.unshift(head);
  if (forPorts) new SpdyConnection(socket, forwardStream);
  else commandOverSpdy(request, socket);
}

/** Parameters of the request that ask for a stream. */
const ASKED_FOR = { stdin: 'input', stdout: 'output', stderr: 'error', resize: 'tty' };

function commandOverSpdy(request: IncomingMessage, socket: Duplex): void {
  const { searchParams } = urlOf(request);
  const awaited = new Set([
    'error',
    ...Object.entries(ASKED_FOR).flatMap(([name, parameter]) =>
      searchParams.has(parameter) && !(name === 'stderr' && searchParams.has('tty')) ? [name] : [],
    ),
  ]);
  const streams = new Map<string, SpdyStream>();
  const connection = new SpdyConnection(socket, async (stream) => {
    const type = stream.headers.streamtype ?? '';
    streams.set(type, stream);
    if (!awaited.delete(type) || awaited.size > 0) return;
    const [stdin, stdout, stderr, error, sizes] = ['stdin', 'stdout', 'stderr', 'error', 'resize'].map((name) => streams.get(name));
    const code = await run(commandOf(request), { stdin, stdout, stderr, sizes });
    await ended(stdout, stderr);
    error?.end(JSON.stringify(exitStatus(code)), () => connection.end());
  });
}

/** Nothing is said of the end before all that was written is sent. */
async function ended(...streams: readonly (Writable | undefined)[]): Promise<void> {
  await Promise.all(streams.map((stream) => stream && new Promise<void>((resolve) => stream.end(resolve))));
}

/** A connection to a port is a pair of streams: one for its bytes, one for what goes wrong. */
function forwardStream(stream: SpdyStream): void {
  if (stream.headers.streamtype === 'data') void answerPort(stream, stream.headers.port ?? '');
  else stream.end();
}

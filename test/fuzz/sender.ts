/** Sends a request over HTTP/1.1 or HTTP/2, or opens a WebSocket and sends frames, and waits for what comes of it. */
import http2 from 'node:http2';
import https from 'node:https';
import { authority } from '../harness/client.ts';
import { connect } from '../harness/raw.ts';
import type { TestServer } from '../harness/server.ts';
import type { Random } from './random.ts';
import type { FuzzRequest } from './requests.ts';

export interface FuzzAnswer {
  /** 0 where the server closed the connection without an answer */
  readonly status: number;
  readonly text: string;
  /** the answer is a stream, of which only the beginning was read */
  readonly streams: boolean;
}

/** Milliseconds for an answer, those of streams and of other servers included; what a request costs is measured elsewhere. */
const PATIENCE = 15_000;
/** Characters of an answer that are kept. */
const KEPT = 20_000;
const SILENCE: FuzzAnswer = { status: 0, text: '', streams: false };

export class Sender {
  readonly #server: TestServer;
  readonly #agent: https.Agent;
  readonly #authorization: string;
  #session: http2.ClientHttp2Session | undefined;

  constructor(server: TestServer) {
    this.#server = server;
    this.#agent = new https.Agent({ keepAlive: true, ca: authority(server) });
    this.#authorization = `Bearer ${server.tokens.admin}`;
  }

  /** @throws TypeError for what a client of Node's cannot send */
  overHttp1({ method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
    const { promise, resolve } = Promise.withResolvers<FuzzAnswer>();
    const sent = https.request(
      { host: '127.0.0.1', port: this.#server.port, method, path, agent: this.#agent, timeout: PATIENCE },
      (response) => {
        const streams = isStream(path);
        const chunks = new Beginning(response.statusCode as number, streams);
        if (streams && response.statusCode === 200) response.once('data', () => response.destroy());
        response.on('data', (chunk: Buffer) => chunks.add(chunk));
        response.on('close', () => resolve(chunks.answer()));
        // a stream without events has only its head
        if (streams && response.statusCode === 200) setImmediate(() => response.destroy());
      },
    );
    sent.setHeader('authorization', this.#authorization);
    for (const [name, value] of Object.entries(headers)) sent.setHeader(name, value);
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(SILENCE));
    sent.end(body);
    return promise;
  }

  /** @throws TypeError for what a client of Node's cannot send */
  overHttp2({ method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
    const { promise, resolve } = Promise.withResolvers<FuzzAnswer>();
    const { expect: _, ...sendable } = headers;
    const head = { ...sendable, ':method': method, ':path': path, authorization: this.#authorization };
    // otherwise a GET has no body
    const stream = this.#open().request(head, { endStream: body === undefined });
    let chunks = new Beginning(0, false);
    stream.setTimeout(PATIENCE, () => stream.close(http2.constants.NGHTTP2_CANCEL));
    stream.on('response', ({ ':status': status = 0 }) => {
      const streams = isStream(path);
      chunks = new Beginning(status, streams);
      if (streams && status === 200) setImmediate(() => stream.close(http2.constants.NGHTTP2_CANCEL));
    });
    stream.on('data', (chunk: Buffer) => chunks.add(chunk));
    stream.on('error', () => {});
    stream.on('close', () => {
      // a connection that the server gave up has no more answers
      if (chunks.answer().status === 0) this.#session?.destroy();
      resolve(chunks.answer());
    });
    stream.end(body);
    return promise;
  }

  /** Frames that nobody should send, behind a right beginning. */
  async overWebSocket(path: string, random: Random): Promise<FuzzAnswer> {
    const socket = await connect(this.#server);
    const lines = [
      `GET ${path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: ${this.#authorization}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      `Sec-WebSocket-Version: ${random.chance(0.95) ? 13 : random.below(20)}`,
      ...(random.chance(0.8) ? [`Origin: ${random.oneOf(['https://console.example', 'null', 'x'])}`] : []),
      `Sec-WebSocket-Key: ${random.chance(0.95) ? 'AAAAAAAAAAAAAAAAAAAAAA==' : 'x'}`,
      ...(random.chance(0.5)
        ? [`Sec-WebSocket-Protocol: ${random.oneOf(['v4.channel.k8s.io', 'v5.channel.k8s.io', 'base64.binary.k8s.io', 'x'])}`]
        : []),
    ];
    const frames = random.list(6, () => frame(random));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // a whole frame that asks for the end comes last, behind whatever was half
    socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), ...frames, Buffer.from([0x88, 0x80, 0, 0, 0, 0])]));
    const timer = setTimeout(() => socket.destroy(), PATIENCE);
    // a reset is an end too
    if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
    clearTimeout(timer);
    const text = Buffer.concat(chunks).toString('latin1');
    return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text: text.slice(0, KEPT), streams: true };
  }

  close(): void {
    this.#agent.destroy();
    this.#session?.destroy();
  }

  #open(): http2.ClientHttp2Session {
    if (this.#session !== undefined && !this.#session.closed && !this.#session.destroyed) return this.#session;
    this.#session = http2.connect(`https://127.0.0.1:${this.#server.port}`, { ca: authority(this.#server) });
    this.#session.on('error', () => {});
    return this.#session;
  }
}

class Beginning {
  readonly #status: number;
  readonly #streams: boolean;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(status: number, streams: boolean) {
    this.#status = status;
    this.#streams = streams;
  }

  add(chunk: Buffer): void {
    if (this.#length < KEPT) this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  answer(): FuzzAnswer {
    return { status: this.#status, text: Buffer.concat(this.#chunks).toString('latin1', 0, KEPT), streams: this.#streams };
  }
}

const isStream = (path: string): boolean => /watch|follow|\/log\b|\/proxy\b/.test(path);

/** A frame as RFC 6455 section 5.2 has it, masked as a rule; its length may be a lie. */
function frame(random: Random): Buffer {
  const payload = random.bytes(random.chance(0.1) ? 300 : 30);
  const first = random.chance(0.8) ? random.oneOf([0x81, 0x82, 0x01, 0x80, 0x89, 0x8a, 0x88]) : random.below(256);
  const mask = random.chance(0.9) ? 0x80 : 0;
  const told = random.chance(0.95) ? payload.length : random.below(2 ** 31);
  const head =
    told < 126
      ? Buffer.from([first, mask | told])
      : told < 2 ** 16
        ? Buffer.from([first, mask | 126, told >> 8, told & 0xff])
        : Buffer.concat([Buffer.from([first, mask | 127, 0, 0, 0, 0]), uint32(told)]);
  return Buffer.concat([head, mask === 0 ? Buffer.alloc(0) : Buffer.alloc(4), payload]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

/**
 * The client's side of a WebSocket (RFC 6455) over a switched connection. Node's own class accepts neither headers nor certificates.
 * Messages are read one after the other, and a slow reader slows the server down.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ConnectionError, type SwitchedConnection } from './transport.ts';

export interface WebSocketLimits {
  /** the most bytes of a message */
  readonly maxMessage: number;
  /** milliseconds between two pings; if the server does not answer until the next one, the connection counts as broken */
  readonly pingInterval: number;
}

const DEFAULTS: WebSocketLimits = { maxMessage: 16 * 1024 * 1024, pingInterval: 30_000 };

const CONTINUATION = 0;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

const FINAL = 0x80;
const RESERVED = 0x70;
const MASKED = 0x80;
const MAX_CONTROL = 125;

const NORMAL = 1000;
const PROTOCOL_ERROR = 1002;
const TOO_BIG = 1009;

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export interface Handshake {
  readonly headers: Readonly<Record<string, string>>;
  /** @throws ConnectionError if the server's answer does not complete the handshake */
  check(switched: SwitchedConnection): void;
}

/** @param protocols subprotocols in the order of preference */
export function handshake(protocols: readonly string[]): Handshake {
  const key = randomBytes(16).toString('base64');
  const accepted = createHash('sha1')
    .update(key + GUID)
    .digest('base64');
  return {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': key,
      'sec-websocket-protocol': protocols.join(', '),
    },
    check({ headers, socket }) {
      const chosen = String(headers['sec-websocket-protocol'] ?? '');
      if (headers['sec-websocket-accept'] === accepted && protocols.includes(chosen)) return;
      socket.destroy();
      throw new ConnectionError(`the server answers the handshake wrongly, with the protocol ${JSON.stringify(chosen)}`, undefined);
    },
  };
}

/** How a WebSocket ended. */
export interface Closing {
  readonly code: number;
  readonly reason: string;
}

interface Frame {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly payload: Buffer;
}

export class WebSocketConnection {
  /** the subprotocol that the server has chosen among the offered ones */
  readonly protocol: string;
  readonly #socket: Duplex;
  readonly #limits: WebSocketLimits;
  #unread: Buffer;
  #closing: Closing | undefined;
  #isAnswered = true;
  /** whether a reader waits: pings need an answer only then, because a slow reader does not see the answer either */
  #isReading = false;
  #pings: NodeJS.Timeout | undefined;

  constructor({ socket, head, headers }: SwitchedConnection, limits: Partial<WebSocketLimits> = {}) {
    this.protocol = String(headers['sec-websocket-protocol'] ?? '');
    this.#socket = socket;
    this.#unread = head;
    this.#limits = { ...DEFAULTS, ...limits };
    this.#pings = setInterval(() => this.#ping(), this.#limits.pingInterval).unref();
    // the reader gets the error
    socket.on('error', () => {});
    socket.on('close', () => clearInterval(this.#pings));
  }

  /** How the server has closed the WebSocket; undefined if it has not. */
  get closing(): Closing | undefined {
    return this.#closing;
  }

  /**
   * Gives messages until the server closes.
   * @throws ConnectionError if the connection breaks, the server falls silent or violates the protocol
   */
  async *messages(): AsyncGenerator<Buffer, void> {
    let parts: Buffer[] = [];
    let size = 0;
    try {
      for await (const { opcode, isFinal, payload } of this.#frames()) {
        if (opcode > BINARY) {
          if (this.#control(opcode, payload)) return;
          continue;
        }
        if ((opcode === CONTINUATION) !== parts.length > 0) throw this.#broken(PROTOCOL_ERROR, 'a message within another one');
        parts.push(payload);
        size += payload.length;
        if (size > this.#limits.maxMessage) throw this.#broken(TOO_BIG, 'a message that is too large');
        if (!isFinal) continue;
        const message = parts.length === 1 ? payload : Buffer.concat(parts);
        parts = [];
        size = 0;
        yield message;
      }
      throw new ConnectionError('the server ended the connection without a word', undefined);
    } finally {
      clearInterval(this.#pings);
      this.#socket.destroy();
    }
  }

  /** Sends a binary message. @returns a promise that resolves when the system has taken it, and never rejects */
  send(payload: Buffer): Promise<void> {
    return this.#write(BINARY, payload);
  }

  /** Sends a close frame, and does not wait for the answer. */
  close(code: number = NORMAL): void {
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    void this.#write(CLOSE, payload);
  }

  /** Ends the connection at once. */
  destroy(): void {
    this.#socket.destroy();
  }

  async *#frames(): AsyncGenerator<Frame, void> {
    const chunks = this.#socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    for (;;) {
      for (let frame = this.#takeFrame(); frame !== undefined; frame = this.#takeFrame()) yield frame;
      this.#isReading = true;
      const next = await chunks.next().catch((error: unknown) => {
        throw new ConnectionError(`the connection broke: ${(error as Error).message}`, error);
      });
      this.#isReading = false;
      if (next.done) return;
      this.#isAnswered = true;
      this.#unread = this.#unread.length === 0 ? next.value : Buffer.concat([this.#unread, next.value]);
    }
  }

  /** @returns undefined if the next frame is not complete. @throws ConnectionError for an invalid frame */
  #takeFrame(): Frame | undefined {
    const bytes = this.#unread;
    if (bytes.length < 2) return undefined;
    const [first = 0, second = 0] = bytes;
    if ((first & RESERVED) !== 0 || (second & MASKED) !== 0) throw this.#broken(PROTOCOL_ERROR, 'a frame that is none');
    const opcode = first & 0x0f;
    const isFinal = (first & FINAL) !== 0;
    const short = second & 0x7f;
    if (opcode > BINARY && (short > MAX_CONTROL || !isFinal)) throw this.#broken(PROTOCOL_ERROR, 'a control frame that is none');
    const begin = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (bytes.length < begin) return undefined;
    const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
    if (length > this.#limits.maxMessage) throw this.#broken(TOO_BIG, 'a message that is too large');
    if (bytes.length < begin + length) return undefined;
    this.#unread = bytes.subarray(begin + length);
    return { opcode, isFinal, payload: bytes.subarray(begin, begin + length) };
  }

  /** @returns whether it was the last frame */
  #control(opcode: number, payload: Buffer): boolean {
    if (opcode === PING) void this.#write(PONG, payload);
    else if (opcode !== CLOSE && opcode !== PONG) throw this.#broken(PROTOCOL_ERROR, 'a frame of an unknown kind');
    if (opcode !== CLOSE) return false;
    this.#closing = { code: payload.length >= 2 ? payload.readUInt16BE(0) : 1005, reason: payload.toString('utf8', 2) };
    void this.#write(CLOSE, payload.subarray(0, 2));
    this.#socket.end();
    return true;
  }

  #ping(): void {
    if (this.#isReading && !this.#isAnswered) return void this.#socket.destroy(new Error('the server says nothing any more'));
    if (this.#isReading) this.#isAnswered = false;
    void this.#write(PING, Buffer.alloc(0));
  }

  #broken(code: number, what: string): ConnectionError {
    this.close(code);
    return new ConnectionError(`the server sent ${what}`, undefined);
  }

  #write(opcode: number, payload: Buffer): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#socket.destroyed || this.#socket.writableEnded) return Promise.resolve();
    this.#socket.write(maskedFrame(opcode, payload), () => resolve());
    return promise;
  }
}

function maskedFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const begin = length > 0xffff ? 10 : length > MAX_CONTROL ? 4 : 2;
  const frame = Buffer.allocUnsafe(begin + 4 + length);
  frame[0] = FINAL | opcode;
  frame[1] = MASKED | (begin === 10 ? 127 : begin === 4 ? 126 : length);
  if (begin === 10) frame.writeBigUInt64BE(BigInt(length), 2);
  else if (begin === 4) frame.writeUInt16BE(length, 2);
  const mask = randomBytes(4);
  mask.copy(frame, begin);
  for (let i = 0; i < length; i++) frame[begin + 4 + i] = (payload[i] as number) ^ (mask[i & 3] as number);
  return frame;
}

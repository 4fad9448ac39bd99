/** Frames of HTTP/2 (RFC 9113) over TLS, for what no well-behaved client can send. */
import { once } from 'node:events';
import tls from 'node:tls';
import { authority } from './client.ts';
import type { TestServer } from './server.ts';

export const FrameType = { data: 0, headers: 1, priority: 2, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8, continuation: 9 };
export const Flag = { ack: 1, endStream: 1, endHeaders: 4 };

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

const HEAD_BYTES = 9;

/** @param stream 0 for the connection itself */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** A header block without compression (RFC 7541 section 6.2). @param form 0x00 leaves the header table as it is, 0x40 adds each header to it */
export function headerBlock(headers: Readonly<Record<string, string>>, form = 0x00): Buffer {
  return Buffer.concat(Object.entries(headers).map(([name, value]) => Buffer.concat([Buffer.of(form), literal(name), literal(value)])));
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  const length = [Math.min(bytes.length, 0x7f)];
  if (bytes.length >= 0x7f) {
    let rest = bytes.length - 0x7f;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) length.push((rest % 0x80) | 0x80);
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}

/** A connection whose beginning is sent, and which answers nothing by itself. */
export class FrameConnection {
  readonly #socket: tls.TLSSocket;
  /** those that came, while it reads */
  readonly frames: Frame[] = [];
  #rest: Buffer = Buffer.alloc(0);

  private constructor(socket: tls.TLSSocket) {
    this.#socket = socket;
  }

  static async open(server: TestServer, options: { reads: boolean } = { reads: true }): Promise<FrameConnection> {
    const socket = tls.connect({ host: '127.0.0.1', port: server.port, ca: authority(server), ALPNProtocols: ['h2'] });
    // what follows a refusal is often a reset
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    const connection = new FrameConnection(socket);
    if (options.reads) socket.on('data', (bytes: Buffer) => connection.#take(bytes));
    socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(FrameType.settings, 0, 0)]));
    return connection;
  }

  #take(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    while (this.#rest.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < end) return;
      const [type, flags] = [this.#rest[3] as number, this.#rest[4] as number];
      this.frames.push({ type, flags, stream: this.#rest.readUInt32BE(5), payload: this.#rest.subarray(HEAD_BYTES, end) });
      this.#rest = this.#rest.subarray(end);
    }
  }

  get closed(): boolean {
    return this.#socket.closed;
  }

  /** Resolves when the bytes are with the system, or nobody takes them any more. */
  async write(...frames: readonly Uint8Array[]): Promise<void> {
    if (this.closed) return;
    await new Promise((resolve) => {
      this.#socket.once('close', resolve);
      this.#socket.write(Buffer.concat(frames), () => {
        this.#socket.off('close', resolve);
        resolve(undefined);
      });
    });
  }

  /** @param milliseconds at most @returns whether the server has closed the connection by then */
  async closes(milliseconds: number): Promise<boolean> {
    if (this.closed) return true;
    const timer = AbortSignal.timeout(milliseconds);
    return once(this.#socket.resume(), 'close', { signal: timer }).then(
      () => true,
      () => false,
    );
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

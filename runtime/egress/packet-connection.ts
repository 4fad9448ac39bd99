/** A connection whose bytes are carried in packets of a gRPC call. It has what Node's HTTP and TLS need of a socket. */
import { Duplex } from 'node:stream';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { type Data, type Packet, PacketType } from '../../generated/node-interfaces/network-proxy.ts';
import type { Sparse } from '../contract/node-interface.ts';
import { InterfaceError } from '../node-agent/grpc/interface-error.ts';

export type PacketStream = ClientDuplexStream<Sparse<Packet>, Packet>;

/** Most bytes of one packet. The other side takes messages of 4 MiB at most, and other packets wait behind a long one. */
const MAX_BYTES = 64 * 1024;
/** Milliseconds in which the proxy must say that it has closed a connection, as in 1.32. */
const CLOSE_LIMIT = 10_000;

/** Cancels a call that should end soon, if the proxy does not end it in time. */
export function cancelLate(stream: PacketStream): void {
  const late = setTimeout(() => stream.cancel(), CLOSE_LIMIT).unref();
  stream.once('status', () => clearTimeout(late));
}

export class PacketConnection extends Duplex {
  readonly #stream: PacketStream;
  readonly #id: bigint;
  /** the other side has ended, and sends nothing more */
  #isOver = false;
  #isClosing = false;

  /** Takes the packets from now on. @param stream is ended with the connection */
  constructor(stream: PacketStream, id: bigint) {
    super({ allowHalfOpen: false });
    this.#stream = stream;
    this.#id = id;
    stream.on('data', (packet: Packet) => this.#take(packet));
    stream.on('end', () => this.#over());
    stream.on('error', (error) => this.#failed(error));
    // an error may come before anybody listens, and would end the process
    this.on('error', () => {});
    // when the other side has ended, nothing more can be written
    this.once('end', () => this.destroy());
  }

  /** After the end of the connection an error concerns only the call, and the bytes that came before can still be read. */
  #failed(error: unknown): void {
    if (!this.#isOver) this.destroy(InterfaceError.of(error));
  }

  #take({ type, data, closeResponse }: Packet): void {
    if (this.#isOver) return;
    if (type === PacketType.CLOSE_RSP && closeResponse?.connectID === this.#id) this.#over();
    else if (type === PacketType.DATA && data?.connectID === this.#id && !this.destroyed) this.#received(data);
  }

  #received({ error, data }: Data): void {
    if (error !== '') this.destroy(new Error(error));
    else if (data.length > 0 && !this.push(Buffer.from(data))) this.#stream.pause();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.push(null);
    if (!this.#isClosing) cancelLate(this.#stream);
    // packets that still come are read, so that the call can end, and dropped
    this.#stream.resume().end();
  }

  override _read(): void {
    this.#stream.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, written: (error?: Error | null) => void): void {
    let offset = 0;
    const next = (error?: Error | null): void => {
      if (this.#isOver) return written(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      if (error || offset >= chunk.length) return written(error);
      const data = chunk.subarray(offset, offset + MAX_BYTES);
      offset += data.length;
      this.#stream.write({ type: PacketType.DATA, data: { connectID: this.#id, data } }, next);
    };
    next();
  }

  /** There is no packet for the end of one direction, so the whole connection is closed. */
  override _final(closed: (error?: Error | null) => void): void {
    this.#close();
    closed();
  }

  override _destroy(error: Error | null, destroyed: (error: Error | null) => void): void {
    this.#close();
    // packets that come until the proxy has closed the connection are read and dropped
    this.#stream.resume();
    destroyed(error);
  }

  /** Asks the proxy to close the connection, and cancels the call if that takes too long. */
  #close(): void {
    const stream = this.#stream;
    if (this.#isOver || this.#isClosing) return;
    this.#isClosing = true;
    cancelLate(stream);
    if (stream.writable) stream.write({ type: PacketType.CLOSE_REQ, closeRequest: { connectID: this.#id } });
  }

  // Node calls these on its sockets. They do nothing here, because the proxy has the socket.

  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

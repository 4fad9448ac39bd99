/**
 * Connections of this server to itself. They never leave the process, so they need neither an address nor TLS; and they are known by the stream that the
 * server made, so there is no secret that somebody could come by: nothing that a client sends makes its connection one of these.
 */
import type { RequestListener, Server } from 'node:http';
import { Duplex, duplexPair } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import type { User } from '../contract/request-context.ts';

const users = new WeakMap<object, User>();

/** The user of a connection that the server has made to itself. @returns undefined for any other */
export const ownUser = (connection: object): User | undefined => users.get(connection);

/** An end of a connection. Whoever keeps connections unused has them hold the process up or not, which these never do. */
type OwnEnd = Duplex & { ref(): unknown; unref(): unknown };

export class OwnConnections {
  readonly #user: User;
  readonly #address: string;
  readonly #open = new Set<Duplex>();
  #server: Server | undefined;
  #isClosed = false;

  /**
   * @param user of all requests on them
   * @param bindAddress on which the server listens: from there, or from the machine itself where it listens on all, a connection of the network would come
   */
  constructor(user: User, bindAddress: string) {
    this.#user = user;
    this.#address = THIS_MACHINE[bindAddress] ?? bindAddress;
  }

  /** Answers requests from now on. */
  serve(handler: RequestListener): void {
    // An import would load all that the module exports, with Node's client for fetch (5 MB).
    const { createServer } = process.getBuiltinModule('node:http');
    // 0: whoever asks keeps the connection for as long as they like
    this.#server = createServer({ keepAliveTimeout: 0 }, handler);
  }

  /** @throws Error where no requests are answered */
  connect(): OwnEnd {
    const [ours, theirs] = duplexPair();
    ours.once('close', () => theirs.destroy());
    theirs.once('close', () => ours.destroy());
    this.#take(theirs);
    return Object.assign(ours, { ref: () => ours, unref: () => ours });
  }

  /** Takes the far end of a connection that another thread of the server has made with `connectByPort`. */
  takePort(port: MessagePort): void {
    const stream = new PortStream(port);
    try {
      this.#take(stream.unref());
    } catch {
      stream.destroy();
    }
  }

  #take(stream: Duplex): void {
    if (this.#server === undefined || this.#isClosed) throw new Error('the server answers no requests');
    // what comes too late on a connection that has ended is of no concern
    stream.on('error', () => {});
    users.set(stream, this.#user);
    this.#open.add(stream);
    stream.once('close', () => this.#open.delete(stream));
    this.#server.emit('connection', Object.assign(stream, { remoteAddress: this.#address }));
  }

  /** Cuts the connections, whose requests are aborted. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#open) stream.destroy();
  }
}

const THIS_MACHINE: Readonly<Record<string, string>> = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Connects from another thread of the server. @param handOver gives the far end to the thread that takes it */
export function connectByPort(handOver: (port: MessagePort) => void): OwnEnd {
  const { MessageChannel } = process.getBuiltinModule('node:worker_threads');
  const { port1, port2 } = new MessageChannel();
  handOver(port2);
  return new PortStream(port1);
}

/** One end of a connection between two threads. What is sent is bounded by what a request and its answer may be. */
class PortStream extends Duplex {
  readonly #port: MessagePort;

  constructor(port: MessagePort) {
    super();
    this.#port = port;
    port.on('message', (bytes: Uint8Array | null) => this.push(bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)));
    port.once('close', () => this.destroy());
  }

  ref(): this {
    this.#port.ref();
    return this;
  }

  unref(): this {
    this.#port.unref();
    return this;
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    // a copy: of a buffer that is a part of a larger one, all would be sent
    this.#port.postMessage(new Uint8Array(bytes));
    done();
  }

  override _final(done: () => void): void {
    this.#port.postMessage(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#port.close();
    done(error);
  }
}

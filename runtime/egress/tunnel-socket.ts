/**
 * A Unix socket that leads through a tunnel to one address. gRPC clients need it, because their library makes its connections itself. Only the user of this
 * process has access to its folder.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Target, Tunnel } from '../client/transport/tunnel.ts';
import { removeLeftSockets, socketFolder } from './left-sockets.ts';

/** Milliseconds in which a tunnel must be made, as for other connections. */
const LIMIT = 30_000;

export class TunnelSocket {
  readonly path: string;
  readonly #folder: string;
  readonly #server: Server;
  readonly #ending = new AbortController();
  readonly #open = new Set<Duplex>();

  /** @param failed called with why a connection was not made. @throws Error of the system if no socket can be made */
  static async open(tunnel: Tunnel, target: Target, failed: (error: unknown) => void): Promise<TunnelSocket> {
    // what is left takes some room, and nothing else
    await removeLeftSockets(Date.now()).catch(() => {});
    const made = new TunnelSocket(tunnel, target, failed);
    try {
      await once(made.#server, 'listening');
      return made;
    } catch (error) {
      made.close();
      throw error;
    }
  }

  private constructor(tunnel: Tunnel, target: Target, failed: (error: unknown) => void) {
    this.#folder = mkdtempSync(socketFolder());
    this.path = join(this.#folder, 'socket');
    this.#server = createServer({ pauseOnConnect: true }, (socket) => {
      this.#keep(socket);
      const signal = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(LIMIT)]);
      tunnel(target, signal).then(
        (connection) => this.#join(socket, connection),
        (error) => {
          socket.destroy();
          if (!this.#ending.signal.aborted) failed(error);
        },
      );
    });
    // an error of the listening socket means that a connection was not made, too
    this.#server.on('error', failed);
    this.#server.listen(this.path);
  }

  #join(socket: Socket, connection: Duplex): void {
    this.#keep(connection);
    if (this.#ending.signal.aborted) return this.#end();
    if (socket.destroyed) connection.destroy();
    socket.once('close', () => connection.destroy());
    connection.once('close', () => socket.destroy());
    socket.pipe(connection).pipe(socket);
  }

  #keep(stream: Duplex): void {
    this.#open.add(stream);
    stream.on('error', () => {});
    stream.once('close', () => this.#open.delete(stream));
  }

  #end(): void {
    for (const stream of this.#open) stream.destroy();
  }

  /** Ends all connections through the socket, and removes it. */
  close(): void {
    this.#ending.abort();
    this.#server.close();
    this.#end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * Connections without TLS, as the library makes them. It waits for ever for a program that takes one and says nothing, even when the client has been closed: here
 * somebody can end such a connection.
 */
import type { Socket } from 'node:net';
import { CallCredentials, ChannelCredentials, type experimental } from '@grpc/grpc-js';

export class PlainCredentials extends ChannelCredentials {
  readonly #sockets = new Set<Socket>();

  override _isSecure(): boolean {
    return false;
  }

  override _equals(other: ChannelCredentials): boolean {
    return this === other;
  }

  override _createSecureConnector(
    _target: unknown,
    _options: unknown,
    callCredentials: CallCredentials = CallCredentials.createEmpty(),
  ): experimental.SecureConnector {
    return {
      connect: async (socket) => {
        this.#sockets.add(socket);
        socket.once('close', () => this.#sockets.delete(socket));
        return { socket, secure: false };
      },
      waitForReady: () => Promise.resolve(),
      getCallCredentials: () => callCredentials,
      destroy: () => {},
    };
  }

  /** Ends all connections. */
  end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/**
 * What the library of gRPC wants of each kind of credentials. It waits for ever for a program that takes a connection and says nothing, even when the client has been
 * closed: here the connections of a client are known, and end with it.
 */
import type { Socket } from 'node:net';
import { CallCredentials, ChannelCredentials, type Client, connectivityState, type experimental } from '@grpc/grpc-js';

/** Of one client. */
export abstract class HeldCredentials extends ChannelCredentials {
  readonly #sockets = new Set<Socket>();
  readonly #isSecure: boolean;

  constructor(isSecure: boolean) {
    super();
    this.#isSecure = isSecure;
  }

  /** What is spoken over a connection that was made. @throws Error where the other side is not the one, or does not answer */
  protected abstract connect(socket: Socket): Promise<Socket>;

  override _isSecure(): boolean {
    return this.#isSecure;
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
        return { socket: await this.connect(socket), secure: this.#isSecure };
      },
      waitForReady: () => Promise.resolve(),
      getCallCredentials: () => callCredentials,
      destroy: () => {},
    };
  }

  /** Closes the client that has these. A connection that the other side has answered ends when what is under way on it has, any other one at once. */
  close(client: Client): void {
    const isReady = client.getChannel().getConnectivityState(false) === connectivityState.READY;
    client.close();
    if (!isReady) for (const socket of this.#sockets) socket.destroy();
  }
}

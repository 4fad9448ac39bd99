/** A proxy of KEP-1281 on a Unix socket of this machine. It carries each connection as packets of a gRPC call. */
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { type Packet, PacketType, ProxyService } from '../../generated/node-interfaces/network-proxy.ts';
import type { Target } from '../client/transport/tunnel.ts';
import { hostPort } from '../connections/connection-problem.ts';
import { InterfaceClient } from '../node-agent/grpc/interface-client.ts';
import { InterfaceError } from '../node-agent/grpc/interface-error.ts';
import type { EgressProxy } from './egress-proxy.ts';
import { cancelLate, PacketConnection, type PacketStream } from './packet-connection.ts';

export class KonnectivityProxy implements EgressProxy {
  readonly protocol = 'grpc';
  readonly transport = 'uds';
  readonly #path: string;
  readonly #client: InterfaceClient;
  readonly #streams = new Set<PacketStream>();

  /** @param path of the socket. The proxy need not be there yet */
  constructor(path: string) {
    this.#path = path;
    this.#client = new InterfaceClient(path);
  }

  async dial(target: Target, signal: AbortSignal, reached: () => void): Promise<Duplex> {
    const stream = this.#client.duplex(ProxyService.Proxy);
    this.#streams.add(stream);
    // The stream is forgotten at `status`, because a call that fails emits no `close`, and nobody may be reading to its `end`.
    stream.on('error', () => {}).once('status', () => this.#streams.delete(stream));
    const address = hostPort(target.host, target.port);
    try {
      const connection = await lead(stream, address, signal);
      // the end of the connection may have come together with the answer
      if (connection.destroyed) throw connection.errored ?? new Error('it has ended the connection');
      reached();
      return connection;
    } catch (error) {
      const { message } = error as Error;
      if (!this.#client.isConnected) {
        // no proxy is connected that would have to be sent a closing packet first
        stream.cancel();
        throw new Error(`dialing proxy ${JSON.stringify(this.#path)} failed: ${message}`, { cause: error });
      }
      reached();
      throw new Error(`proxy error from ${this.#path} while dialing ${address}: ${message}`, { cause: error });
    }
  }

  /** number of calls under way; each carries one connection, or asks for one */
  get calls(): number {
    return this.#streams.size;
  }

  close(): void {
    for (const stream of this.#streams) stream.cancel();
    this.#client.close();
  }
}

/** Asks the proxy for a connection. @param address `HOST:PORT`. @throws Error, after which the call is ended */
async function lead(stream: PacketStream, address: string, signal: AbortSignal): Promise<PacketConnection> {
  // 63 bits, because other clients of such proxies send positive numbers only
  const random = randomBytes(8).readBigUInt64BE() >> 1n;
  const { promise, resolve, reject } = Promise.withResolvers<PacketConnection>();
  const heard = ({ type, dialResponse, closeDial }: Packet): void => {
    if (type === PacketType.DIAL_RSP && dialResponse?.random === random) {
      // a second answer is ignored
      stream.off('data', heard);
      if (dialResponse.error !== '') reject(new Error(dialResponse.error));
      // The connection is made here, in the same turn, because the packets behind this one may be there already.
      else resolve(new PacketConnection(stream, dialResponse.connectID));
    } else if (type === PacketType.DIAL_CLS && closeDial?.random === random) reject(new Error('it has given that up'));
  };
  const failed = (error: unknown): void => reject(InterfaceError.of(error));
  const ended = (): void => reject(new Error('it has ended the call'));
  const late = (): void => reject(new Error('context deadline exceeded'));
  stream.on('data', heard).once('error', failed).once('end', ended);
  signal.addEventListener('abort', late, { once: true });
  try {
    if (signal.aborted) late();
    stream.write({ type: PacketType.DIAL_REQ, dialRequest: { protocol: 'tcp', address, random } });
    return await promise;
  } catch (error) {
    if (signal.aborted) {
      cancelLate(stream);
      stream.write({ type: PacketType.DIAL_CLS, closeDial: { random } }, () => stream.cancel());
    } else stream.cancel();
    throw error;
  } finally {
    stream.off('data', heard).off('error', failed).off('end', ended);
    signal.removeEventListener('abort', late);
  }
}

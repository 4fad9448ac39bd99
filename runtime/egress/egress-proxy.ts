/** What every kind of proxy implements. */
import type { Duplex } from 'node:stream';
import type { Target } from '../client/transport/tunnel.ts';

export interface EgressProxy {
  /** labels of the metrics */
  readonly protocol: 'http_connect' | 'grpc';
  readonly transport: 'tcp' | 'uds';
  /**
   * @param reached must be called when the proxy itself is reached
   * @throws Error that names the proxy
   */
  dial(target: Target, signal: AbortSignal, reached: () => void): Promise<Duplex>;
  /** Ends all connections through the proxy. */
  close?(): void;
}

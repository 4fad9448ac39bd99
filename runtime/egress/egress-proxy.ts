/** What every kind of proxy has. */
import type { Duplex } from 'node:stream';
import type { Target } from '../client/transport/tunnel.ts';

export interface EgressProxy {
  /** labels of figures */
  readonly protocol: 'http_connect' | 'grpc';
  readonly transport: 'tcp' | 'uds';
  /**
   * @param reached to be called when the proxy itself has been reached
   * @throws Error that names the proxy
   */
  dial(target: Target, signal: AbortSignal, reached: () => void): Promise<Duplex>;
  /** Ends all that leads through it. */
  close?(): void;
}

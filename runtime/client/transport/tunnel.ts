/** Another way to a server than a direct connection. */
import type { Duplex } from 'node:stream';

export interface Target {
  /** a name or an address, without brackets */
  readonly host: string;
  readonly port: number;
}

/** Connects to a server. @param signal gives up. @throws Error that tells which side has failed */
export type Tunnel = (target: Target, signal: AbortSignal) => Promise<Duplex>;

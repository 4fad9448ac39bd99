/** What stands between a client and a server, as those see it who make connections. */
import type { Duplex } from 'node:stream';

export interface Target {
  /** a name or an address, without brackets */
  readonly host: string;
  readonly port: number;
}

/** Leads to a server. @param signal gives it up. @throws Error that says who has failed */
export type Tunnel = (target: Target, signal: AbortSignal) => Promise<Duplex>;

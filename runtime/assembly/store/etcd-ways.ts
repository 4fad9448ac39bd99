/** Proxies on the way to members of etcd. */

import { TunnelSocket } from '../../egress/tunnel-socket.ts';
import type { Log } from '../../observability/log.ts';
import type { Egress } from '../../outbound/egress.ts';
import { type EtcdAddress, parseAddress } from '../../storage/etcd/client/address.ts';

export interface EtcdWays {
  /** see `EtcdOptions` */
  targetOf(address: EtcdAddress): string;
  close(): void;
}

/** @returns undefined if members are reached directly. @throws TypeError for an invalid address @throws Error of the system */
export async function etcdWays(addresses: readonly string[], egress: Egress, log: Pick<Log, 'debug'>): Promise<EtcdWays | undefined> {
  const tunnel = egress.tunnel('etcd');
  if (tunnel === undefined) return undefined;
  const sockets = new Map<string, TunnelSocket>();
  for (const { text, host, port } of addresses.map(parseAddress)) {
    if (port === undefined || sockets.has(text)) continue;
    const failed = (err: unknown): void => log.debug({ err, etcd: text }, 'a member of etcd is not reached');
    sockets.set(text, await TunnelSocket.open(tunnel, { host, port }, failed));
  }
  return {
    targetOf({ text, target }) {
      const socket = sockets.get(text);
      return socket === undefined ? target : `unix:${socket.path}`;
    },
    close() {
      for (const [, socket] of sockets) socket.close();
    },
  };
}

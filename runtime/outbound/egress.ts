/** Ways from the network of this server into others. */
import type { Tunnel } from '../client/transport/tunnel.ts';

/** Which servers a way leads to: nodes, pods and services; webhooks and other servers that are told by an address; etcd. */
export type EgressName = 'cluster' | 'controlplane' | 'etcd';

export interface Egress {
  /** @returns undefined where they are reached directly */
  tunnel(name: EgressName): Tunnel | undefined;
}

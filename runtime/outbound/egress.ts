/** The contract for connections from the network of this server to other networks. */
import type { Tunnel } from '../client/transport/tunnel.ts';

/**
 * The servers that a connection leads to: `cluster` for nodes, pods and services, `controlplane` for webhooks and other servers with an address, and `etcd`.
 */
export type EgressName = 'cluster' | 'controlplane' | 'etcd';

export interface Egress {
  /** @returns the way to such servers; undefined if they are reached directly */
  tunnel(name: EgressName): Tunnel | undefined;
}

/** Tells other servers of one etcd where they reach this one, in the form of kube-apiserver (`registry/etcd/server-leases.ts`). */
import { PEER_LEASES } from '../registry/etcd/server-leases.ts';
import type { Ensuring } from './ensure.ts';
import { ServerLease } from './server-lease.ts';

const IDENTITY_LABEL = 'apiserverIdentity';

/** @param name identity of this server */
export function peerLease(server: Ensuring, name: string, { ip, port }: { readonly ip: string; readonly port: number }): ServerLease {
  const subset = { addresses: [{ ip }], ports: [{ name: 'https', port, protocol: 'TCP' }] };
  return new ServerLease(server, `${PEER_LEASES.prefix}/${name}`, { labels: { [IDENTITY_LABEL]: name }, subsets: [subset] });
}

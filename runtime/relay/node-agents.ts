/** Where node agents are reached, and by which TLS. */
import type { ApiObject } from '../contract/object.ts';
import { newUnknown } from '../status/status.ts';
import type { Target, TargetTls } from './dial.ts';
import { neededObject } from './needed-objects.ts';
import type { RelayServer } from './relay-server.ts';

/**
 * @param asked the resource that the request names: `pods` for the node of a pod
 * @throws StatusError NotFound if the node does not exist; without a reason if it has no address of a preferred type
 */
export async function nodeAgent(server: RelayServer, name: string, asked: 'nodes' | 'pods'): Promise<Target & { readonly tls: TargetTls }> {
  const node = await neededObject(server, 'nodes', '', name, asked);
  const { tls, preferredAddressTypes, port } = server.outbound.nodeAgents;
  const hostnameLabel = server.identity.text('${labelDomain}/hostname');
  const reported: number = node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  return { host: preferredAddress(node, preferredAddressTypes, hostnameLabel), port: reported > 0 ? reported : port, tls };
}

interface NodeAddress {
  readonly type: string;
  readonly address: string;
}

function preferredAddress(node: ApiObject, types: readonly string[], hostnameLabel: string): string {
  const addresses: readonly NodeAddress[] = node.status?.addresses ?? [];
  for (const type of types) {
    const found = addresses.find((each) => each.type === type);
    if (found !== undefined) return found.address;
    // As in 1.32 the label stands in for an address of type Hostname that is not reported.
    const label: string = (node.metadata.labels as Record<string, string> | undefined)?.[hostnameLabel] ?? '';
    if (type === 'Hostname' && label !== '') return label;
  }
  const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ');
  throw newUnknown(`no preferred addresses found; known addresses: [${known}]`);
}

/** The same agent, but its certificate is not verified. */
export function unverified<T extends Target & { readonly tls: TargetTls }>(target: T): T {
  return { ...target, tls: { ...target.tls, authority: undefined } };
}

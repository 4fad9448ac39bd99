/** Where node agents are, and how they are spoken to. */
import type { ApiObject } from '../contract/object.ts';
import { newUnclassifiedMessage } from '../status/status.ts';
import type { Target, TargetTls } from './dial.ts';
import { neededObject } from './needed-objects.ts';
import type { RelayServer } from './relay-server.ts';

/**
 * @param asked the resource that the request names: nodes, or pods where the node is a pod's
 * @throws StatusError NotFound for a node that does not exist, without a reason for one that has no address of a preferred type
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
    // Agents that report no name have it as a label.
    const label: string = (node.metadata.labels as Record<string, string> | undefined)?.[hostnameLabel] ?? '';
    if (type === 'Hostname' && label !== '') return label;
  }
  const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ');
  throw newUnclassifiedMessage(`no preferred addresses found; known addresses: [${known}]`);
}

/** The same agent, whatever certificate it shows. */
export function unverified<T extends Target & { readonly tls: TargetTls }>(target: T): T {
  return { ...target, tls: { ...target.tls, authority: undefined } };
}

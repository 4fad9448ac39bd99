/** The service in the namespace `default` by which pods reach this server, and where it leads to, as 1.32 keeps them. */
import { isIPv6 } from 'node:net';
import type { Identity } from '../contract/identity.ts';
import type { ApiObject } from '../contract/object.ts';
import { deepEqual } from '../schema/equal.ts';
import type { SystemObject } from './system-object.ts';

export interface OwnPlace {
  /** of the service: the first one of the range of services */
  readonly serviceAddress: string;
  /** on which this server listens */
  readonly port: number;
  /** on every node; 0: none */
  readonly nodePort: number;
  /** where other machines reach this server; absent where they do not, or where others say so */
  readonly address?: string;
}

const NAMESPACE = 'default';
const PORT_NAME = 'https';
const SERVICE_PORT = 443;

/** Its ports and type are repaired. */
export function ownService({ text }: Identity, { serviceAddress, port, nodePort }: OwnPlace): SystemObject {
  const name = text('${defaultService}');
  const wanted = { name: PORT_NAME, protocol: 'TCP', port: SERVICE_PORT, targetPort: port, ...(nodePort > 0 && { nodePort }) };
  const type = nodePort > 0 ? 'NodePort' : 'ClusterIP';
  return {
    resource: { group: '', version: 'v1', name: 'services' },
    metadata: { name, namespace: NAMESPACE, labels: { component: 'apiserver', provider: name } },
    members: {
      spec: {
        type,
        clusterIP: serviceAddress,
        clusterIPs: [serviceAddress],
        ipFamilies: [isIPv6(serviceAddress) ? 'IPv6' : 'IPv4'],
        ipFamilyPolicy: 'SingleStack',
        sessionAffinity: 'None',
        ports: [wanted],
      },
    },
    repair: (stored) => {
      const { spec } = stored;
      if (spec.type === type && spec.ports?.length === 1 && deepEqual(spec.ports[0], wanted)) return undefined;
      return { ...stored, spec: { ...spec, type, ports: [wanted] } };
    },
  };
}

/** Nothing where no other machine reaches this server: neither kind may name a loopback address. */
export function ownEndpoints({ text }: Identity, { address, port }: OwnPlace): SystemObject[] {
  if (address === undefined) return [];
  const name = text('${defaultService}');
  const ports = [{ name: PORT_NAME, port, protocol: 'TCP' }];
  const subsets = [{ addresses: [{ ip: address }], ports }];
  const addressType = isIPv6(address) ? 'IPv6' : 'IPv4';
  const slice = { addressType, endpoints: [{ addresses: [address], conditions: { ready: true } }], ports };
  return [
    {
      resource: { group: '', version: 'v1', name: 'endpoints' },
      // the slice beside it is no copy of it
      metadata: { name, namespace: NAMESPACE, labels: { [text('endpointslice.${labelDomain}/skip-mirror')]: 'true' } },
      members: { subsets },
      repair: (stored) => withMembers(stored, { subsets }),
    },
    {
      resource: { group: text('discovery.${groupDomain}'), version: 'v1', name: 'endpointslices' },
      metadata: { name, namespace: NAMESPACE, labels: { [text('${labelDomain}/service-name')]: name } },
      members: slice,
      // the family of a slice never changes
      repair: (stored) => (stored.addressType === addressType ? withMembers(stored, slice) : 'recreate'),
    },
  ];
}

/** @returns undefined where the object has them already */
function withMembers(stored: ApiObject, members: object): ApiObject | undefined {
  return Object.entries(members).every(([name, value]) => deepEqual(stored[name], value)) ? undefined : { ...stored, ...members };
}

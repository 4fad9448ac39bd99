/** The service in the namespace `default` by which pods reach this server, and where it leads to, as 1.32 keeps them. */
import { isIPv6 } from 'node:net';
import type { Identity } from '../contract/identity.ts';
import type { ApiObject } from '../contract/object.ts';
import { storageKey } from '../registry/resources/resource-keys.ts';
import { StoredObject } from '../registry/stored-objects/stored-object.ts';
import { deepEqual } from '../schema/equal.ts';
import type { Ensuring } from './ensure.ts';
import type { SystemObject } from './system-object.ts';

export interface OwnPlace {
  /** of the service: the first one of the range of services */
  readonly serviceAddress: string;
  /** on which this server listens */
  readonly port: number;
  /** on every node; 0: none */
  readonly nodePort: number;
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

/** The resource of the objects that lead to servers, by which servers of one store know one another as well. */
export const ENDPOINTS = { group: '', version: 'v1', name: 'endpoints' } as const;

/** @returns the stored object that leads to the servers; undefined where there is none */
export function storedEndpoints({ registry, storage }: Pick<Ensuring, 'registry' | 'storage'>, { text }: Identity): ApiObject | undefined {
  const resource = registry.current.resourceOfForm(ENDPOINTS.group, ENDPOINTS.version, ENDPOINTS.name);
  const entry = resource && storage.get(storageKey(resource, NAMESPACE, text('${defaultService}')));
  return entry && new StoredObject(entry.value).parse();
}

/** Where the service leads. */
export interface ServerEndpoints {
  /** of all servers of the store that live, sorted */
  readonly addresses: readonly string[];
  /** of this server */
  readonly port: number;
  /** Whether the port is repaired. As in 1.32 it is not once a server runs, or servers with different ports would change it in turns. */
  readonly repairsPort: boolean;
}

/** @returns the objects that lead from the service to its servers: neither kind may name a loopback address */
export function ownEndpoints({ text }: Identity, { addresses, port, repairsPort }: ServerEndpoints): SystemObject[] {
  const name = text('${defaultService}');
  const ports = [{ name: PORT_NAME, port, protocol: 'TCP' }];
  const subsetsWith = (kept: unknown) => (addresses.length === 0 ? [] : [{ addresses: addresses.map((ip) => ({ ip })), ports: kept }]);
  const addressType = addresses.some(isIPv6) ? 'IPv6' : 'IPv4';
  const endpoints = addresses.map((address) => ({ addresses: [address], conditions: { ready: true } }));
  return [
    {
      resource: ENDPOINTS,
      // The controller that mirrors Endpoints makes no slice of it, since the server makes the slice itself.
      metadata: { name, namespace: NAMESPACE, labels: { [text('endpointslice.${labelDomain}/skip-mirror')]: 'true' } },
      members: { subsets: subsetsWith(ports) },
      repair: (stored) => {
        const { subsets = [] } = stored;
        return withMembers(stored, { subsets: subsetsWith(!repairsPort && subsets.length === 1 ? subsets[0].ports : ports) });
      },
    },
    {
      resource: { group: text('discovery.${groupDomain}'), version: 'v1', name: 'endpointslices' },
      metadata: { name, namespace: NAMESPACE, labels: { [text('${labelDomain}/service-name')]: name } },
      members: { addressType, endpoints, ports },
      // The family of a slice never changes.
      repair: (stored) => {
        if (stored.addressType !== addressType && addresses.length > 0) return 'recreate';
        return withMembers(stored, { endpoints, ports: !repairsPort && stored.ports?.length === 1 ? stored.ports : ports });
      },
    },
  ];
}

/** @returns undefined where the object has them already */
function withMembers(stored: ApiObject, members: object): ApiObject | undefined {
  return Object.entries(members).every(([name, value]) => deepEqual(stored[name], value)) ? undefined : { ...stored, ...members };
}

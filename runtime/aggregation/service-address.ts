/** Finds the address of the service of an API server or of a webhook. As in 1.32 it is read from the objects, and no name server of the cluster is asked. */
import type { Endpoints, Service, ServicePort } from '../../generated/core/v1/types.ts';
import type { ApiObject } from '../contract/object.ts';
import type { ServicePlace } from './remote-version.ts';

/** Reads an object of the core group. @returns undefined if there is none */
export type FindObject = (resource: 'services' | 'endpoints', namespace: string, name: string) => ApiObject | undefined;

export interface Address {
  /** an address, or the external name of a service */
  readonly host: string;
  readonly port: number;
}

/** A service has no usable address. The message is for the log and for conditions. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
}

/** @throws ServiceError */
export type ResolveService = (place: ServicePlace) => Address;

/** Uses the cluster address of the service, from which the network leads to a pod. */
export function byService(find: FindObject): ResolveService {
  return (place) => {
    const { type = 'ClusterIP', clusterIP = '', externalName = '', ports = [] } = specOf(find, place);
    if (type === 'ExternalName') return { host: externalName, port: place.port };
    if (!ROUTED.has(type)) throw new ServiceError(`unsupported service type ${JSON.stringify(type)}`);
    if (type === 'ClusterIP' && clusterIP === 'None') throw new ServiceError('cannot route to service with ClusterIP "None"');
    return { host: clusterIP, port: portOf(ports, place).port };
  };
}

/** Uses one of the ready addresses behind the service, chosen at random. */
export function byEndpoints(find: FindObject): ResolveService {
  return (place) => {
    const { type = 'ClusterIP', ports = [] } = specOf(find, place);
    const { name: wanted = '' } = portOf(ports, place);
    if (!ROUTED.has(type)) throw new ServiceError(`unsupported service type ${JSON.stringify(type)}`);
    const endpoints = find('endpoints', place.namespace, place.name) as (Endpoints & ApiObject) | undefined;
    if (endpoints === undefined) throw new ServiceError(`endpoints ${JSON.stringify(place.name)} not found`);
    const found = (endpoints.subsets ?? []).flatMap(({ addresses, ports: offered }) => {
      const port = (offered ?? []).find(({ name = '' }) => name === wanted)?.port;
      return port === undefined ? [] : (addresses ?? []).map(({ ip }) => ({ host: ip, port }));
    });
    if (found.length === 0) throw new ServiceError(`no endpoints available for service ${JSON.stringify(place.name)}`);
    return found[Math.floor(Math.random() * found.length)] as Address;
  };
}

const ROUTED: ReadonlySet<string> = new Set(['ClusterIP', 'LoadBalancer', 'NodePort']);

function specOf(find: FindObject, { namespace, name }: ServicePlace): NonNullable<Service['spec']> {
  const service = find('services', namespace, name) as (Service & ApiObject) | undefined;
  if (service === undefined) throw new ServiceError(`service ${JSON.stringify(name)} not found`);
  return service.spec ?? {};
}

function portOf(ports: readonly ServicePort[], { name, port }: ServicePlace): ServicePort {
  const found = ports.find((each) => each.port === port);
  if (found === undefined) throw new ServiceError(`no service port ${port} found for service ${JSON.stringify(name)}`);
  return found;
}

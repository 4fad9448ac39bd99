/** Says of each APIService whether it can answer, as far as other objects show it. */
import type { EndpointSubset, ServicePort } from '../../generated/core/v1/types.ts';
import type { ApiObject } from '../contract/object.ts';
import { ConditionController, storedObject } from './condition-controller.ts';
import type { Condition } from './conditions.ts';
import type { ControllerServer } from './controller-server.ts';

/** Reads an object of the core group. @returns undefined where there is none */
export type ReadObject = (resource: 'services' | 'endpoints', namespace: string, name: string) => ApiObject | undefined;

const MANAGER = 'kube-apiserver';

/** @returns undefined where APIServices, or what they depend on, are not served */
export function apiServiceAvailability(server: ControllerServer): ConditionController | undefined {
  const { registry, identity, storage } = server;
  const resource = registry.current.resource(identity.text('apiregistration.${groupDomain}'), 'v1', 'apiservices');
  const services = registry.current.resource('', 'v1', 'services');
  const endpoints = registry.current.resource('', 'v1', 'endpoints');
  if (resource === undefined || services === undefined || endpoints === undefined) return undefined;
  const read: ReadObject = (of, namespace, name) => storedObject(storage, of === 'services' ? services : endpoints, namespace, name);
  return new ConditionController(server, {
    resource,
    others: [services, endpoints],
    manager: MANAGER,
    round: () => (object) => availability(object, read),
  });
}

const HTTPS = 443;
const AVAILABLE = 'Available';
const unavailable = (reason: string, message: string): Condition => ({ type: AVAILABLE, status: 'False', reason, message });

/** @returns undefined where objects do not decide: the service is there, and only a request could tell more */
export function availability({ spec }: ApiObject, read: ReadObject): Condition | undefined {
  if (spec?.service === undefined)
    return { type: AVAILABLE, status: 'True', reason: 'Local', message: 'Local APIServices are always available' };
  const { namespace = '', name = '', port = HTTPS } = spec.service;
  const service = read('services', namespace, name);
  const called = `service/${name} in ${JSON.stringify(namespace)}`;
  if (service === undefined) return unavailable('ServiceNotFound', `${called} is not present`);
  if (service.spec?.type === 'ExternalName') return undefined;
  const offered = ((service.spec?.ports ?? []) as ServicePort[]).find((each) => each.port === port);
  if (offered === undefined) return unavailable('ServicePortError', `${called} is not listening on port ${port}`);
  const endpoints = read('endpoints', namespace, name);
  if (endpoints === undefined) return unavailable('EndpointsNotFound', `cannot find endpoints for ${called}`);
  return isReady(endpoints, offered.name ?? '')
    ? undefined
    : unavailable('MissingEndpoints', `endpoints for ${called} have no addresses with port name ${JSON.stringify(offered.name ?? '')}`);
}

function isReady({ subsets }: ApiObject, port: string): boolean {
  return ((subsets ?? []) as EndpointSubset[]).some(
    ({ addresses, ports }) => (addresses ?? []).length > 0 && (ports ?? []).some(({ name = '' }) => name === port),
  );
}

/** Changes of a pod's status, which nodes report. */
import { duplicate, type FieldError, forbidden, invalid, notSupported } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { ipAddress } from '../../formats/addresses.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import type { Struct } from '../struct.ts';
import { validateOnePerFamily } from './addresses.ts';
import { isSidecar } from './containers.ts';
import { eachItem, invalidAs } from './findings.ts';
import { inRange } from './numbers.ts';
import { validatePodAnnotationUpdate } from './pod-update.ts';

type List = readonly Struct[] | undefined;

export function validatePodStatusUpdate(pod: ApiObject, old: ApiObject, context: RuleContext): readonly FieldError[] {
  const status: Struct = pod.status ?? {};
  const before: Struct = old.status ?? {};
  return [
    ...validatePodAnnotationUpdate(pod, old, context),
    ...validateConditions(status.conditions),
    ...(status.nominatedNodeName && status.nominatedNodeName !== before.nominatedNodeName
      ? invalidAs(dnsSubdomain(status.nominatedNodeName), 'status.nominatedNodeName', status.nominatedNodeName)
      : []),
    ...((status.qosClass ?? '') === (before.qosClass ?? '')
      ? []
      : [invalid('status.qosClass', status.qosClass ?? '', 'field is immutable')]),
    ...validateTransitions(status.containerStatuses, before.containerStatuses, 'status.containerStatuses', old.spec, () => false),
    ...validateTransitions(
      status.initContainerStatuses,
      before.initContainerStatuses,
      'status.initContainerStatuses',
      old.spec,
      (name) => ((old.spec?.initContainers ?? []) as List)?.some((container) => container.name === name && isSidecar(container)) ?? false,
    ),
    ...validateTransitions(
      status.ephemeralContainerStatuses,
      before.ephemeralContainerStatuses,
      'status.ephemeralContainerStatuses',
      { restartPolicy: 'Never' },
      () => false,
    ),
    ...validateClaimStatuses(status.resourceClaimStatuses, pod.spec?.resourceClaims),
    ...validateIps(status.podIPs, 'status.podIPs'),
    ...validateHostIps(status),
    ...validateContainerStatuses(pod),
  ];
}

const KNOWN_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];

/** 1.32 names the list's path as if it stood in the metadata. */
function validateConditions(conditions: List): readonly FieldError[] {
  return eachItem(conditions, 'metadata.conditions', ({ type = '' }, at) =>
    KNOWN_CONDITIONS.includes(type) ? [] : invalidAs(qualifiedName(type), `${at}.Type`, type),
  );
}

const validateId = (value: unknown, path: string): readonly FieldError[] => inRange(value, path, 0, 2 ** 31 - 1);

/** A container that has ended and is not to run again stays ended. */
function validateTransitions(
  statuses: List,
  old: List,
  path: string,
  spec: Struct,
  mayRestart: (name: string) => boolean,
): readonly FieldError[] {
  if (spec.restartPolicy === 'Always') return [];
  return eachItem(old, path, ({ name, state }, at) => {
    const ended: Struct = state?.terminated;
    if (ended === undefined || ((ended.exitCode ?? 0) !== 0 && spec.restartPolicy === 'OnFailure') || mayRestart(name)) return [];
    return (statuses ?? [])
      .filter((status) => status.name === name && status.state?.terminated === undefined)
      .map(() => forbidden(`${at}.state`, 'may not be transitioned to non-terminated state'));
  });
}

function validateClaimStatuses(statuses: List, claims: List): readonly FieldError[] {
  const names = new Set<string>();
  return eachItem(statuses, 'status.resourceClaimStatuses', ({ name = '', resourceClaimName: claim }, at) => {
    const errors: FieldError[] = [];
    if (!(claims ?? []).some((entry) => entry.name === name))
      errors.push(invalid(`${at}.name`, name, 'must match the name of an entry in `spec.resourceClaims`'));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    if (claim !== undefined) errors.push(...invalidAs(dnsSubdomain(claim), `${at}.name`, claim));
    return errors;
  });
}

function validateIps(ips: List, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return [
    ...eachItem(ips, path, ({ ip = '' }, at) => invalidAs(ipAddress(ip), at, ip)),
    ...validateOnePerFamily(
      (ips ?? []).map(({ ip = '' }) => ip),
      path,
      ips,
      'IP',
    ),
    ...eachItem(ips, path, (entry, at) => {
      if (seen.has(entry.ip)) return [duplicate(at, entry)];
      seen.add(entry.ip);
      return [];
    }),
  ];
}

function validateHostIps({ hostIP, hostIPs }: Struct): readonly FieldError[] {
  const first: Struct = hostIPs?.[0];
  if (first === undefined) return [];
  return [
    ...(hostIP === first.ip ? [] : [invalid('status.hostIPs[0].ip', first.ip ?? '', 'must be equal to `hostIP`')]),
    ...validateIps(hostIPs, 'status.hostIPs'),
  ];
}

function validateContainerStatuses({ spec, status }: ApiObject): readonly FieldError[] {
  const os: string = spec?.os?.name ?? 'linux';
  const lists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'];
  return [
    ...lists.flatMap((list) => eachItem(status?.[list] as List, `status.${list}`, ({ user }, at) => validateUser(user, os, `${at}.linux`))),
    ...validateAllocated(status?.containerStatuses, spec?.containers, 'status.containerStatuses'),
    ...validateAllocated(status?.initContainerStatuses, spec?.initContainers, 'status.initContainerStatuses'),
    ...eachItem(status?.ephemeralContainerStatuses as List, 'status.ephemeralContainerStatuses', ({ allocatedResourcesStatus }, at) =>
      (allocatedResourcesStatus ?? []).length > 0
        ? [forbidden(`${at}.allocatedResourcesStatus`, 'must not be specified in container status')]
        : [],
    ),
  ];
}

function validateUser(user: Struct, os: string, path: string): readonly FieldError[] {
  const linux: Struct = user?.linux;
  if (linux === undefined) return [];
  if (os === 'windows') return [forbidden(path, 'cannot be set for a windows pod')];
  return [
    ...validateId(linux.uid, `${path}.uid`),
    ...validateId(linux.gid, `${path}.gid`),
    ...eachItem(linux.supplementalGroups as readonly unknown[] | undefined, `${path}.supplementalGroups`, validateId),
  ];
}

const HEALTH = ['Healthy', 'Unhealthy', 'Unknown'];

function validateAllocated(statuses: List, containers: List, path: string): readonly FieldError[] {
  return eachItem(statuses, path, ({ name, allocatedResourcesStatus }, at) => {
    const container = (containers ?? []).find((entry) => entry.name === name);
    return eachItem(allocatedResourcesStatus as List, `${at}.allocatedResourcesStatus`, ({ name: resource = '', resources }, entry) => [
      ...(container === undefined ? [] : validateAllocatedName(resource, container, `${entry}.name`)),
      ...validateHealth(resources, `${entry}.resources`),
    ]);
  });
}

function validateAllocatedName(resource: string, container: Struct, path: string): readonly FieldError[] {
  const { claims = [], requests = {} } = container.resources ?? {};
  if (!resource.startsWith('claim:'))
    return Object.hasOwn(requests, resource) ? [] : [invalid(path, resource, "must match one of the container's resource requests")];
  const names = (claims as readonly Struct[]).map(({ name, request }) => `claim:${name}${request ? `/${request}` : ''}`);
  const formats = "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
  return names.includes(resource)
    ? []
    : [invalid(path, resource, `must match one of the container's resource claims in a format ${formats}`)];
}

function validateHealth(resources: List, path: string): readonly FieldError[] {
  const ids = new Set<string>();
  return eachItem(resources, path, ({ resourceID = '', health = '' }, at) => {
    const errors = HEALTH.includes(health) ? [] : [notSupported(`${at}.health`, health, HEALTH)];
    if (ids.has(resourceID)) errors.push(duplicate(`${at}.resourceID`, resourceID));
    ids.add(resourceID);
    return errors;
  });
}

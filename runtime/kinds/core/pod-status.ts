/** Changes of a pod's status, which nodes report. */
import type {
  Container,
  ContainerStatus,
  LinuxContainerUser,
  PodCondition,
  PodIP,
  PodResourceClaimStatus,
  PodSpec,
  PodStatus,
  ResourceStatus,
} from '../../../generated/core/v1/types.ts';
import { duplicate, type FieldError, forbidden, invalid } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { foundInEach, joined, NONE } from '../joined.ts';
import { validateOnePerFamily } from './addresses.ts';
import { isSidecar } from './containers.ts';
import { eachItem, invalidAs } from './findings.ts';
import { inRange } from './numbers.ts';
import { validatePodAnnotationUpdate } from './pod-update.ts';

/** What depends on the pod whose status it is, and on the one that was stored. */
export function validatePodStatusUpdate(pod: ApiObject, old: ApiObject, context: RuleContext): readonly FieldError[] {
  const [status, before]: [PodStatus, PodStatus] = [pod.status ?? {}, old.status ?? {}];
  const [spec, oldSpec]: [PodSpec | undefined, PodSpec | undefined] = [pod.spec, old.spec];
  return joined(
    validatePodAnnotationUpdate(pod, old, context),
    validateConditions(status.conditions),
    validateTransitions(status, before, 'containerStatuses', oldSpec?.restartPolicy),
    validateTransitions(status, before, 'initContainerStatuses', oldSpec?.restartPolicy, oldSpec?.initContainers?.filter(isSidecar)),
    validateTransitions(status, before, 'ephemeralContainerStatuses', 'Never'),
    validateClaimStatuses(status.resourceClaimStatuses, spec?.resourceClaims),
    foundInEach(LISTS, (list) =>
      eachItem(status[list], `status.${list}`, ({ user }, at) => validateUser(user?.linux, spec?.os?.name, `${at}.linux`)),
    ),
    validateAllocated(status.containerStatuses, spec?.containers, 'status.containerStatuses'),
    validateAllocated(status.initContainerStatuses, spec?.initContainers, 'status.initContainerStatuses'),
  );
}

const LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;
const KNOWN_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];

/** 1.32 names the list's path as if it stood in the metadata. */
function validateConditions(conditions: readonly PodCondition[] | undefined): readonly FieldError[] {
  return eachItem(conditions, 'metadata.conditions', ({ type }, at) =>
    KNOWN_CONDITIONS.includes(type) ? NONE : invalidAs(qualifiedName(type), `${at}.Type`, type),
  );
}

/** A container that has ended and is not to run again stays ended. @param restarted containers that run again whatever their pod's policy */
function validateTransitions(
  status: PodStatus,
  old: PodStatus,
  list: (typeof LISTS)[number],
  restartPolicy: string | undefined,
  restarted: readonly Container[] = [],
): readonly FieldError[] {
  if (restartPolicy === 'Always') return NONE;
  return eachItem(old[list], `status.${list}`, ({ name, state }, at) => {
    const ended = state?.terminated;
    if (ended === undefined || ((ended.exitCode ?? 0) !== 0 && restartPolicy === 'OnFailure')) return NONE;
    if (restarted.some((container) => container.name === name)) return NONE;
    return (status[list] ?? [])
      .filter((container) => container.name === name && container.state?.terminated === undefined)
      .map(() => forbidden(`${at}.state`, 'may not be transitioned to non-terminated state'));
  });
}

function validateClaimStatuses(
  statuses: readonly PodResourceClaimStatus[] | undefined,
  claims: PodSpec['resourceClaims'] = [],
): readonly FieldError[] {
  const names = new Set(claims.map(({ name }) => name));
  return eachItem(statuses, 'status.resourceClaimStatuses', ({ name }, at) =>
    names.has(name) ? NONE : [invalid(`${at}.name`, name, 'must match the name of an entry in `spec.resourceClaims`')],
  );
}

/** One address of each family, at most. */
export function differentAddresses(addresses: readonly PodIP[]): readonly FieldError[] {
  const seen = new Set<string>();
  const values = addresses.map(({ ip }) => ip);
  return joined(
    validateOnePerFamily(values, '', addresses, 'IP'),
    eachItem(addresses, '', (address, at) => {
      if (seen.has(address.ip)) return [duplicate(at, address)];
      seen.add(address.ip);
      return NONE;
    }),
  );
}

/** The first of a node's addresses stands by itself as well. */
export function firstHostAddress({ hostIP, hostIPs }: PodStatus): readonly FieldError[] {
  const [first] = hostIPs ?? [];
  return first === undefined || hostIP === first.ip ? NONE : [invalid('.hostIPs[0].ip', first.ip, 'must be equal to `hostIP`')];
}

const MAX_ID = 2 ** 31 - 1;

function validateUser(user: LinuxContainerUser | undefined, os: string | undefined, path: string): readonly FieldError[] {
  if (user === undefined) return NONE;
  if (os === 'windows') return [forbidden(path, 'cannot be set for a windows pod')];
  const validateId = (id: unknown, at: string): readonly FieldError[] => inRange(id, at, 0, MAX_ID);
  return joined(
    validateId(user.uid, `${path}.uid`),
    validateId(user.gid, `${path}.gid`),
    eachItem(user.supplementalGroups, `${path}.supplementalGroups`, validateId),
  );
}

function validateAllocated(
  statuses: readonly ContainerStatus[] | undefined,
  containers: readonly Container[] | null | undefined,
  path: string,
): readonly FieldError[] {
  return eachItem(statuses, path, ({ name, allocatedResourcesStatus }, at) => {
    const container = containers?.find((each) => each.name === name);
    if (container === undefined) return NONE;
    return eachItem(allocatedResourcesStatus, `${at}.allocatedResourcesStatus`, (resource, entry) =>
      validateAllocatedName(resource, container, `${entry}.name`),
    );
  });
}

/** A resource whose health is told is one that the container asks for. */
function validateAllocatedName({ name }: ResourceStatus, { resources }: Container, path: string): readonly FieldError[] {
  const { claims = [], requests = {} } = resources ?? {};
  if (!name.startsWith('claim:'))
    return Object.hasOwn(requests, name) ? NONE : [invalid(path, name, "must match one of the container's resource requests")];
  if (claims.some((claim) => name === `claim:${claim.name}${claim.request ? `/${claim.request}` : ''}`)) return NONE;
  const formats = "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
  return [invalid(path, name, `must match one of the container's resource claims in a format ${formats}`)];
}

/** Changes of a pod's status, which nodes report. */
import type {
  Container,
  ContainerStatus,
  LinuxContainerUser,
  Pod,
  PodIP,
  PodSpec,
  PodStatus,
  ResourceStatus,
} from '../../../../generated/core/v1/types.ts';
import { type FieldError, forbidden, invalid, Notation } from '../../../contract/field-error.ts';
import { qualifiedName } from '../../../formats/labels.ts';
import { foundInEach, joined, NONE } from '../../../validation/joined.ts';
import { eachItem, invalidAs } from '../../findings.ts';
import { validateOnePerFamily } from '../addresses.ts';
import { isSidecar } from '../containers/containers.ts';
import { inRange } from '../numbers.ts';

const LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;
const KNOWN_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];

/** 1.32 names the list's path as if it stood in the metadata. */
export function conditions({ status }: Pod): readonly FieldError[] {
  return eachItem(status?.conditions, '.metadata.conditions', ({ type }, at) =>
    KNOWN_CONDITIONS.includes(type) ? NONE : invalidAs(qualifiedName(type), `${at}.Type`, type),
  );
}

export function endedContainers({ status = {} }: Pod, old: Pod | undefined): readonly FieldError[] {
  const before = old?.status ?? {};
  const { restartPolicy, initContainers }: Partial<PodSpec> = old?.spec ?? {};
  return joined(
    validateTransitions(status, before, 'containerStatuses', restartPolicy),
    validateTransitions(status, before, 'initContainerStatuses', restartPolicy, initContainers?.filter(isSidecar)),
    validateTransitions(status, before, 'ephemeralContainerStatuses', 'Never'),
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
  return eachItem(old[list], `.status.${list}`, ({ name, state }, at) => {
    const ended = state?.terminated;
    if (ended === undefined || ((ended.exitCode ?? 0) !== 0 && restartPolicy === 'OnFailure')) return NONE;
    if (restarted.some((container) => container.name === name)) return NONE;
    return (status[list] ?? [])
      .filter((container) => container.name === name && container.state?.terminated === undefined)
      .map(() => forbidden(`${at}.state`, 'may not be transitioned to non-terminated state'));
  });
}

export function claims({ spec, status }: Pod): readonly FieldError[] {
  const names = new Set(spec?.resourceClaims?.map(({ name }) => name));
  return eachItem(status?.resourceClaimStatuses, '.status.resourceClaimStatuses', ({ name }, at) =>
    names.has(name) ? NONE : [invalid(`${at}.name`, name, 'must match the name of an entry in `spec.resourceClaims`')],
  );
}

/** One address of each family, at most. */
export function families(addresses: readonly PodIP[]): readonly FieldError[] {
  return validateOnePerFamily(
    addresses.map(({ ip }) => ip),
    '',
    addresses,
    'IP',
  );
}

/** The first of a node's addresses stands by itself as well. */
export function firstHostAddress({ hostIP, hostIPs }: PodStatus): readonly FieldError[] {
  const [first] = hostIPs ?? [];
  return first === undefined || hostIP === first.ip ? NONE : [invalid('.hostIPs[0].ip', first.ip, 'must be equal to `hostIP`')];
}

const MAX_ID = 2 ** 31 - 1;

/** 1.32 leaves a member out of the paths. */
export function linuxUsers(status: PodStatus): readonly FieldError[] {
  return foundInEach(LISTS, (list) => eachItem(status[list], `.${list}`, ({ user }, at) => validateUser(user?.linux, `${at}.linux`)));
}

function validateUser(user: LinuxContainerUser | undefined, path: string): readonly FieldError[] {
  if (user === undefined) return NONE;
  const validateId = (id: unknown, at: string): readonly FieldError[] => inRange(id, at, 0, MAX_ID);
  return joined(
    validateId(user.uid, `${path}.uid`),
    validateId(user.gid, `${path}.gid`),
    eachItem(user.supplementalGroups, `${path}.supplementalGroups`, validateId),
  );
}

export function allocatedResources({ spec, status }: Pod): readonly FieldError[] {
  return joined(
    validateAllocated(status?.containerStatuses, spec?.containers, '.status.containerStatuses'),
    validateAllocated(status?.initContainerStatuses, spec?.initContainers, '.status.initContainerStatuses'),
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
    return eachItem(allocatedResourcesStatus, `${at}.allocatedResourcesStatus`, (resource, entry) => {
      const requirement = unmetRequirement(resource, container);
      return requirement === undefined ? NONE : [invalid(`${entry}.name`, new Notation(resource.name), requirement)];
    });
  });
}

const CLAIM_FORMATS = "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";

/** A resource whose health is told is one that the container asks for. */
function unmetRequirement({ name }: ResourceStatus, { resources }: Container): string | undefined {
  const { claims: given = [], requests = {} } = resources ?? {};
  if (!name.startsWith('claim:')) return Object.hasOwn(requests, name) ? undefined : "must match one of the container's resource requests";
  return given.some((claim) => name === `claim:${claim.name}${claim.request ? `/${claim.request}` : ''}`)
    ? undefined
    : `must match one of the container's resource claims in a format ${CLAIM_FORMATS}`;
}

/** Pods: how many run, or still will, and what they request and may take. */
import type {
  Container,
  PodAffinityTerm,
  PodSpec,
  PodStatus,
  ScopedResourceSelectorRequirement,
  WeightedPodAffinityTerm,
} from '../../../../generated/core/v1/types.ts';
import type { ApiObject } from '../../../contract/object.ts';
import { containerAmounts, podAmounts } from '../../../kinds/core/pods/pod-amounts.ts';
import { qosClassOf } from '../../../kinds/core/pods/pod-qos.ts';
import { isExtended, isHugePages, isNative } from '../../../kinds/core/resource-amounts/resource-names.ts';
import { type Amounts, amountsOf, largest, ONE, only, sum } from '../../../schema/scalar/amounts.ts';
import { numeric } from '../../../schema/scalar/raw-number.ts';
import type { AdmissionAttributes } from '../../request/attributes.ts';
import { countName, type Evaluator, type EvaluatorParts } from '../evaluator.ts';
import { selects } from '../scopes.ts';

const PODS = 'pods';
const REQUESTS = 'requests.';
const LIMITS = 'limits.';
const HUGE_PAGES = 'hugepages-';
const COMPUTE = ['cpu', 'memory'];
const MEASURED = [...COMPUTE, 'ephemeral-storage'];
/** What each container must state where a quota has it: a mistake, as 1.32 says, which nothing else was added to. */
const STATED = new Set([...COMPUTE, ...COMPUTE.map((name) => REQUESTS + name), ...COMPUTE.map((name) => LIMITS + name)]);

type Lists = 'requests' | 'limits';
type List = Readonly<Record<string, string>>;

export function pods({ text, featureEnabled }: EvaluatorParts): Evaluator {
  const count = countName('', PODS);
  const names = { text };
  const plain = new Set([count]);
  const measured = new Set([
    count,
    PODS,
    ...MEASURED,
    ...MEASURED.map((name) => REQUESTS + name),
    ...MEASURED.map((name) => LIMITS + name),
  ]);
  const [countsStatus, countsPodLevel] = [featureEnabled('InPlacePodVerticalScaling'), featureEnabled('PodLevelResources')];

  /** What is requested, and what may be taken, by the names that quotas have for both. */
  const compute = (requests: Amounts, limits: Amounts): Map<string, typeof ONE> => {
    const result = new Map([[PODS, ONE]]);
    for (const [name, quantity] of requests) {
      if (MEASURED.includes(name) || isHugePages(name)) result.set(name, quantity).set(REQUESTS + name, quantity);
      else if (isExtended(name, names)) result.set(REQUESTS + name, quantity);
    }
    for (const [name, quantity] of limits) if (MEASURED.includes(name)) result.set(LIMITS + name, quantity);
    return result;
  };

  const amounts = ({ spec = {}, status = {} }: ApiObject, of: Lists): Amounts => {
    const containers = countsStatus ? podAmounts(spec, of, (container) => inPlaceAmounts(container, status, of)) : podAmounts(spec, of);
    const ofPod = countsPodLevel ? podLevel(spec, of) : undefined;
    const together = ofPod === undefined ? containers : new Map([...containers, ...ofPod]);
    return withOverhead(together, spec, of);
  };

  return {
    plain,
    members: ['spec', 'status'],
    handles: ({ operation, subresource }: AdmissionAttributes) =>
      (operation === 'create' && subresource === '') || (operation === 'update' && subresource === 'resize'),
    counts: (name) =>
      measured.has(name) ||
      name.startsWith(HUGE_PAGES) ||
      name.startsWith(REQUESTS + HUGE_PAGES) ||
      (name.startsWith(REQUESTS) && !isNative(name, names)),
    usage(pod, now): Amounts {
      const result = new Map([[count, ONE]]);
      if (isOver(pod, now)) return result;
      return sum(result, compute(amounts(pod, 'requests'), amounts(pod, 'limits')));
    },
    missing(pod, wanted) {
      if (countsPodLevel && (podLevel(pod.spec, 'requests') ?? podLevel(pod.spec, 'limits')) !== undefined) return undefined;
      const { containers = [], initContainers = [] } = pod.spec as PodSpec;
      const stated = [...(containers ?? []), ...initContainers].map((container) => ({
        name: container.name as string,
        has: compute(containerAmounts(container, 'requests'), containerAmounts(container, 'limits')),
      }));
      const lacking = wanted
        .filter((name) => STATED.has(name))
        .sort()
        .map((name) => ({ name, by: stated.filter(({ has }) => !has.has(name)).map((each) => each.name) }))
        .filter(({ by }) => by.length > 0);
      if (lacking.length === 0) return undefined;
      return `must specify ${lacking.map(({ name, by }) => `${name} for: ${[...new Set(by)].sort().join(',')}`).join('; ')}`;
    },
    isIn: (requirement, pod) => isIn(requirement, pod, featureEnabled),
    changesAt: ({ metadata: { deletionTimestamp, deletionGracePeriodSeconds } }) =>
      deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined
        ? undefined
        : Date.parse(deletionTimestamp) + numeric(deletionGracePeriodSeconds) * 1_000,
  };
}

/** It has ended, or should have: its node may be lost, and others may take its place. */
function isOver({ metadata, status }: ApiObject, now: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return now > Date.parse(deletionTimestamp) + numeric(deletionGracePeriodSeconds) * 1_000;
}

/** What a container has while it is resized: it keeps what it has until it gets less, and what it will not get does not count (KEP-1287). */
function inPlaceAmounts(container: Container, { containerStatuses = [], resize }: PodStatus, of: Lists): Amounts {
  const wanted = containerAmounts(container, of);
  const found = containerStatuses.find(({ name }) => name === container.name);
  if (found?.resources === undefined || found.resources === null) return wanted;
  const given = containerAmounts(found as Pick<Container, 'resources'>, of);
  return (resize as string | undefined) === 'Infeasible' ? given : largest(given, wanted);
}

/** Returns the amounts that a pod states for all of its containers together; undefined if it states none (KEP-2837). */
function podLevel(spec: PodSpec | undefined, of: Lists): Amounts | undefined {
  const stated = only(amountsOf((spec as { resources?: Record<Lists, List> } | undefined)?.resources?.[of]), (name) =>
    COMPUTE.includes(name),
  );
  return stated.size === 0 ? undefined : stated;
}

/** What it takes to run the pod counts as requested, and is added to limits that there are and that are not zero. */
function withOverhead(amounts: Amounts, { overhead }: PodSpec, of: Lists): Amounts {
  const more = amountsOf(overhead as List | undefined);
  return sum(amounts, of === 'requests' ? more : only(more, (name) => (amounts.get(name)?.unscaled ?? 0n) !== 0n));
}

function isIn(
  requirement: ScopedResourceSelectorRequirement,
  { spec, status }: ApiObject,
  featureEnabled: EvaluatorParts['featureEnabled'],
): boolean {
  const isBestEffort = (): boolean => (status?.qosClass || qosClassOf(spec, { featureEnabled })) === 'BestEffort';
  switch (requirement.scopeName as string) {
    case 'Terminating':
      return hasDeadline(spec);
    case 'NotTerminating':
      return !hasDeadline(spec);
    case 'BestEffort':
      return isBestEffort();
    case 'NotBestEffort':
      return !isBestEffort();
    case 'PriorityClass':
      return selects(requirement, spec.priorityClassName ?? '');
    case 'CrossNamespacePodAffinity':
      return reachesOtherNamespaces(spec);
    default:
      return false;
  }
}

const hasDeadline = ({ activeDeadlineSeconds }: PodSpec): boolean =>
  activeDeadlineSeconds !== undefined && activeDeadlineSeconds !== null && numeric(activeDeadlineSeconds) >= 0;

function reachesOtherNamespaces({ affinity }: PodSpec): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some((each) => {
    const required = (each?.requiredDuringSchedulingIgnoredDuringExecution ?? []) as readonly PodAffinityTerm[];
    const preferred = (each?.preferredDuringSchedulingIgnoredDuringExecution ?? []) as readonly WeightedPodAffinityTerm[];
    return [...required, ...preferred.map(({ podAffinityTerm }) => podAffinityTerm)].some(
      (term) => (term?.namespaces ?? []).length > 0 || (term?.namespaceSelector ?? undefined) !== undefined,
    );
  });
}

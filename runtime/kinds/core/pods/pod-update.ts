/** Which changes of a pod 1.32 lets through: almost nothing of its spec, once it is there. */
import type { Affinity, Container, NodeAffinity, NodeSelectorTerm, Pod, PodSpec, Toleration } from '../../../../generated/core/v1/types.ts';
import { type FieldError, forbidden, invalid } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { goEmptyList, goEmptyMap } from '../../../go-text/values.ts';
import { deepEqual } from '../../../schema/equal.ts';
import { numeric } from '../../../schema/scalar/raw-number.ts';
import { foundInEach, joined, NONE } from '../../../validation/joined.ts';
import { eachItem } from '../../findings.ts';

type Spec = PodSpec | undefined;

export function keepsContainers({ containers }: PodSpec, old: Spec): boolean {
  return lengthOf(containers) === lengthOf(old?.containers);
}

export function keepsInitContainers({ initContainers }: PodSpec, old: Spec): boolean {
  return lengthOf(initContainers) === lengthOf(old?.initContainers);
}

const lengthOf = (list: readonly unknown[] | null | undefined): number => list?.length ?? 0;

/** A deadline may be set, or come nearer. */
export function isNoLater(deadline: PodSpec['activeDeadlineSeconds'], old: PodSpec['activeDeadlineSeconds']): boolean {
  return old === undefined || numeric(deadline) <= numeric(old);
}

export function keepsTolerations({ tolerations }: PodSpec, old: Spec): boolean {
  const before = old?.tolerations;
  if (tolerations === before || before === undefined) return true;
  const now = new Set(tolerations?.map(withoutSeconds));
  return before.every((toleration) => now.has(withoutSeconds(toleration)));
}

/** Members of decoded objects have one order. */
const withoutSeconds = (toleration: Toleration): string => JSON.stringify({ ...toleration, tolerationSeconds: undefined });

/** Gates can be taken away, and never added. */
export function gates({ schedulingGates }: PodSpec, old: Spec): readonly FieldError[] {
  if (schedulingGates === old?.schedulingGates) return NONE;
  const before = new Set(old?.schedulingGates?.map(({ name }) => name));
  return eachItem(schedulingGates, '.schedulingGates', ({ name = '' }, at) =>
    before.has(name) ? NONE : [forbidden(`${at}.name`, `only deletion is allowed, but found new scheduling gate '${name}'`)],
  );
}

const isGated = (spec: Spec): boolean => lengthOf(spec?.schedulingGates) > 0;

/** Before a pod may be scheduled, it may be kept from more nodes. */
export function placement({ nodeSelector, affinity }: PodSpec, old: Spec, { sent }: RuleContext): readonly FieldError[] {
  if (old === undefined || !isGated(old)) return NONE;
  const changesSelector = Object.entries(old.nodeSelector ?? {}).some(([key, value]) => nodeSelector?.[key] !== value);
  const shown = nodeSelector ?? goEmptyMap('map[string]string', (sent?.() as Partial<Pod> | undefined)?.spec?.nodeSelector);
  return joined(
    changesSelector
      ? [invalid('.nodeSelector', shown, 'only additions to spec.nodeSelector are allowed (no mutations or deletions)')]
      : NONE,
    validateNodeAffinityUpdate(affinity?.nodeAffinity, old.affinity?.nodeAffinity),
  );
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const NIL = goEmptyList('core.NodeSelectorTerm', undefined);

function validateNodeAffinityUpdate(affinity: NodeAffinity | undefined, old: NodeAffinity | undefined): readonly FieldError[] {
  if (deepEqual(affinity, old)) return NONE;
  const path = `.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`;
  const terms: readonly NodeSelectorTerm[] = affinity?.[REQUIRED]?.nodeSelectorTerms ?? NONE;
  const oldTerms: readonly NodeSelectorTerm[] = old?.[REQUIRED]?.nodeSelectorTerms ?? NONE;
  if (oldTerms.length > 0 && oldTerms.length !== terms.length)
    return [invalid(path, affinity?.[REQUIRED] ? terms : NIL, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')];
  return foundInEach(oldTerms, (oldTerm, index) =>
    onlyAdds(terms[index], oldTerm)
      ? NONE
      : [invalid(`${path}[${index}]`, terms[index], 'only additions are allowed (no mutations or deletions)')],
  );
}

function onlyAdds(term: NodeSelectorTerm | undefined, old: NodeSelectorTerm): boolean {
  const lists = (['matchExpressions', 'matchFields'] as const).map((list) => ({ now: term?.[list] ?? NONE, before: old[list] ?? NONE }));
  if (lists.every(({ before }) => before.length === 0)) return lists.every(({ now }) => now.length === 0);
  return lists.every(({ now, before }) => deepEqual(now.slice(0, before.length), before));
}

const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

/** Everything that has not been looked at by itself must be as it was. */
export function otherMembers(spec: PodSpec, old: Spec, context: RuleContext): readonly FieldError[] {
  if (old === undefined || spec === old || deepEqual(comparable(spec, old), old)) return NONE;
  const dropsImageVolumes = !context.featureEnabled('ImageVolume');
  const shown = (sent: unknown): object => comparable(dropsImageVolumes ? withoutEmptyVolumes(sent as PodSpec) : (sent as PodSpec), old);
  const difference = context.changeText?.('spec', old, shown) ?? '';
  return [forbidden('', `pod updates may not change fields other than ${UPDATABLE.join(',')}\n${difference}`)];
}

/** A spec of which members were put back, and some may be missing. */
type Comparable = { readonly [Member in keyof PodSpec]?: PodSpec[Member] | undefined };

/** The spec, with what may change, or has been looked at, as it was. */
function comparable(spec: PodSpec, old: PodSpec): Comparable {
  const endsSooner = numeric(old.terminationGracePeriodSeconds) < 0 && spec.terminationGracePeriodSeconds === 1;
  return {
    ...spec,
    containers: withImages(spec.containers, old.containers),
    initContainers: withImages(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    schedulingGates: old.schedulingGates,
    tolerations: old.tolerations,
    ...(endsSooner && { terminationGracePeriodSeconds: old.terminationGracePeriodSeconds }),
    ...(isGated(old) && { nodeSelector: old.nodeSelector, affinity: placedAffinity(spec.affinity, old.affinity) }),
  };
}

type Containers = readonly Container[] | null | undefined;

/** 1.32 makes the list anew. */
function withImages(containers: Containers, old: Containers): Container[] | undefined {
  if (containers === undefined || containers === null || containers.length === 0) return undefined;
  return containers.map((container, index) => ({ ...container, image: old?.[index]?.image }) as Container);
}

/** The affinity with the nodes that the old pod may be on; absent where that is all there is to it and the old pod had none. */
function placedAffinity(affinity: Affinity | undefined, old: Affinity | undefined): Affinity | undefined {
  const nodeAffinity = old?.nodeAffinity;
  if (deepEqual(affinity?.nodeAffinity, nodeAffinity)) return affinity;
  const bare = affinity?.podAffinity === undefined && affinity?.podAntiAffinity === undefined;
  return bare && old === undefined ? undefined : ({ ...affinity, nodeAffinity } as Affinity);
}

/** While there are no volumes of images, 1.32 makes all lists of volumes and mounts anew, and has none where they are empty. */
function withoutEmptyVolumes(spec: PodSpec): PodSpec {
  return {
    ...spec,
    volumes: unlessEmpty(spec.volumes),
    initContainers: mounted(spec.initContainers),
    containers: mounted(spec.containers),
    ephemeralContainers: mounted(spec.ephemeralContainers),
  } as PodSpec;
}

const unlessEmpty = <T>(list: readonly T[] | undefined): readonly T[] | undefined => (lengthOf(list) === 0 ? undefined : list);

function mounted<T extends Pick<Container, 'volumeMounts'>>(containers: readonly T[] | null | undefined): readonly object[] | undefined {
  return containers?.map((container) => ({ ...container, volumeMounts: unlessEmpty(container.volumeMounts) }));
}

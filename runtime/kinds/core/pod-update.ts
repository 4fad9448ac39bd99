/** Which changes of a pod 1.32 lets through: almost nothing of its spec, once it is there. */
import { type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import type { RuleContext, UpdateContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { deepEqual } from '../../schema/equal.ts';
import { numeric } from '../../schema/raw-number.ts';
import type { Struct } from '../struct.ts';
import { isTrimmed } from './containers.ts';
import { eachItem } from './findings.ts';
import { appArmorKey, MIRROR } from './pod-annotations.ts';
import { validateTolerations } from './scheduling.ts';

type List = readonly Struct[] | undefined;

const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

export function validatePodUpdate(pod: ApiObject, old: ApiObject, context: UpdateContext): readonly FieldError[] {
  const errors = [...validatePodAnnotationUpdate(pod, old, context)];
  for (const list of ['containers', 'initContainers']) {
    const path = `spec.${list}`;
    if ((pod.spec[list] ?? []).length !== (old.spec[list] ?? []).length)
      return [...errors, forbidden(path, 'pod updates may not add or remove containers')];
    errors.push(...validateImages(pod.spec[list], path));
  }
  const [deadlineErrors, goOn] = validateDeadline(pod.spec.activeDeadlineSeconds, old.spec.activeDeadlineSeconds);
  errors.push(...deadlineErrors);
  if (!goOn) return errors;
  return [
    ...errors,
    ...validateAddedTolerations(pod.spec.tolerations, old.spec.tolerations),
    ...validateRemovedGates(pod.spec.schedulingGates, old.spec.schedulingGates),
    ...validateRest(pod.spec, old.spec, context),
  ];
}

function validateImages(containers: List, path: string): readonly FieldError[] {
  return eachItem(containers, path, (container, at) => [
    ...(container.image ? [] : [required(`${at}.image`)]),
    ...(isTrimmed(container.image ?? '') ? [] : [invalid(`${at}.image`, container.image, 'must not have leading or trailing whitespace')]),
  ]);
}

const MAX_INT32 = 2 ** 31 - 1;

/** A deadline may be set, or come nearer. @returns the errors, and whether there is anything more to say */
function validateDeadline(deadline: unknown, old: unknown): [FieldError[], boolean] {
  const path = 'spec.activeDeadlineSeconds';
  if (deadline === undefined)
    return [old === undefined ? [] : [invalid(path, null, 'must not update from a positive integer to nil value')], true];
  const seconds = numeric(deadline);
  if (seconds < 0 || seconds > MAX_INT32) return [[invalid(path, deadline, `must be between 0 and ${MAX_INT32}, inclusive`)], false];
  if (old !== undefined && numeric(old) < seconds)
    return [[invalid(path, deadline, 'must be less than or equal to previous value')], false];
  return [[], true];
}

function validateAddedTolerations(tolerations: List, old: List): readonly FieldError[] {
  const path = 'spec.tolerations';
  const now = new Set((tolerations ?? []).map(withoutSeconds));
  return (old ?? []).every((toleration) => now.has(withoutSeconds(toleration)))
    ? validateTolerations(tolerations, path)
    : [forbidden(path, 'existing toleration can not be modified except its tolerationSeconds')];
}

/** Members of decoded objects have one order. */
const withoutSeconds = (toleration: Struct): string => JSON.stringify({ ...toleration, tolerationSeconds: undefined });

function validateRemovedGates(gates: List, old: List): readonly FieldError[] {
  const before = new Set((old ?? []).map((gate) => gate.name));
  return eachItem(gates, 'spec.schedulingGates', ({ name = '' }, at) =>
    before.has(name) ? [] : [forbidden(`${at}.name`, `only deletion is allowed, but found new scheduling gate '${name}'`)],
  );
}

/** Everything that has not been looked at by itself must be as it was. */
function validateRest(spec: Struct, old: Struct, context: UpdateContext): readonly FieldError[] {
  const isGated = (old.schedulingGates ?? []).length > 0;
  const errors = isGated ? validateGatedPlacement(spec, old) : [];
  const rest = comparable(spec, old);
  if (deepEqual(rest, old)) return errors;
  const dropsImageVolumes = !context.featureEnabled('ImageVolume');
  const shown = (sent: unknown): Struct => comparable(dropsImageVolumes ? withoutEmptyVolumes(sent as Struct) : (sent as Struct), old);
  const difference = context.changeText('spec', old, shown);
  return [...errors, forbidden('spec', `pod updates may not change fields other than ${UPDATABLE.join(',')}\n${difference}`)];
}

/** The spec, with what may change, or has been looked at, as it was. */
function comparable(spec: Struct, old: Struct): Struct {
  const rest: Struct = {
    ...spec,
    containers: withImages(spec.containers, old.containers),
    initContainers: withImages(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    schedulingGates: old.schedulingGates,
    tolerations: old.tolerations,
  };
  if (numeric(old.terminationGracePeriodSeconds) < 0 && spec.terminationGracePeriodSeconds === 1)
    rest.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds;
  return (old.schedulingGates ?? []).length > 0 ? withPlacement(rest, old) : rest;
}

/** 1.32 makes the list anew. */
function withImages(containers: List, old: List): List {
  if (containers === undefined || containers.length === 0) return undefined;
  return containers.map((container, index) => ({ ...container, image: old?.[index]?.image }));
}

/** While there are no volumes of images, 1.32 makes all lists of volumes and mounts anew, and has none where they are empty. */
function withoutEmptyVolumes(spec: Struct): Struct {
  const unlessEmpty = (list: List): List => (list === undefined || list.length === 0 ? undefined : list);
  const mounted = (containers: List): List =>
    containers?.map((container) => ({ ...container, volumeMounts: unlessEmpty(container.volumeMounts) }));
  return {
    ...spec,
    volumes: unlessEmpty(spec.volumes),
    initContainers: mounted(spec.initContainers),
    containers: mounted(spec.containers),
    ephemeralContainers: mounted(spec.ephemeralContainers),
  };
}

/** Before a pod may be scheduled, it may be kept from more nodes. */
function validateGatedPlacement(spec: Struct, old: Struct): readonly FieldError[] {
  const selector: Record<string, string> = spec.nodeSelector ?? {};
  const changesSelector = Object.entries(old.nodeSelector ?? {}).some(([key, value]) => selector[key] !== value);
  const [affinity, oldAffinity] = [spec.affinity?.nodeAffinity, old.affinity?.nodeAffinity];
  return [
    ...(changesSelector
      ? [invalid('spec.nodeSelector', selector, 'only additions to spec.nodeSelector are allowed (no mutations or deletions)')]
      : []),
    ...(deepEqual(affinity, oldAffinity) ? [] : validateNodeAffinityUpdate(affinity, oldAffinity)),
  ];
}

/** The spec with the nodes that the old one may be on. */
function withPlacement(spec: Struct, old: Struct): Struct {
  const placed = { ...spec, nodeSelector: old.nodeSelector };
  const oldAffinity: Struct = old.affinity?.nodeAffinity;
  if (!deepEqual(spec.affinity?.nodeAffinity, oldAffinity)) placed.affinity = withNodeAffinity(spec.affinity, old.affinity, oldAffinity);
  return placed;
}

/** The affinity with the old node affinity; absent where that is all there is to it and the old pod had none. */
function withNodeAffinity(affinity: Struct, old: Struct, nodeAffinity: Struct): Struct {
  const bare = affinity?.podAffinity === undefined && affinity?.podAntiAffinity === undefined;
  if (bare && old === undefined) return undefined;
  return { ...affinity, nodeAffinity };
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

function validateNodeAffinityUpdate(affinity: Struct, old: Struct): readonly FieldError[] {
  const path = `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`;
  const terms: readonly Struct[] = affinity?.[REQUIRED]?.nodeSelectorTerms ?? [];
  const oldTerms: readonly Struct[] = old?.[REQUIRED]?.nodeSelectorTerms ?? [];
  if (oldTerms.length > 0 && oldTerms.length !== terms.length)
    return [invalid(path, terms, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')];
  return eachItem(oldTerms, path, (oldTerm, at, index) =>
    onlyAdds(terms[index], oldTerm) ? [] : [invalid(at, terms[index], 'only additions are allowed (no mutations or deletions)')],
  );
}

function onlyAdds(term: Struct, old: Struct): boolean {
  const lists = ['matchExpressions', 'matchFields'].map((list) => ({ now: term?.[list] ?? [], before: old[list] ?? [] }));
  if (lists.every(({ before }) => before.length === 0)) return lists.every(({ now }) => now.length === 0);
  return lists.every(({ now, before }) => deepEqual(now.slice(0, before.length), before));
}

/** Annotations that a node or the server set when the pod came. */
export function validatePodAnnotationUpdate(pod: ApiObject, old: ApiObject, context: RuleContext): readonly FieldError[] {
  const now = pod.metadata.annotations ?? {};
  const before = old.metadata.annotations ?? {};
  const appArmor = appArmorKey('', context);
  const fixed = (key: string): string | undefined =>
    key.startsWith(appArmor) ? 'AppArmor annotations' : key === context.text(MIRROR) ? 'mirror pod annotation' : undefined;
  const refusal = (key: string, verb: string): readonly FieldError[] => {
    const noun = fixed(key);
    return noun === undefined ? [] : [forbidden(`metadata.annotations[${key}]`, `may not ${verb} ${noun}`)];
  };
  return [
    ...Object.keys(before)
      .filter((key) => now[key] !== before[key])
      .flatMap((key) => refusal(key, 'remove or update')),
    ...Object.keys(now)
      .filter((key) => !(key in before))
      .flatMap((key) => refusal(key, 'add')),
  ];
}

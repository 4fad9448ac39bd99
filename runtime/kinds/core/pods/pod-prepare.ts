/** What the server itself puts into a new pod. */
import type { AppArmorProfile, PodAffinity, PodAntiAffinity, PodSpec, PodStatus } from '../../../../generated/core/v1/types.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import type { ApiObject } from '../../../contract/object.ts';
import { containersOf } from '../containers/containers.ts';
import { APP_ARMOR_DEPRECATED, appArmorKey } from './pod-annotations.ts';
import { qosClassOf } from './pod-qos.ts';

export function prepareNewPod(pod: ApiObject, context: RuleContext): void {
  const { spec } = pod;
  pod.status = { ...gatedStatus(spec), phase: 'Pending', qosClass: qosClassOf(spec, context) };
  for (const member of ['podAffinity', 'podAntiAffinity'] as const) selectByOwnLabels(spec.affinity?.[member], pod.metadata.labels);
  agreeOnAppArmor(pod, context);
}

function gatedStatus(spec: PodSpec): PodStatus {
  if ((spec.schedulingGates ?? []).length === 0) return {};
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: null,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
  return { conditions: [condition] };
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Terms that name keys of the pod's own labels select by the values that the pod has. */
function selectByOwnLabels(
  affinity: PodAffinity | PodAntiAffinity | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): void {
  if (affinity === undefined || labels === undefined) return;
  const terms = [...(affinity[REQUIRED] ?? []), ...(affinity[PREFERRED] ?? []).map(({ podAffinityTerm }) => podAffinityTerm)];
  for (const { labelSelector, matchLabelKeys, mismatchLabelKeys } of terms) {
    if (labelSelector === undefined) continue;
    const added = [...requirements('In', matchLabelKeys, labels), ...requirements('NotIn', mismatchLabelKeys, labels)];
    if (added.length > 0) labelSelector.matchExpressions = [...(labelSelector.matchExpressions ?? []), ...added];
  }
}

function requirements(operator: 'In' | 'NotIn', keys: readonly string[] | undefined, labels: Readonly<Record<string, string>>) {
  return (keys ?? []).filter((key) => Object.hasOwn(labels, key)).map((key) => ({ key, operator, values: [labels[key] as string] }));
}

const LOCALHOST = 'localhost/';
const ANNOTATION_TYPES: Readonly<Record<string, AppArmorProfile['type']>> = {
  'runtime/default': 'RuntimeDefault',
  unconfined: 'Unconfined',
};

/** Older nodes read a container's AppArmor profile from an annotation, newer ones from a field: each is made from the other. */
function agreeOnAppArmor({ spec, metadata }: ApiObject, context: RuleContext): void {
  if (spec.os?.name === 'windows') return;
  const ofPod: AppArmorProfile | undefined = spec.securityContext?.appArmorProfile;
  for (const { container } of containersOf(spec, '')) {
    if (metadata.annotations === undefined && ofPod === undefined && container.securityContext?.appArmorProfile === undefined) continue;
    const key = appArmorKey(container.name, context);
    const annotation = metadata.annotations?.[key];
    const own = container.securityContext?.appArmorProfile;
    if (annotation === undefined) {
      const text = annotationOf(own ?? ofPod);
      if (text !== undefined) metadata.annotations = { ...metadata.annotations, [key]: text };
    } else if (own === undefined) {
      const profile = profileOf(annotation);
      const inherited = ofPod !== undefined && profile?.type === ofPod.type && profile?.localhostProfile === ofPod.localhostProfile;
      if (profile !== undefined && !inherited) container.securityContext = { ...container.securityContext, appArmorProfile: profile };
      if (profile === undefined || !inherited) context.request.warn?.(`metadata.annotations[${key}]: ${APP_ARMOR_DEPRECATED}`);
    }
  }
}

function annotationOf(profile: AppArmorProfile | undefined): string | undefined {
  if (profile?.type === 'Localhost') return profile.localhostProfile ? `${LOCALHOST}${profile.localhostProfile}` : undefined;
  return Object.keys(ANNOTATION_TYPES).find((text) => ANNOTATION_TYPES[text] === profile?.type);
}

function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation.startsWith(LOCALHOST) && annotation.length > LOCALHOST.length)
    return { type: 'Localhost', localhostProfile: annotation.slice(LOCALHOST.length) };
  const type = Object.hasOwn(ANNOTATION_TYPES, annotation) ? ANNOTATION_TYPES[annotation] : undefined;
  return type === undefined ? undefined : { type };
}

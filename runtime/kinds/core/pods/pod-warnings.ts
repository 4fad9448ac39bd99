/** What is said to people about pods that are accepted, but hold something outdated or doubtful. */

import type {
  Affinity,
  EnvVar,
  EphemeralContainerCommon,
  PodSpec,
  PodTemplateSpec,
  TopologySpreadConstraint,
} from '../../../../generated/core/v1/types.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { numeric } from '../../../schema/scalar/raw-number.ts';
import { foundInEach, joined, NONE } from '../../../validation/joined.ts';
import { containersOf } from '../containers/containers.ts';
import { isWhole } from '../resource-amounts/quantities.ts';
import { deprecatedLabelWarning, deprecatedTermWarnings } from '../scheduling/node-labels.ts';
import { volumeWarnings } from '../volumes/pod-volume-warnings.ts';
import { APP_ARMOR_DEPRECATED, appArmorKey, SECCOMP_CONTAINER, SECCOMP_POD } from './pod-annotations.ts';
import { portWarnings } from './pod-port-warnings.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** A pod, or a template of one. */
interface Template {
  readonly metadata?: Pick<NonNullable<PodTemplateSpec['metadata']>, 'annotations'>;
  readonly spec?: Partial<PodSpec>;
}

/**
 * @param template a pod, or the template of one; absent: nothing is said
 * @param prefix of the paths: empty for a pod, `spec.template.` or the like for a template
 */
export function podTemplateWarnings(template: Template | undefined, prefix: string, context: RuleContext): readonly string[] {
  const spec: Partial<PodSpec> = template?.spec ?? {};
  const path = `${prefix}spec`;
  const annotations: Record<string, string> = template?.metadata?.annotations ?? NO_ANNOTATIONS;
  const containers = containersOf(spec, path);
  const profiles = (key: string, text: string): readonly string[] =>
    annotations[key] === undefined ? NONE : [`${prefix}metadata.annotations[${key}]: ${text}`];
  return joined(
    nodeLabelWarnings(spec, path, context),
    spreadWarnings(spec.topologySpreadConstraints, `${path}.topologySpreadConstraints`, context),
    annotationWarnings(annotations, `${prefix}metadata.annotations`, context),
    volumeWarnings(spec.volumes, `${path}.volumes`),
    listWarnings(spec, path),
    byteWarnings(spec, OVERHEAD, () => path),
    spec.securityContext?.seccompProfile === undefined ? profiles(context.text(SECCOMP_POD), SECCOMP_LOST) : NONE,
    foundInEach(containers, (place) =>
      joined(
        annotations === NO_ANNOTATIONS ? NONE : profileWarnings(place.container, spec, prefix !== '', profiles, context),
        byteWarnings(place.container.resources ?? NONE_LISTED, LISTS, () => `${place.path}.resources`),
        environmentWarnings(place.container.env, () => `${place.path}.env`),
      ),
    ),
    portWarnings(containers),
    numeric(spec.terminationGracePeriodSeconds) < 0
      ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : NONE,
    podAffinityWarnings(spec.affinity?.podAffinity, `${path}.affinity.podAffinity`),
    podAffinityWarnings(spec.affinity?.podAntiAffinity, `${path}.affinity.podAntiAffinity`),
  );
}

function nodeLabelWarnings(spec: Partial<PodSpec>, path: string, context: RuleContext): readonly string[] {
  const affinity = spec.affinity?.nodeAffinity;
  const at = `${path}.affinity.nodeAffinity`;
  return joined(
    foundInEach(Object.keys(spec.nodeSelector ?? {}), (key) => deprecatedLabelWarning(key, `${path}.nodeSelector[${key}]: `, context)),
    foundInEach(affinity?.[REQUIRED]?.nodeSelectorTerms, (term, index) =>
      deprecatedTermWarnings(term, `${at}.${REQUIRED}.nodeSelectorTerms[${index}]`, context),
    ),
    foundInEach(affinity?.[PREFERRED], ({ preference }, index) =>
      deprecatedTermWarnings(preference, `${at}.${PREFERRED}[${index}].preference`, context),
    ),
  );
}

const NO_SELECTOR = 'a null labelSelector results in matching no pod';

function spreadWarnings(
  constraints: readonly TopologySpreadConstraint[] | undefined,
  path: string,
  context: RuleContext,
): readonly string[] {
  return foundInEach(constraints, ({ topologyKey = '', labelSelector }, index) =>
    joined(
      deprecatedLabelWarning(topologyKey, `${path}[${index}].topologyKey: ${topologyKey} is `, context),
      labelSelector === undefined ? [`${path}[${index}].labelSelector: ${NO_SELECTOR}`] : NONE,
    ),
  );
}

function podAffinityWarnings(affinity: Affinity['podAffinity'], path: string): readonly string[] {
  if (affinity === undefined) return NONE;
  return joined(
    foundInEach(affinity[REQUIRED], ({ labelSelector }, index) =>
      labelSelector === undefined ? [`${path}.${REQUIRED}[${index}].labelSelector: ${NO_SELECTOR}`] : NONE,
    ),
    foundInEach(affinity[PREFERRED], ({ podAffinityTerm }, index) =>
      podAffinityTerm?.labelSelector === undefined
        ? [`${path}.${PREFERRED}[${index}].podAffinityTerm.labelSelector: ${NO_SELECTOR}`]
        : NONE,
    ),
  );
}

const NO_ANNOTATIONS: Readonly<Record<string, string>> = {};

/** Annotations that have lost their meaning to a field. */
const LOST: readonly (readonly [key: string, text: string])[] = [
  ['scheduler.alpha.${labelDomain}/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.${labelDomain}/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.${labelDomain}/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];

function annotationWarnings(annotations: Readonly<Record<string, string>>, path: string, context: RuleContext): readonly string[] {
  if (annotations === NO_ANNOTATIONS) return NONE;
  return foundInEach(LOST, ([template, text]) => {
    const key = context.text(template);
    return annotations[key] === undefined ? NONE : [`${path}[${key}]: ${text}`];
  });
}

const SECCOMP_LOST = 'non-functional in v1.27+; use the "seccompProfile" field instead';

/**
 * Profiles of a container in annotations, where the field that has their place is not set.
 * @param say something of an annotation that is there
 */
function profileWarnings(
  { name, securityContext }: EphemeralContainerCommon,
  pod: Partial<PodSpec>,
  inTemplate: boolean,
  say: (key: string, text: string) => readonly string[],
  context: RuleContext,
): readonly string[] {
  // In a pod the annotation has become the field by now.
  const wantsField = inTemplate && pod.securityContext?.appArmorProfile === undefined && securityContext?.appArmorProfile === undefined;
  return joined(
    securityContext?.seccompProfile === undefined ? say(`${context.text(SECCOMP_CONTAINER)}${name}`, SECCOMP_LOST) : NONE,
    wantsField ? say(appArmorKey(name, context), APP_ARMOR_DEPRECATED) : NONE,
  );
}

function environmentWarnings(variables: readonly EnvVar[] | undefined, path: () => string): readonly string[] {
  if (variables === undefined || variables.length < 2) return NONE;
  const names = new Set<string>();
  return foundInEach(variables, ({ name = '', value = '', valueFrom }, index) => {
    if (!names.has(name)) {
      names.add(name);
      return NONE;
    }
    const reference = `$(${name})`;
    // A value that builds on the one before is meant to.
    const builds = valueFrom === undefined && value !== reference && value.includes(reference);
    if (builds) return NONE;
    return [`${path()}[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`];
  });
}

const BYTES = ['memory', 'ephemeral-storage'];
const OVERHEAD = ['overhead'] as const;
type ResourceList = Readonly<Record<string, string>>;
const LISTS = ['limits', 'requests'] as const;
const NONE_LISTED: { readonly [List in (typeof LISTS)[number]]?: ResourceList } = {};

/** @param members of the holder that are lists of quantities; of each resource all of them are looked at before the next one */
function byteWarnings<M extends string>(
  holder: { readonly [Member in M]?: ResourceList },
  members: readonly M[],
  path: () => string,
): readonly string[] {
  return foundInEach(BYTES, (name) =>
    foundInEach(members, (member) => {
      const text: string | undefined = holder[member]?.[name];
      if (text === undefined || isWhole(text)) return NONE;
      return [`${path()}.${member}[${name}]: fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`];
    }),
  );
}

function listWarnings(spec: Partial<PodSpec>, path: string): readonly string[] {
  const { imagePullSecrets, hostAliases } = spec;
  return joined(
    repeated(hostAliases, 'ip', `${path}.hostAliases`),
    repeated(imagePullSecrets, 'name', `${path}.imagePullSecrets`),
    foundInEach(imagePullSecrets, ({ name }, index) => (name ? NONE : [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`])),
  );
}

/** @param member whose value should be different in each item */
function repeated<M extends string>(
  list: readonly { readonly [Member in M]?: string }[] | undefined,
  member: M,
  path: string,
): readonly string[] {
  if (list === undefined) return NONE;
  const seen = new Set<string>();
  return foundInEach(list, (item, index) => {
    const value = item[member] ?? '';
    const again = seen.has(value);
    seen.add(value);
    return again ? [`${path}[${index}].${member}: duplicate ${member} ${JSON.stringify(value)}`] : NONE;
  });
}

/** What is said to people about pods that are accepted, but hold something outdated or doubtful. */
import type { RuleContext } from '../../contract/kind.ts';
import type { Struct } from '../struct.ts';
import { containersOf } from './containers.ts';
import { deprecatedLabelWarning, deprecatedTermWarnings } from './node-labels.ts';
import { numeric } from './numbers.ts';
import { APP_ARMOR_DEPRECATED, appArmorKey, SECCOMP_CONTAINER, SECCOMP_POD } from './pod-annotations.ts';
import { portWarnings } from './pod-port-warnings.ts';
import { volumeWarnings } from './pod-volume-warnings.ts';
import { isWhole } from './quantities.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/**
 * @param template a pod, or the template of one; absent: nothing is said
 * @param prefix of the paths: empty for a pod, `spec.template.` or the like for a template
 */
export function podTemplateWarnings(template: Struct, prefix: string, context: RuleContext): string[] {
  const spec: Struct = template?.spec ?? {};
  const path = `${prefix}spec`;
  const annotations: Record<string, string> = template?.metadata?.annotations ?? {};
  const containers = containersOf(spec, path);
  const profiles = (key: string, text: string): string[] =>
    annotations[key] === undefined ? [] : [`${prefix}metadata.annotations[${key}]: ${text}`];
  return [
    ...nodeLabelWarnings(spec, path, context),
    ...spreadWarnings(spec.topologySpreadConstraints, `${path}.topologySpreadConstraints`, context),
    ...annotationWarnings(annotations, `${prefix}metadata.annotations`, context),
    ...volumeWarnings(spec.volumes, `${path}.volumes`),
    ...listWarnings(spec, path),
    ...byteWarnings([[`${path}.overhead`, spec.overhead]]),
    ...(spec.securityContext?.seccompProfile === undefined ? profiles(context.text(SECCOMP_POD), SECCOMP_LOST) : []),
    ...containers.flatMap(({ container, path: at }) => [
      ...profileWarnings(container, spec, prefix !== '', profiles, context),
      ...byteWarnings([
        [`${at}.resources.limits`, container.resources?.limits],
        [`${at}.resources.requests`, container.resources?.requests],
      ]),
      ...environmentWarnings(container.env, `${at}.env`),
    ]),
    ...portWarnings(containers),
    ...(numeric(spec.terminationGracePeriodSeconds) < 0
      ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...podAffinityWarnings(spec.affinity?.podAffinity, `${path}.affinity.podAffinity`),
    ...podAffinityWarnings(spec.affinity?.podAntiAffinity, `${path}.affinity.podAntiAffinity`),
  ];
}

function nodeLabelWarnings(spec: Struct, path: string, context: RuleContext): string[] {
  const affinity: Struct = spec.affinity?.nodeAffinity;
  const at = `${path}.affinity.nodeAffinity`;
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((key) => deprecatedLabelWarning(key, `${path}.nodeSelector[${key}]: `, context)),
    ...((affinity?.[REQUIRED]?.nodeSelectorTerms ?? []) as Struct[]).flatMap((term, index) =>
      deprecatedTermWarnings(term, `${at}.${REQUIRED}.nodeSelectorTerms[${index}]`, context),
    ),
    ...((affinity?.[PREFERRED] ?? []) as Struct[]).flatMap(({ preference }, index) =>
      deprecatedTermWarnings(preference, `${at}.${PREFERRED}[${index}].preference`, context),
    ),
  ];
}

const NO_SELECTOR = 'a null labelSelector results in matching no pod';

function spreadWarnings(constraints: readonly Struct[] | undefined, path: string, context: RuleContext): string[] {
  return (constraints ?? []).flatMap(({ topologyKey = '', labelSelector }, index) => [
    ...deprecatedLabelWarning(topologyKey, `${path}[${index}].topologyKey: ${topologyKey} is `, context),
    ...(labelSelector === undefined ? [`${path}[${index}].labelSelector: ${NO_SELECTOR}`] : []),
  ]);
}

function podAffinityWarnings(affinity: Struct, path: string): string[] {
  return [
    ...((affinity?.[REQUIRED] ?? []) as Struct[]).flatMap(({ labelSelector }, index) =>
      labelSelector === undefined ? [`${path}.${REQUIRED}[${index}].labelSelector: ${NO_SELECTOR}`] : [],
    ),
    ...((affinity?.[PREFERRED] ?? []) as Struct[]).flatMap(({ podAffinityTerm }, index) =>
      podAffinityTerm?.labelSelector === undefined ? [`${path}.${PREFERRED}[${index}].podAffinityTerm.labelSelector: ${NO_SELECTOR}`] : [],
    ),
  ];
}

/** Annotations that have lost their meaning to a field. */
const LOST: readonly (readonly [key: string, text: string])[] = [
  ['scheduler.alpha.${labelDomain}/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.${labelDomain}/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.${labelDomain}/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];

function annotationWarnings(annotations: Readonly<Record<string, string>>, path: string, context: RuleContext): string[] {
  return LOST.map(([key, text]) => [context.text(key), text] as const)
    .filter(([key]) => annotations[key] !== undefined)
    .map(([key, text]) => `${path}[${key}]: ${text}`);
}

const SECCOMP_LOST = 'non-functional in v1.27+; use the "seccompProfile" field instead';

/**
 * Profiles of a container in annotations, where the field that has their place is not set.
 * @param say something of an annotation that is there
 */
function profileWarnings(
  { name, securityContext }: Struct,
  pod: Struct,
  inTemplate: boolean,
  say: (key: string, text: string) => string[],
  context: RuleContext,
): string[] {
  // In a pod the annotation has become the field by now.
  const wantsField = inTemplate && pod.securityContext?.appArmorProfile === undefined && securityContext?.appArmorProfile === undefined;
  return [
    ...(securityContext?.seccompProfile === undefined ? say(`${context.text(SECCOMP_CONTAINER)}${name}`, SECCOMP_LOST) : []),
    ...(wantsField ? say(appArmorKey(name, context), APP_ARMOR_DEPRECATED) : []),
  ];
}

function environmentWarnings(variables: readonly Struct[] | undefined, path: string): string[] {
  const names = new Set<string>();
  return (variables ?? []).flatMap(({ name = '', value = '', valueFrom }, index) => {
    const known = names.has(name);
    names.add(name);
    const reference = `$(${name})`;
    // A value that builds on the one before is meant to.
    const builds = valueFrom === undefined && value !== reference && value.includes(reference);
    if (!known || builds) return [];
    return [`${path}[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`];
  });
}

const BYTES = ['memory', 'ephemeral-storage'];

/** @param lists quantities of resources with their paths; of each resource all lists are looked at before the next one */
function byteWarnings(lists: readonly (readonly [path: string, list: Readonly<Record<string, string>> | undefined])[]): string[] {
  return BYTES.flatMap((name) =>
    lists.flatMap(([path, list]) => {
      const text = list?.[name];
      if (text === undefined || isWhole(text)) return [];
      return [`${path}[${name}]: fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`];
    }),
  );
}

function listWarnings(spec: Struct, path: string): string[] {
  const secrets = repeated(spec.imagePullSecrets, 'name', `${path}.imagePullSecrets`);
  const unnamed = ((spec.imagePullSecrets ?? []) as Struct[]).flatMap(({ name }, index) =>
    name ? [] : [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`],
  );
  return [...repeated(spec.hostAliases, 'ip', `${path}.hostAliases`), ...secrets, ...unnamed];
}

/** @param member whose value should be different in each item */
function repeated(list: readonly Struct[] | undefined, member: string, path: string): string[] {
  const seen = new Set<string>();
  return (list ?? []).flatMap((item, index) => {
    const value: string = item[member] ?? '';
    const again = seen.has(value);
    seen.add(value);
    return again ? [`${path}[${index}].${member}: duplicate ${member} ${JSON.stringify(value)}`] : [];
  });
}

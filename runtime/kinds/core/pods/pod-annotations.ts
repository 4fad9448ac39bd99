/** Annotations that mean something to pods: older ways to say what fields of the spec say now must agree with the fields. */

import type { AppArmorProfile, Pod, PodSpec, PodTemplateSpec, SeccompProfile } from '../../../../generated/core/v1/types.ts';
import { type FieldError, forbidden, invalid } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { relativePath } from '../../../formats/paths.ts';
import { goQuote } from '../../../go-text/quote.ts';
import { foundInEach, joined, NONE } from '../../../validation/joined.ts';
import { invalidAs } from '../../findings.ts';
import { containersOf } from '../containers/containers.ts';
import { type ElementType, listOf } from '../json-annotation.ts';
import { validateTolerations } from '../scheduling/scheduling.ts';

type Annotations = Readonly<Record<string, string>> | undefined;

export const APP_ARMOR = 'container.apparmor.security.beta.${labelDomain}/';
export const SECCOMP_POD = 'seccomp.security.alpha.${labelDomain}/pod';
export const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.${labelDomain}/';
const TOLERATIONS = 'scheduler.alpha.${labelDomain}/tolerations';
const DELETION_COST = 'controller.${labelDomain}/pod-deletion-cost';
const LOCALHOST = 'localhost/';

/** Set on pods that a node made known by itself. */
export const MIRROR = '${labelDomain}/config.mirror';
export const appArmorKey = (container: string, context: RuleContext): string => `${context.text(APP_ARMOR)}${container}`;
/** What is said of a profile in an annotation, where no field has it. */
export const APP_ARMOR_DEPRECATED = 'deprecated since v1.30; use the "appArmorProfile" field instead';

export function ofPod({ metadata, spec }: Pod, _old: unknown, context: RuleContext): readonly FieldError[] {
  return validatePodAnnotations(metadata?.annotations, spec, '.metadata.annotations', context);
}

/** Annotations that a node or the server set when the pod came stay as they are. */
export function kept(pod: Pod, old: Pod | undefined, context: RuleContext): readonly FieldError[] {
  const [now, before] = [pod.metadata?.annotations ?? {}, old?.metadata?.annotations ?? {}];
  if (now === before) return NONE;
  const changed = Object.keys(before).filter((key) => now[key] !== before[key]);
  const added = Object.keys(now).filter((key) => !(key in before));
  return joined(refusals(changed, 'remove or update', context), refusals(added, 'add', context));
}

function refusals(keys: readonly string[], verb: string, context: RuleContext): readonly FieldError[] {
  return foundInEach(keys, (key) => {
    const noun = key.startsWith(context.text(APP_ARMOR)) ? 'AppArmor annotations' : key === context.text(MIRROR) && 'mirror pod annotation';
    return noun === false ? NONE : [forbidden(`.metadata.annotations[${key}]`, `may not ${verb} ${noun}`)];
  });
}

/** @param spec of the pod or the template that has them */
export function validatePodAnnotations(
  annotations: Annotations,
  spec: PodSpec | undefined,
  path: string,
  context: RuleContext,
): readonly FieldError[] {
  if (annotations === undefined) return NONE;
  const check = (name: string, detail: string, isRight: (text: string) => boolean): readonly FieldError[] => {
    const key = context.text(name);
    const text = annotations[key];
    return text === undefined || isRight(text) ? NONE : [invalid(`${path}[${key}]`, text, detail)];
  };
  return joined(
    check(MIRROR, 'must set spec.nodeName if mirror pod annotation is set', () => Boolean(spec?.nodeName)),
    validateTolerationText(annotations[context.text(TOLERATIONS)], path, context.text(TOLERATIONS)),
    check(DELETION_COST, 'must be a 32bit integer', (text) => isInt32(text) || !context.featureEnabled('PodDeletionCost')),
    validateSeccompAnnotations(annotations, path, context),
    validateAppArmorAnnotations(annotations, spec, path, context),
  );
}

function isInt32(text: string): boolean {
  return /^(0|-?[1-9]\d*|-0\d*)$/.test(text) && Math.abs(Number(text) + 0.5) < 2 ** 31;
}

const TOLERATION: ElementType = {
  name: 'Toleration',
  members: { key: 'string', operator: 'string', value: 'string', effect: 'string', tolerationSeconds: 'number' },
};

function validateTolerationText(text: string | undefined, path: string, key: string): readonly FieldError[] {
  if (!text) return NONE;
  try {
    return validateTolerations(listOf(text, TOLERATION), `${path}.${key}`);
  } catch (error) {
    return [invalid(path, key, (error as Error).message)];
  }
}

function validateSeccompAnnotations(annotations: Record<string, string>, path: string, context: RuleContext): readonly FieldError[] {
  const pod = context.text(SECCOMP_POD);
  const containers = context.text(SECCOMP_CONTAINER);
  let found: readonly FieldError[] = NONE;
  for (const key in annotations)
    if (key === pod || key.startsWith(containers)) found = joined(found, validateSeccompName(annotations[key] as string, `${path}.${key}`));
  return found;
}

function validateSeccompName(profile: string, path: string): readonly FieldError[] {
  if (profile === 'runtime/default' || profile === 'docker/default' || profile === 'unconfined') return NONE;
  if (!profile.startsWith(LOCALHOST)) return [invalid(path, profile, 'must be a valid seccomp profile')];
  const file = profile.slice(LOCALHOST.length);
  return invalidAs(relativePath(file), path, file);
}

function validateAppArmorAnnotations(
  annotations: Record<string, string>,
  spec: PodSpec | undefined,
  path: string,
  context: RuleContext,
): readonly FieldError[] {
  const prefix = context.text(APP_ARMOR);
  if (!hasKey(annotations, prefix)) return NONE;
  const names = new Set(containersOf(spec ?? {}, '').map(({ container }) => container.name));
  return foundInEach(Object.keys(annotations), (key) => {
    if (!key.startsWith(prefix)) return NONE;
    const name = key.slice(prefix.length);
    const profile = annotations[key] as string;
    const known = profile === '' || profile === 'runtime/default' || profile === 'unconfined' || profile.startsWith(LOCALHOST);
    return joined(
      names.has(name) ? NONE : [invalid(`${path}[${key}]`, name, 'container not found')],
      known ? NONE : [invalid(`${path}[${key}]`, profile, `invalid AppArmor profile name: ${goQuote(profile)}`)],
    );
  });
}

export function podProfiles({ metadata, spec }: Pod, _old: unknown, context: RuleContext): readonly FieldError[] {
  return validateProfileAgreement(metadata?.annotations, spec, '.spec', context);
}

export function templateProfiles({ metadata, spec }: PodTemplateSpec, _old: unknown, context: RuleContext): readonly FieldError[] {
  return validateProfileAgreement(metadata?.annotations, spec, '.spec', context);
}

/** Of new pods and of templates: where a profile is given in both ways, they must say the same. */
function validateProfileAgreement(
  annotations: Annotations,
  spec: PodSpec | undefined,
  path: string,
  context: RuleContext,
): readonly FieldError[] {
  if (annotations === undefined) return NONE;
  const ofSeccomp = SECCOMP_POD_OR_CONTAINER.some((prefix) => hasKey(annotations, context.text(prefix)));
  const ofAppArmor = hasKey(annotations, context.text(APP_ARMOR));
  return joined(
    ofSeccomp ? validateSeccompAgreement(annotations, spec, path, context) : NONE,
    ofAppArmor ? validateAppArmorAgreement(annotations, spec, path, context) : NONE,
  );
}

const SECCOMP_POD_OR_CONTAINER = [SECCOMP_POD, SECCOMP_CONTAINER];

function hasKey(annotations: Readonly<Record<string, string>>, prefix: string): boolean {
  for (const key in annotations) if (key.startsWith(prefix)) return true;
  return false;
}

const PROFILE_NAMES: Readonly<Record<string, readonly string[]>> = {
  Unconfined: ['unconfined'],
  RuntimeDefault: ['runtime/default'],
};
const SECCOMP_NAMES: typeof PROFILE_NAMES = { ...PROFILE_NAMES, RuntimeDefault: ['runtime/default', 'docker/default'] };

type Profile = SeccompProfile | AppArmorProfile;

interface WithProfile {
  readonly securityContext?: { readonly seccompProfile?: SeccompProfile };
}

function validateSeccompAgreement(
  annotations: Record<string, string>,
  spec: PodSpec | undefined,
  path: string,
  context: RuleContext,
): readonly FieldError[] {
  const check = (holder: WithProfile | undefined, key: () => string, at: string): readonly FieldError[] => {
    const profile = holder?.securityContext?.seccompProfile;
    if (profile === undefined) return NONE;
    return disagreement(annotations[key()], profile, SECCOMP_NAMES, `${at}.securityContext.seccompProfile`, 'seccomp');
  };
  return joined(
    check(spec, () => context.text(SECCOMP_POD), path),
    foundInEach(containersOf(spec ?? {}, path), ({ container, path: at }) =>
      check(container, () => `${context.text(SECCOMP_CONTAINER)}${container.name}`, at),
    ),
  );
}

function validateAppArmorAgreement(
  annotations: Record<string, string>,
  spec: PodSpec | undefined,
  path: string,
  context: RuleContext,
): readonly FieldError[] {
  if (spec?.os?.name === 'windows') return NONE;
  return foundInEach(containersOf(spec ?? {}, path), ({ container, path: at }) => {
    const profile = container.securityContext?.appArmorProfile ?? spec?.securityContext?.appArmorProfile;
    if (profile === undefined) return NONE;
    const annotation = annotations[appArmorKey(container.name, context)];
    return disagreement(annotation, profile, PROFILE_NAMES, `${at}.securityContext.appArmorProfile`, 'apparmor');
  });
}

function disagreement(
  annotation: string | undefined,
  profile: Profile,
  names: typeof PROFILE_NAMES,
  path: string,
  noun: string,
): readonly FieldError[] {
  const member = annotation === undefined ? undefined : disagreeingMember(annotation, profile, names);
  if (member === undefined) return NONE;
  const what = member === 'type' ? 'type' : 'profile';
  return [forbidden(`${path}.${member}`, `${noun} ${what} in annotation and field must match`)];
}

function disagreeingMember(
  annotation: string,
  { type, localhostProfile }: Profile,
  names: typeof PROFILE_NAMES,
): 'type' | 'localhostProfile' | undefined {
  if (type !== 'Localhost') return Object.hasOwn(names, type) && names[type]?.includes(annotation) === false ? 'type' : undefined;
  if (!annotation.startsWith(LOCALHOST)) return 'type';
  return annotation.slice(LOCALHOST.length) === localhostProfile ? undefined : 'localhostProfile';
}

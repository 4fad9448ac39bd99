/** Security settings of pods and containers. */

import { duplicate, type FieldError, forbidden, invalid, notSupported, required, tooLong } from '../../contract/field-error.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { relativePath } from '../../formats/paths.ts';
import { joined, NONE } from '../joined.ts';
import type { Struct } from '../struct.ts';
import { eachItem, invalidAs, oneOf } from './findings.ts';
import { inRange } from './numbers.ts';
import type { ContainerScope } from './pod-scope.ts';
import { validateWindowsOptions } from './windows-options.ts';

/** Of users and groups. */
const MAX_ID = 2 ** 31 - 1;
const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
/** of a path, without the byte that ends it */
const MAX_PATH = 4_095;

export const validateId = (value: unknown, path: string): readonly FieldError[] => inRange(value, path, 0, MAX_ID);

export function validateSecurityContext(
  security: Struct,
  path: string,
  { hostUsers, context }: Pick<ContainerScope, 'hostUsers' | 'context'>,
): readonly FieldError[] {
  if (security === undefined) return NONE;
  const { procMount } = security;
  return joined(
    security.privileged === true && !context.allowsPrivileged ? [forbidden(`${path}.privileged`, 'disallowed by cluster policy')] : NONE,
    validateId(security.runAsUser, `${path}.runAsUser`),
    validateId(security.runAsGroup, `${path}.runAsGroup`),
    oneOf(procMount, `${path}.procMount`, ['Default', 'Unmasked']),
    hostUsers && procMount === 'Unmasked' ? [invalid(`${path}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`')] : NONE,
    validateSeccompProfile(security.seccompProfile, `${path}.seccompProfile`),
    validateEscalation(security, path),
    validateWindowsOptions(security.windowsOptions, `${path}.windowsOptions`),
    validateAppArmorProfile(security.appArmorProfile, `${path}.appArmorProfile`),
  );
}

function validateEscalation(security: Struct, path: string): readonly FieldError[] {
  if (security.allowPrivilegeEscalation !== false) return NONE;
  const denied = 'cannot set `allowPrivilegeEscalation` to false and';
  const added: readonly string[] = security.capabilities?.add ?? [];
  return joined(
    security.privileged === true ? [invalid(path, security, `${denied} \`privileged\` to true`)] : NONE,
    added
      .filter((capability) => capability === 'CAP_SYS_ADMIN')
      .map(() => invalid(path, security, `${denied} \`capabilities.Add\` CAP_SYS_ADMIN`)),
  );
}

function validateSeccompProfile(profile: Struct, path: string): readonly FieldError[] {
  if (profile === undefined) return NONE;
  const { type, localhostProfile } = profile;
  const errors = [...validateProfileType(type, path, 'seccompProfile')];
  if (type !== 'Localhost') {
    if (localhostProfile !== undefined)
      errors.push(invalid(`${path}.localhostProfile`, profile, 'can only be set when seccomp type is Localhost'));
    return errors;
  }
  if (localhostProfile === undefined)
    return [...errors, required(`${path}.localhostProfile`, 'must be set when seccomp type is Localhost')];
  return joined(errors, invalidAs(relativePath(localhostProfile), `${path}.localhostProfile`, localhostProfile));
}

function validateProfileType(type: string | undefined, path: string, member: string): readonly FieldError[] {
  if (!type) return [required(`${path}.type`, `type is required when ${member} is set`)];
  return PROFILES.includes(type) ? NONE : [notSupported(`${path}.type`, type, PROFILES)];
}

function validateAppArmorProfile(profile: Struct, path: string): readonly FieldError[] {
  if (profile === undefined) return NONE;
  const { type, localhostProfile } = profile;
  const at = `${path}.localhostProfile`;
  if (type === 'Localhost') return validateLocalAppArmorProfile(localhostProfile, at);
  const misplaced = PROFILES.includes(type) && localhostProfile !== undefined;
  return misplaced
    ? [invalid(at, localhostProfile, 'can only be set when AppArmor type is Localhost')]
    : validateProfileType(type, path, 'appArmorProfile');
}

function validateLocalAppArmorProfile(profile: string | undefined, path: string): readonly FieldError[] {
  const missing = required(path, 'must be set when AppArmor type is Localhost');
  if (profile === undefined) return [missing];
  const errors: FieldError[] = [];
  if (profile !== profile.trim()) errors.push(invalid(path, profile, 'must not be padded with whitespace'));
  else if (profile === '') errors.push(missing);
  if (isLongerThan(profile, MAX_PATH)) errors.push(tooLong(path, MAX_PATH));
  return errors;
}

/** @param spec the pod's: it holds what the pod shares with its node */
export function validatePodSecurityContext(spec: Struct, path: string): readonly FieldError[] {
  const security: Struct = spec.securityContext;
  if (security === undefined) return NONE;
  return joined(
    validateId(security.fsGroup, `${path}.fsGroup`),
    validateId(security.runAsUser, `${path}.runAsUser`),
    validateId(security.runAsGroup, `${path}.runAsGroup`),
    eachItem(security.supplementalGroups as readonly unknown[] | undefined, `${path}.supplementalGroups`, validateId),
    spec.shareProcessNamespace === true && spec.hostPID === true
      ? [invalid(`${path}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled')]
      : NONE,
    validateSysctls(security.sysctls, spec, `${path}.sysctls`),
    oneOf(security.fsGroupChangePolicy, `${path}.fsGroupChangePolicy`, ['Always', 'OnRootMismatch']),
    validateSeccompProfile(security.seccompProfile, `${path}.seccompProfile`),
    validateWindowsOptions(security.windowsOptions, `${path}.windowsOptions`),
    validateAppArmorProfile(security.appArmorProfile, `${path}.appArmorProfile`),
    oneOf(security.supplementalGroupsPolicy, `${path}.supplementalGroupsPolicy`, ['Merge', 'Strict']),
    oneOf(security.seLinuxChangePolicy, `${path}.seLinuxChangePolicy`, ['MountOption', 'Recursive']),
  );
}

const SYSCTL_LENGTH = 253;
const SYSCTL_SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SYSCTL = `^(${SYSCTL_SEGMENT}[\\./])*${SYSCTL_SEGMENT}$`;
const sysctlPattern = new RegExp(SYSCTL);

function validateSysctls(sysctls: readonly Struct[] | undefined, spec: Struct, path: string): readonly FieldError[] {
  if (!sysctls) return NONE;
  const names = new Set<string>();
  return eachItem(sysctls, path, ({ name = '' }, at) => {
    const errors = [...validateSysctlName(name, names, `${at}.name`)];
    names.add(name);
    const shared = sharedNamespace(name, spec);
    if (shared !== undefined) errors.push(invalid(`${at}.name`, name, `may not be specified when '${shared}' is true`));
    return errors;
  });
}

function validateSysctlName(name: string, names: ReadonlySet<string>, path: string): readonly FieldError[] {
  if (name === '') return [required(path)];
  if (name.length > SYSCTL_LENGTH || !sysctlPattern.test(name))
    return [invalid(path, name, `must have at most ${SYSCTL_LENGTH} characters and match regex ${SYSCTL}`)];
  return names.has(name) ? [duplicate(path, name)] : NONE;
}

/** The member of the spec by which the pod shares with its node what the parameter belongs to. */
function sharedNamespace(sysctl: string, spec: Struct): string | undefined {
  const name = sysctl.replaceAll('/', '.');
  if (spec.hostNetwork === true && name.startsWith('net.')) return 'hostNetwork';
  const ofIpc = name === 'kernel.sem' || /^(kernel\.shm|kernel\.msg|fs\.mqueue\.)/.test(name);
  return spec.hostIPC === true && ofIpc ? 'hostIPC' : undefined;
}

/** Settings of pods for one operating system. */

import { type FieldError, forbidden, invalid, notSupported, required } from '../../contract/field-error.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { joined, NONE } from '../joined.ts';
import type { Struct } from '../struct.ts';
import { containersOf } from './containers.ts';
import { invalidAs } from './findings.ts';

const CREDENTIALS_KIB = 64;
const DOMAIN_LENGTH = 256;
const USER_LENGTH = 104;

const netBiosPattern = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const domainPattern = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const controlPattern = /[\u0000-\u001f\u007f]/;

export function validateWindowsOptions(options: Struct, path: string): readonly FieldError[] {
  if (options === undefined) return NONE;
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: credentials, runAsUserName: user } = options;
  return joined(
    name === undefined ? NONE : invalidAs(dnsSubdomain(name), `${path}.gmsaCredentialSpecName`, name),
    credentials === undefined ? NONE : invalidAs(credentialsMessages(credentials), `${path}.gmsaCredentialSpec`, credentials),
    user === undefined ? NONE : invalidAs(userNameMessages(user), `${path}.runAsUserName`, user),
  );
}

function credentialsMessages(credentials: string): string[] {
  if (credentials === '') return ['gmsaCredentialSpec cannot be an empty string'];
  return isLongerThan(credentials, CREDENTIALS_KIB * 1024) ? [`gmsaCredentialSpec size must be under ${CREDENTIALS_KIB} KiB`] : [];
}

/** A user, or a domain, a backslash and a user. */
function userNameMessages(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (controlPattern.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1) as string;
  return [...(parts.length === 2 ? domainMessages(parts[0] as string) : []), ...userMessages(user)];
}

function domainMessages(domain: string): string[] {
  const messages: string[] = [];
  if (domain.length >= DOMAIN_LENGTH) messages.push(`runAsUserName's Domain length must be under ${DOMAIN_LENGTH} characters`);
  if (!netBiosPattern.test(domain) && !domainPattern.test(domain))
    messages.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  return messages;
}

function userMessages(user: string): string[] {
  const messages: string[] = [];
  if (user === '') messages.push("runAsUserName's User cannot be empty");
  else if (isLongerThan(user, USER_LENGTH)) messages.push(`runAsUserName's User length must not be longer than ${USER_LENGTH} characters`);
  if (/^[. ]+$/.test(user)) messages.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) messages.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  return messages;
}

const windowsOptions = (holder: Struct): Struct => holder.securityContext?.windowsOptions;

/** Containers that run as processes of the node: all of a pod, or none. */
export function validateHostProcesses(spec: Struct, path: string): readonly FieldError[] {
  const ofPod: boolean | undefined = windowsOptions(spec)?.hostProcess;
  const containers = containersOf(spec, path);
  if (ofPod === undefined && containers.every(({ container }) => windowsOptions(container) === undefined)) return NONE;
  const errors: FieldError[] = [];
  let count = 0;
  for (const { container, path: at } of containers) {
    const own: boolean | undefined = windowsOptions(container)?.hostProcess;
    if (ofPod !== undefined && own !== undefined && own !== ofPod)
      errors.push(
        invalid(
          `${at}.securityContext.windowsOptions.hostProcess`,
          own,
          `pod hostProcess value must be identical if both are specified, was ${ofPod}`,
        ),
      );
    if (own ?? ofPod) count++;
  }
  if (count === 0) return errors;
  if (count !== containers.length)
    errors.push(invalid(path, '', 'If pod contains any hostProcess containers then all containers must be HostProcess containers'));
  if (spec.hostNetwork !== true)
    errors.push(invalid(`${path}.hostNetwork`, false, 'hostNetwork must be true if pod contains any hostProcess containers'));
  return errors;
}

const POD_LINUX_ONLY = [
  'securityContext.appArmorProfile',
  'securityContext.seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'securityContext.seccompProfile',
  'securityContext.fsGroup',
  'securityContext.fsGroupChangePolicy',
  'securityContext.sysctls',
  'shareProcessNamespace',
  'securityContext.runAsUser',
  'securityContext.runAsGroup',
  'securityContext.supplementalGroups',
  'securityContext.supplementalGroupsPolicy',
  'securityContext.seLinuxChangePolicy',
];
const CONTAINER_LINUX_ONLY = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

/** A pod that names its operating system has no settings of another one. */
export function validateOperatingSystem(spec: Struct, path: string): readonly FieldError[] {
  if (spec.os === undefined) return NONE;
  const { name = '' } = spec.os;
  switch (name) {
    case '':
      return [required(`${path}.os.name`, 'cannot be empty')];
    case 'linux':
      return validateLinux(spec, path);
    case 'windows':
      return validateWindows(spec, path);
    default:
      return [notSupported(`${path}.os`, name, ['linux', 'windows'])];
  }
}

function validateLinux(spec: Struct, path: string): readonly FieldError[] {
  return [{ container: spec, path }, ...containersOf(spec, path)]
    .filter(({ container }) => windowsOptions(container) !== undefined)
    .map(({ path: at }) => forbidden(`${at}.securityContext.windowsOptions`, 'windows options cannot be set for a linux pod'));
}

function validateWindows(spec: Struct, path: string): readonly FieldError[] {
  const detail = 'cannot be set for a windows pod';
  const present = (holder: Struct, member: string): boolean =>
    member.split('.').reduce((value: Struct, name) => value?.[name], holder) !== undefined;
  return joined(
    POD_LINUX_ONLY.filter((member) => present(spec, member)).map((member) => forbidden(`${path}.${member}`, detail)),
    containersOf(spec, path).flatMap(({ container, path: at }) =>
      CONTAINER_LINUX_ONLY.filter((member) => present(container, `securityContext.${member}`)).map((member) =>
        forbidden(`${at}.securityContext.${member}`, detail),
      ),
    ),
  );
}

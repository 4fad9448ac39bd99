/** Security settings of pods and containers. */
import type { Sysctl } from '../../../../generated/core/v1/types.ts';
import type { FieldError } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { oneOf } from '../../findings.ts';
import type { PodScope } from './pod-scope.ts';

export function isAllowed(privileged: boolean, _old: unknown, { allowsPrivileged }: RuleContext): boolean {
  return !privileged || allowsPrivileged;
}

/** While volumes of many pods cannot be labelled by their mount, labelling them one file at a time is all that a pod may ask for which did not ask before. */
export function labelling(policy: string, old: string | undefined, { featureEnabled }: RuleContext): readonly FieldError[] {
  return oneOf(policy, '', featureEnabled('SELinuxMount') || old !== undefined ? ['MountOption', 'Recursive'] : ['Recursive']);
}

/** What a container sees of its processes is masked, unless the users in it are none of the node's. */
export function hidesNodeUsers(procMount: string, _old: unknown, _context: RuleContext, { spec }: PodScope): boolean {
  return procMount !== 'Unmasked' || spec.hostUsers === false;
}

/** A pod that shares the network with its node does not change kernel parameters of it. */
export function leavesNetwork(sysctl: Sysctl['name'], _old: unknown, _context: RuleContext, { spec }: PodScope): boolean {
  return spec.hostNetwork !== true || !dotted(sysctl).startsWith('net.');
}

/** As `leavesNetwork`, of the communication between processes. */
export function leavesIpc(sysctl: Sysctl['name'], _old: unknown, _context: RuleContext, { spec }: PodScope): boolean {
  return spec.hostIPC !== true || !/^(kernel\.sem$|kernel\.shm|kernel\.msg|fs\.mqueue\.)/.test(dotted(sysctl));
}

const dotted = (sysctl: string): string => sysctl.replaceAll('/', '.');

/** Security settings of pods and containers. */
import type { SecurityContext } from '../../../generated/core/v1/types.ts';
import { type FieldError, forbidden, invalid } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { NONE } from '../joined.ts';
import type { PodScope } from './pod-scope.ts';

export function privileged(value: boolean, _old: unknown, { allowsPrivileged }: RuleContext): readonly FieldError[] {
  return value && !allowsPrivileged ? [forbidden('', 'disallowed by cluster policy')] : NONE;
}

/** What a container sees of its processes is masked, unless the users in it are none of the node's. */
export function unmaskedForOwnUsers(procMount: string, _old: unknown, _context: RuleContext, { spec }: PodScope): readonly FieldError[] {
  if (procMount !== 'Unmasked' || spec.hostUsers === false) return NONE;
  return [invalid('', procMount, '`hostUsers` must be false to use `Unmasked`')];
}

/** Processes that have all rights from the beginning cannot be kept from getting more. */
export function escalation(security: SecurityContext): readonly FieldError[] {
  if (security.allowPrivilegeEscalation !== false) return NONE;
  const added = security.capabilities?.add?.filter((capability) => capability === 'CAP_SYS_ADMIN') ?? NONE;
  if (security.privileged !== true && added.length === 0) return NONE;
  const reasons = [
    ...(security.privileged === true ? ['`privileged` to true'] : NONE),
    ...added.map((name) => `\`capabilities.Add\` ${name}`),
  ];
  return reasons.map((reason) => invalid('', security, `cannot set \`allowPrivilegeEscalation\` to false and ${reason}`));
}

/** A pod that shares a namespace with its node does not change kernel parameters of it. */
export function sysctlOfPod(sysctl: string, _old: unknown, _context: RuleContext, { spec }: PodScope): readonly FieldError[] {
  const name = sysctl.replaceAll('/', '.');
  const ofIpc = name === 'kernel.sem' || /^(kernel\.shm|kernel\.msg|fs\.mqueue\.)/.test(name);
  const shared =
    spec.hostNetwork === true && name.startsWith('net.') ? 'hostNetwork' : spec.hostIPC === true && ofIpc ? 'hostIPC' : undefined;
  return shared === undefined ? NONE : [invalid('', sysctl, `may not be specified when '${shared}' is true`)];
}

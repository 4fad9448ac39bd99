/** Processes that can get more rights than their parents, as by programs that run as their owner. */
import { type Check, type CheckPod, containersWith, isForWindows, named } from '../check.ts';

const check: CheckPod = (pod) => {
  const names = containersWith(pod, (context) => context.allowPrivilegeEscalation !== false);
  if (names.length === 0) return undefined;
  const detail = `${named('container', names)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: 'allowPrivilegeEscalation != false', detail };
};

export const allowPrivilegeEscalation: Check = {
  id: 'allowPrivilegeEscalation',
  level: 'restricted',
  versions: [
    { since: 8, check },
    { since: 25, check: (pod) => (isForWindows(pod) ? undefined : check(pod)) },
  ],
};

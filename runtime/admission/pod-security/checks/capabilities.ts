/** Rights of root that containers have one by one. */
import { type Check, type CheckedPod, type CheckPod, containersWith, isForWindows, named, quotedSet } from '../check.ts';

/** What runtimes give to containers by default, without the right to make packets of any form. */
const DEFAULT = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);
const RESTRICTED = new Set(['NET_BIND_SERVICE']);

/** @returns '' where containers add nothing else */
function otherAdded(pod: CheckedPod, allowed: ReadonlySet<string>): string {
  const others = new Set<string>();
  const names = containersWith(pod, ({ capabilities }) => {
    const found = (capabilities?.add ?? []).filter((name) => !allowed.has(name));
    for (const name of found) others.add(name);
    return found.length > 0;
  });
  if (names.length === 0) return '';
  return `${named('container', names)} must not include ${quotedSet(others)} in securityContext.capabilities.add`;
}

export const capabilitiesBaseline: Check = {
  id: 'capabilities_baseline',
  level: 'baseline',
  versions: [
    {
      since: 0,
      check: (pod) => {
        const detail = otherAdded(pod, DEFAULT);
        return detail === '' ? undefined : { reason: 'non-default capabilities', detail };
      },
    },
  ],
};

const checkRestricted: CheckPod = (pod) => {
  const keeping = containersWith(pod, ({ capabilities }) => !(capabilities?.drop ?? []).includes('ALL'));
  const details = [
    keeping.length === 0 ? '' : `${named('container', keeping)} must set securityContext.capabilities.drop=["ALL"]`,
    otherAdded(pod, RESTRICTED),
  ].filter((detail) => detail !== '');
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

export const capabilitiesRestricted: Check = {
  id: 'capabilities_restricted',
  level: 'restricted',
  overrides: capabilitiesBaseline.id,
  versions: [
    { since: 22, check: checkRestricted },
    { since: 25, check: (pod) => (isForWindows(pod) ? undefined : checkRestricted(pod)) },
  ],
};

/** What of /proc is hidden from containers. */
import { type Check, containersWith, named, quotedSet } from '../check.ts';

export const procMount: Check = {
  id: 'procMount',
  level: 'baseline',
  versions: [
    {
      since: 0,
      check: (pod) => {
        if (pod.hasOwnUsers) return undefined;
        const types = new Set<string>();
        const names = containersWith(pod, (context) => {
          const type = context.procMount;
          if (type === undefined || type === 'Default') return false;
          types.add(type);
          return true;
        });
        if (names.length === 0) return undefined;
        const detail = `${named('container', names)} must not set securityContext.procMount to ${quotedSet(types)}`;
        return { reason: 'procMount', detail };
      },
    },
  ],
};

/** Privileged containers have nearly all rights of root on the node. */
import { type Check, containersWith, named } from '../check.ts';

export const privileged: Check = {
  id: 'privileged',
  level: 'baseline',
  versions: [
    {
      since: 0,
      check: (pod) => {
        const names = containersWith(pod, (context) => context.privileged === true);
        if (names.length === 0) return undefined;
        return { reason: 'privileged', detail: `${named('container', names)} must not set securityContext.privileged=true` };
      },
    },
  ],
};

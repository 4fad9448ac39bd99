/** Who processes in containers run as. */
import { type Check, containersWith, named, settersOf } from '../check.ts';

const REASON = 'runAsNonRoot != true';

export const runAsNonRoot: Check = {
  id: 'runAsNonRoot',
  level: 'restricted',
  versions: [
    {
      since: 0,
      check: (pod) => {
        if (pod.hasOwnUsers) return undefined;
        const setters = settersOf(pod, (context) => context.runAsNonRoot === false);
        if (setters.length > 0)
          return { reason: REASON, detail: `${setters.join(' and ')} must not set securityContext.runAsNonRoot=false` };
        if (pod.spec.securityContext?.runAsNonRoot === true) return undefined;
        const names = containersWith(pod, (context) => context.runAsNonRoot === undefined);
        if (names.length === 0) return undefined;
        return { reason: REASON, detail: `pod or ${named('container', names)} must set securityContext.runAsNonRoot=true` };
      },
    },
  ],
};

export const runAsUser: Check = {
  id: 'runAsUser',
  level: 'restricted',
  versions: [
    {
      since: 23,
      check: (pod) => {
        if (pod.hasOwnUsers) return undefined;
        const setters = settersOf(pod, (context) => context.runAsUser === 0);
        return setters.length === 0 ? undefined : { reason: 'runAsUser=0', detail: `${setters.join(' and ')} must not set runAsUser=0` };
      },
    },
  ],
};

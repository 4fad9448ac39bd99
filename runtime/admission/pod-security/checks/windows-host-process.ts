/** Containers on Windows that are processes of the node. */
import { type Check, settersOf } from '../check.ts';

export const windowsHostProcess: Check = {
  id: 'windowsHostProcess',
  level: 'baseline',
  versions: [
    {
      since: 0,
      check: (pod) => {
        const setters = settersOf(pod, ({ windowsOptions }) => windowsOptions?.hostProcess === true);
        if (setters.length === 0) return undefined;
        return { reason: 'hostProcess', detail: `${setters.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true` };
      },
    },
  ],
};

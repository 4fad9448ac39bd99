/** Networks, processes and memory that a pod shares with its node. */
import type { Check } from '../check.ts';

export const hostNamespaces: Check = {
  id: 'hostNamespaces',
  level: 'baseline',
  versions: [
    {
      since: 0,
      check: ({ spec }) => {
        const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((member) => spec[member] === true);
        if (shared.length === 0) return undefined;
        return { reason: 'host namespaces', detail: shared.map((member) => `${member}=true`).join(', ') };
      },
    },
  ],
};

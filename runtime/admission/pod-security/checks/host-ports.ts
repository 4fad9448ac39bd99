/** Ports of the node that lead to a container. */
import { type Check, named, pluralOf } from '../check.ts';

export const hostPorts: Check = {
  id: 'hostPorts',
  level: 'baseline',
  versions: [
    {
      since: 0,
      check: ({ containers }) => {
        const ports = new Set<string>();
        const names: string[] = [];
        for (const { name, ports: own = [] } of containers) {
          const taken = own.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)]));
          for (const port of taken) ports.add(port);
          if (taken.length > 0) names.push(name);
        }
        if (names.length === 0) return undefined;
        const verb = names.length === 1 ? 'uses' : 'use';
        const detail = `${named('container', names)} ${verb} ${pluralOf('hostPort', ports.size)} ${[...ports].sort().join(', ')}`;
        return { reason: 'hostPort', detail };
      },
    },
  ],
};

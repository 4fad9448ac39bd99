/** Services, and the node ports and load balancers that they ask for. */
import type { ServiceSpec } from '../../../../generated/core/v1/types.ts';
import { integer, ONE } from '../../../schema/scalar/amounts.ts';
import { countName, type Evaluator, isWrite } from '../evaluator.ts';

const SERVICES = 'services';
const NODE_PORTS = 'services.nodeports';
const LOAD_BALANCERS = 'services.loadbalancers';

export function services(): Evaluator {
  const count = countName('', SERVICES);
  const names = new Set([count, SERVICES, NODE_PORTS, LOAD_BALANCERS]);
  return {
    plain: new Set([count, SERVICES]),
    members: ['spec'],
    handles: isWrite,
    counts: (name) => names.has(name),
    usage: ({ spec }) =>
      new Map([
        [count, ONE],
        [SERVICES, ONE],
        [LOAD_BALANCERS, integer(spec?.type === 'LoadBalancer' ? 1 : 0)],
        [NODE_PORTS, integer(nodePorts((spec ?? {}) as ServiceSpec))],
      ]),
  };
}

/** What is meant: ports are given out after this. */
function nodePorts({ type, ports = [], allocateLoadBalancerNodePorts }: ServiceSpec): number {
  if (type !== 'NodePort' && type !== 'LoadBalancer') return 0;
  if (type === 'NodePort' || allocateLoadBalancerNodePorts !== false) return ports.length;
  return ports.filter(({ nodePort = 0 }) => nodePort !== 0).length;
}

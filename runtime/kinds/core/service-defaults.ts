import type { ApiObject } from '../../contract/object.ts';
import type { Struct } from '../struct.ts';
import { isReachableFromOutside } from './service-spec.ts';

/** How long a client stays with one pod: three hours. */
const AFFINITY_SECONDS = 10_800;

export function defaultService({ spec, status }: ApiObject): void {
  if (!spec) return;
  defaultAffinity(spec);
  for (const port of (spec.ports ?? []) as Struct[]) if (!port.targetPort) port.targetPort = port.port ?? 0;
  if (isReachableFromOutside(spec)) spec.externalTrafficPolicy ??= 'Cluster';
  if (['ClusterIP', 'NodePort', 'LoadBalancer'].includes(spec.type)) spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type !== 'LoadBalancer') return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of (status?.loadBalancer?.ingress ?? []) as Struct[]) if (ingress.ip) ingress.ipMode ??= 'VIP';
}

function defaultAffinity(spec: Struct): void {
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== 'ClientIP') return;
  if (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined)
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } };
}

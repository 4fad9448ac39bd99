/** The conditions of a node that has fallen silent, with the reasons and messages of 1.32. */
import type { ApiObject } from '../../contract/object.ts';
import { timestamp } from '../../registry/resource-store/strategy.ts';
import { copyValue } from '../../schema/copy.ts';
import { NEVER_UPDATED, type NodeCondition, nodeConditions } from './node-health.ts';

/** What agents report; whether the network is there others say. */
const REPORTED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/**
 * @param now milliseconds since 1970
 * @returns a copy of the node of which nothing is known that its agent would report
 */
export function withUnknownConditions(node: ApiObject, text: (template: string) => string, now: number): ApiObject {
  const object = copyValue(node);
  const lastTransitionTime = timestamp(now);
  const lost = { status: 'Unknown', reason: 'NodeStatusUnknown', message: text('${nodeAgentKind} stopped posting node status.') };
  const silent = {
    status: 'Unknown',
    lastHeartbeatTime: node.metadata.creationTimestamp ?? null,
    lastTransitionTime,
    reason: NEVER_UPDATED,
    message: text('${nodeAgentKind} never posted node status.'),
  };
  const conditions: NodeCondition[] = nodeConditions(object).map((condition) =>
    REPORTED.includes(condition.type) && condition.status !== 'Unknown' ? { ...condition, ...lost, lastTransitionTime } : condition,
  );
  for (const type of REPORTED) if (!conditions.some((condition) => condition.type === type)) conditions.push({ type, ...silent });
  object.status = { ...object.status, conditions };
  return object;
}

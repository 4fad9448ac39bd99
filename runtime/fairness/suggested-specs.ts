/** The specs of levels and schemas that the server suggests: made at its start, and kept as they are here until somebody changes them. */
import type {
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  PriorityLevelConfigurationSpec,
  ResourcePolicyRule,
  Subject,
} from '../../generated/flowcontrol/v1/types.ts';
import { allRequestsOf, group } from '../kinds/flowcontrol/mandatory-specs.ts';

/** Resolves the dialect's names. */
type Text = (template: string) => string;

const user = (name: string): Subject => ({ kind: 'User', user: { name } });
const ANY_USER = [group('system:unauthenticated'), group('system:authenticated')];
const CONTROLLERS = user('system:kube-controller-manager');
const SCHEDULER = user('system:kube-scheduler');

/** Those of a level that queues. */
interface Share {
  readonly shares: number;
  readonly lendable: number;
  readonly queues: number;
  readonly hand: number;
}

/** Requests that wait in each queue of a suggested level, as in 1.32. */
const QUEUE_LENGTH = 50;

function queueing({ shares, lendable, queues, hand }: Share): PriorityLevelConfigurationSpec {
  const queuing = { queues, handSize: hand, queueLengthLimit: QUEUE_LENGTH };
  return {
    type: 'Limited',
    limited: { nominalConcurrencyShares: shares, limitResponse: { type: 'Queue', queuing }, lendablePercent: lendable },
  };
}

/** By name, with all defaults. */
export const suggestedLevels: Readonly<Record<string, PriorityLevelConfigurationSpec>> = {
  system: queueing({ shares: 30, lendable: 33, queues: 64, hand: 6 }),
  'node-high': queueing({ shares: 40, lendable: 25, queues: 64, hand: 6 }),
  'leader-election': queueing({ shares: 10, lendable: 0, queues: 16, hand: 4 }),
  'workload-high': queueing({ shares: 40, lendable: 50, queues: 128, hand: 6 }),
  'workload-low': queueing({ shares: 100, lendable: 90, queues: 128, hand: 6 }),
  'global-default': queueing({ shares: 20, lendable: 50, queues: 128, hand: 6 }),
};

/** One schema: its level, its precedence, whom it tells apart, and one rule. */
function schema(
  level: string,
  precedence: number,
  distinguisher: 'ByUser' | 'ByNamespace' | undefined,
  rule: PolicyRulesWithSubjects,
): FlowSchemaSpec {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(distinguisher !== undefined && { distinguisherMethod: { type: distinguisher } }),
    rules: [rule],
  };
}

const LOCK_VERBS = ['get', 'create', 'update'];
const locks = (apiGroup: string, ...resources: string[]): ResourcePolicyRule => ({
  verbs: LOCK_VERBS,
  apiGroups: [apiGroup],
  resources,
  namespaces: ['*'],
});

/** By name, with all defaults. */
export function suggestedSchemas(text: Text): Readonly<Record<string, FlowSchemaSpec>> {
  const system = text('${systemNamespace}');
  const coordination = text('coordination.${groupDomain}');
  const account = (name: string): Subject => ({ kind: 'ServiceAccount', serviceAccount: { namespace: system, name } });
  return {
    'system-nodes': schema('system', 500, 'ByUser', allRequestsOf(group('system:nodes'))),
    'system-node-high': schema('node-high', 400, 'ByUser', {
      subjects: [group('system:nodes')],
      resourceRules: [
        { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
        { verbs: ['*'], apiGroups: [coordination], resources: ['leases'], namespaces: ['*'] },
      ],
    }),
    probes: schema('exempt', 2, undefined, {
      subjects: ANY_USER,
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
    }),
    'system-leader-election': schema('leader-election', 100, 'ByUser', {
      subjects: [CONTROLLERS, SCHEDULER, account('*')],
      resourceRules: [locks(coordination, 'leases')],
    }),
    'workload-leader-election': schema('leader-election', 200, 'ByUser', {
      subjects: [account('*')],
      resourceRules: [locks('', 'endpoints', 'configmaps'), locks(coordination, 'leases')],
    }),
    'endpoint-controller': schema('workload-high', 150, 'ByUser', {
      subjects: [CONTROLLERS, account('endpoint-controller'), account('endpointslicemirroring-controller')],
      resourceRules: [locks('', 'endpoints')],
    }),
    'kube-controller-manager': schema('workload-high', 800, 'ByNamespace', allRequestsOf(CONTROLLERS)),
    'kube-scheduler': schema('workload-high', 800, 'ByNamespace', allRequestsOf(SCHEDULER)),
    [`${system}-service-accounts`]: schema('workload-high', 900, 'ByNamespace', allRequestsOf(account('*'))),
    'service-accounts': schema('workload-low', 9000, 'ByUser', allRequestsOf(group('system:serviceaccounts'))),
    'global-default': schema('global-default', 9900, 'ByUser', allRequestsOf(...ANY_USER)),
  };
}

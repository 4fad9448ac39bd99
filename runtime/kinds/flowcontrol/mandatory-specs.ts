/**
 * The specs of the objects that must always be there: levels and schemas named `exempt` and `catch-all`. Nobody may change them, save for
 * the share of concurrency that the level `exempt` sets aside.
 */
import type {
  FlowSchema,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  ResourcePolicyRule,
  Subject,
} from '../../../generated/flowcontrol/v1/types.ts';
import { deepEqual } from '../../schema/equal.ts';

export const EXEMPT = 'exempt';
export const CATCH_ALL = 'catch-all';

export const group = (name: string): Subject => ({ kind: 'Group', group: { name } });
const EVERY_RESOURCE: ResourcePolicyRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] };
const EVERY_URL: NonResourcePolicyRule = { verbs: ['*'], nonResourceURLs: ['*'] };

export function allRequestsOf(...subjects: Subject[]): PolicyRulesWithSubjects {
  return { subjects, resourceRules: [EVERY_RESOURCE], nonResourceRules: [EVERY_URL] };
}

/** By name, with all defaults. */
export const mandatorySchemas: Readonly<Record<string, FlowSchemaSpec>> = {
  [EXEMPT]: {
    priorityLevelConfiguration: { name: EXEMPT },
    matchingPrecedence: 1,
    rules: [allRequestsOf(group('system:masters'))],
  },
  [CATCH_ALL]: {
    priorityLevelConfiguration: { name: CATCH_ALL },
    matchingPrecedence: 10_000,
    distinguisherMethod: { type: 'ByUser' },
    rules: [allRequestsOf(group('system:unauthenticated'), group('system:authenticated'))],
  },
};

/** By name, with all defaults. */
export const mandatoryLevels: Readonly<Record<string, PriorityLevelConfigurationSpec>> = {
  [EXEMPT]: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  [CATCH_ALL]: { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 } },
};

export function isMandatorySchema(
  spec: FlowSchemaSpec,
  _old: unknown,
  _context: unknown,
  _scope: unknown,
  { metadata }: FlowSchema,
): boolean {
  return deepEqual(spec, mandatorySchemas[metadata.name ?? '']);
}

export function isMandatoryLevel(
  spec: PriorityLevelConfigurationSpec,
  _old: unknown,
  _context: unknown,
  _scope: unknown,
  { metadata: { name = '' } }: PriorityLevelConfiguration,
): boolean {
  const fixed = mandatoryLevels[name];
  return deepEqual(spec, name === EXEMPT ? { ...fixed, exempt: spec.exempt } : fixed);
}

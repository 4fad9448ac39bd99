/**
 * The specs of the objects that must always be there: levels and schemas named `exempt` and `catch-all`. Nobody may change them, save for
 * the share of concurrency that the level `exempt` sets aside.
 */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { ApiObject } from '../../contract/object.ts';
import { deepEqual } from '../../schema/equal.ts';
import type { Struct } from '../struct.ts';

export const EXEMPT = 'exempt';
export const CATCH_ALL = 'catch-all';

const group = (name: string): Struct => ({ kind: 'Group', group: { name } });
const EVERY_RESOURCE: Struct = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] };
const EVERY_URL: Struct = { verbs: ['*'], nonResourceURLs: ['*'] };
const allRequestsOf = (...subjects: Struct[]): Struct => ({ subjects, resourceRules: [EVERY_RESOURCE], nonResourceRules: [EVERY_URL] });

/** By name, with all defaults. */
export const mandatorySchemas: Readonly<Record<string, Struct>> = {
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
export const mandatoryLevels: Readonly<Record<string, Struct>> = {
  [EXEMPT]: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  [CATCH_ALL]: { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 } },
};

export function validateMandatorySchema({ metadata, spec }: ApiObject): FieldError[] {
  const name = metadata.name ?? '';
  const fixed = Object.hasOwn(mandatorySchemas, name) ? mandatorySchemas[name] : undefined;
  return fixed === undefined || deepEqual(spec, fixed) ? [] : [invalid('spec', spec, `spec of '${name}' must equal the fixed value`)];
}

export function validateMandatoryLevel({ metadata, spec }: ApiObject): FieldError[] {
  const name = metadata.name ?? '';
  if (!Object.hasOwn(mandatoryLevels, name)) return [];
  const fixed = mandatoryLevels[name];
  if (name !== EXEMPT) return deepEqual(spec, fixed) ? [] : [invalid('spec', spec, `spec of '${name}' must equal the fixed value`)];
  const same = deepEqual({ ...spec, exempt: undefined }, { ...fixed, exempt: undefined });
  return same ? [] : [invalid('spec', spec, `spec of '${name}' except the 'spec.exempt' field must equal the fixed value`)];
}

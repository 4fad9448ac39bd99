/** What a StorageVersion object says of the servers that store its resource, as 1.32 keeps it. */
import type {
  ServerStorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from '../../../generated/apiserverinternal/v1alpha1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import { timestamp } from '../../registry/resource-store/strategy.ts';

const CONDITION = 'AllEncodingVersionsEqual';

export const entriesOf = ({ status }: ApiObject): readonly ServerStorageVersion[] =>
  (status as StorageVersionStatus | undefined)?.storageVersions ?? [];

/** @returns the object with what one server says in the place of what it said before, or behind all others */
export function withEntry(object: ApiObject, entry: ServerStorageVersion, now: number): ApiObject {
  const entries = entriesOf(object);
  const at = entries.findIndex(({ apiServerID }) => apiServerID === entry.apiServerID);
  return withEntries(object, at === -1 ? [...entries, entry] : entries.with(at, entry), now);
}

/**
 * @param now milliseconds since 1970
 * @returns the object with those entries, and what follows of them; it has metadata of its own, which writing it changes
 */
export function withEntries(object: ApiObject, entries: readonly ServerStorageVersion[], now: number): ApiObject {
  const { commonEncodingVersion: before, ...status } = (object.status ?? {}) as StorageVersionStatus;
  const versions = new Set(entries.map(({ encodingVersion = '' }) => encodingVersion));
  const [common] = versions.size === 1 ? versions : [];
  const isOther = before !== undefined && common !== undefined && before !== common;
  return {
    ...object,
    metadata: { ...object.metadata },
    status: {
      ...status,
      storageVersions: [...entries],
      ...(common !== undefined && { commonEncodingVersion: common }),
      conditions: withCondition(status.conditions ?? [], conditionOf(common, object, now), isOther),
    },
  };
}

function conditionOf(common: string | undefined, { metadata: { generation = 0 } }: ApiObject, now: number): StorageVersionCondition {
  const isSet = common !== undefined;
  return {
    type: CONDITION,
    status: isSet ? 'True' : 'False',
    ...(generation !== 0 && { observedGeneration: generation }),
    lastTransitionTime: timestamp(now),
    reason: isSet ? 'CommonEncodingVersionSet' : 'CommonEncodingVersionUnset',
    message: isSet ? 'Common encoding version set' : 'Common encoding version unset',
  };
}

/** @param isTransition though its status may be the same */
function withCondition(
  conditions: readonly StorageVersionCondition[],
  condition: StorageVersionCondition,
  isTransition: boolean,
): StorageVersionCondition[] {
  const at = conditions.findIndex(({ type }) => type === condition.type);
  const before = conditions[at];
  if (before === undefined) return [...conditions, condition];
  const { lastTransitionTime } = isTransition || before.status !== condition.status ? condition : before;
  const { lastTransitionTime: _, ...stated } = condition;
  return conditions.with(at, { ...stated, ...(lastTransitionTime !== undefined && { lastTransitionTime }) });
}

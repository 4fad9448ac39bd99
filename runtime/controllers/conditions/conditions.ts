/** Conditions that controllers write into the status of objects. */
import type { ApiObject } from '../../contract/object.ts';
import { timestamp } from '../../registry/resource-store/strategy.ts';

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

type Stated = Condition & { readonly lastTransitionTime?: string };

function conditionsOf({ status }: ApiObject): readonly Stated[] {
  return status?.conditions ?? [];
}

export function hasCondition(object: ApiObject, { type, status, reason, message }: Condition): boolean {
  const found = conditionsOf(object).find((each) => each.type === type);
  return found?.status === status && found.reason === reason && found.message === message;
}

/** @returns undefined for a condition that the object does not have */
export function statusOf(object: ApiObject, type: string): string | undefined {
  return conditionsOf(object).find((each) => each.type === type)?.status;
}

/** @returns as of `statusOf` */
export function reasonOf(object: ApiObject, type: string): string | undefined {
  return conditionsOf(object).find((each) => each.type === type)?.reason;
}

/**
 * The time of the transition stays where only reason or message differ.
 * @returns an object with metadata of its own, which writing it changes; all that is not in its status is the old object's, and need not be copied or
 * validated again
 */
export function withCondition(old: ApiObject, condition: Condition, now: number): ApiObject {
  const conditions = conditionsOf(old);
  const before = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = (before?.status === condition.status && before.lastTransitionTime) || timestamp(now);
  const stated: Stated = { ...condition, lastTransitionTime };
  const all = before === undefined ? [...conditions, stated] : conditions.map((each) => (each === before ? stated : each));
  return { ...old, metadata: { ...old.metadata }, status: { ...old.status, conditions: all } };
}

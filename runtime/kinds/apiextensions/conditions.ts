import type { ApiObject } from '../../contract/object.ts';
import type { Struct } from '../struct.ts';

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** RFC 3339; null: unknown */
  readonly lastTransitionTime: string | null;
  readonly reason: string;
  readonly message: string;
}

export function isConditionTrue(status: Struct | undefined, type: string): boolean {
  return (status?.conditions ?? []).some((condition: Struct) => condition.type === type && condition.status === 'True');
}

/** Replaces the condition of the same type, whose time stays if its status does; changes `object`. */
export function setCondition(object: ApiObject, condition: Condition): void {
  const conditions: readonly Struct[] = object.status?.conditions ?? [];
  const index = conditions.findIndex(({ type }) => type === condition.type);
  if (index === -1) {
    object.status = { ...object.status, conditions: [...conditions, condition] };
    return;
  }
  const old = conditions[index] as Struct;
  const next = old.status === condition.status ? { ...condition, lastTransitionTime: old.lastTransitionTime } : condition;
  object.status = { ...object.status, conditions: conditions.with(index, next) };
}

import type {
  CustomResourceDefinitionCondition as Condition,
  CustomResourceDefinition,
  CustomResourceDefinitionStatus as Status,
} from '../../../generated/apiextensions/v1/types.ts';

export function isConditionTrue({ status }: CustomResourceDefinition, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
}

/** Replaces the condition of the same type, whose time stays if its status does; changes `object`. */
export function setCondition(object: CustomResourceDefinition, condition: Condition): void {
  const conditions = object.status?.conditions ?? [];
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const old = conditions[index];
  const next = old?.status === condition.status ? { ...condition, lastTransitionTime: old.lastTransitionTime } : condition;
  object.status = {
    ...(object.status as Status),
    conditions: old === undefined ? [...conditions, condition] : conditions.with(index, next),
  };
}

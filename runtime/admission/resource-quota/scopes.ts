/** Which objects a quota is about. */
import type { ScopedResourceSelectorRequirement } from '../../../generated/core/v1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Evaluator } from './evaluator.ts';

/** Returns the requirements of the scopes and of the selector in a quota's spec, all of which an object must meet. */
export function requirementsOf(spec: ApiObject['spec']): readonly ScopedResourceSelectorRequirement[] {
  const scopes = ((spec?.scopes ?? []) as string[]).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...scopes, ...(spec?.scopeSelector?.matchExpressions ?? [])] as ScopedResourceSelectorRequirement[];
}

export function isInAll(evaluator: Evaluator, requirements: readonly ScopedResourceSelectorRequirement[], object: ApiObject): boolean {
  return requirements.every((requirement) => evaluator.isIn?.(requirement, object) === true);
}

/** @param value '' where the object has none */
export function selects({ operator, values = [] }: ScopedResourceSelectorRequirement, value: string): boolean {
  switch (operator as string) {
    case 'In':
      return value !== '' && values.includes(value);
    case 'NotIn':
      return value === '' || !values.includes(value);
    case 'DoesNotExist':
      return value === '';
    default:
      return value !== '';
  }
}

import type { GroupResources, PolicyRule } from '../../../generated/audit/v1/types.ts';
import type { FieldError } from '../../contract/field-error.ts';
import { goStrings, invalidShown } from '../../go-text/values.ts';
import { NONE } from '../../validation/joined.ts';

export function pathsOrResources({ nonResourceURLs = [], resources = [], namespaces = [] }: PolicyRule): readonly FieldError[] {
  if (nonResourceURLs.length === 0 || resources.length + namespaces.length === 0) return NONE;
  const problem = 'rules cannot apply to both regular resources and non-resource URLs';
  return [invalidShown('.nonResourceURLs', goStrings(nonResourceURLs), problem)];
}

export function namesNeedResources({ resources = [], resourceNames = [] }: GroupResources): readonly FieldError[] {
  if (resourceNames.length === 0 || resources.length > 0) return NONE;
  return [invalidShown('.resourceNames', goStrings(resourceNames), 'using resourceNames requires at least one resource')];
}

/** What nobody may use without a quota for it, as the plugin's configuration says. */
import type { ScopedResourceSelectorRequirement } from '../../../generated/core/v1/types.ts';

/** One entry of the configuration. */
export interface LimitedResource {
  /** the group; empty or absent for the core group */
  readonly apiGroup?: string;
  readonly resource: string;
  /** texts, one of which is in the name of what is limited */
  readonly matchContains?: readonly string[];
  readonly matchScopes?: readonly ScopedResourceSelectorRequirement[];
}

/** Shows scopes in a message as 1.32 does, such as `[{PriorityClass In [high]}]`. */
export function scopesText(scopes: readonly ScopedResourceSelectorRequirement[]): string {
  return `[${scopes.map(({ scopeName, operator, values = [] }) => `{${scopeName} ${operator} [${values.join(' ')}]}`).join(' ')}]`;
}

/** What nobody may use without a quota for it, as the plugin's configuration says. */
import type { ScopedResourceSelectorRequirement } from '../../../generated/core/v1/types.ts';

/** One entry of the configuration. */
export interface LimitedResource {
  /** '' for the core group */
  readonly apiGroup?: string;
  readonly resource: string;
  /** texts, one of which is in the name of what is limited */
  readonly matchContains?: readonly string[];
  readonly matchScopes?: readonly ScopedResourceSelectorRequirement[];
}

/** As 1.32 shows scopes in a message: `[{PriorityClass In [high]}]`. */
export function scopesText(scopes: readonly ScopedResourceSelectorRequirement[]): string {
  return `[${scopes.map(({ scopeName, operator, values = [] }) => `{${scopeName} ${operator} [${values.join(' ')}]}`).join(' ')}]`;
}

import type { ResourceQuota, ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '../../../../generated/core/v1/types.ts';
import { type FieldError, invalid, Notation } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { goEmptyList, goStrings } from '../../../go-text/values.ts';
import { NONE } from '../../../validation/joined.ts';
import { atPath, eachEntry, invalidAs } from '../../findings.ts';
import { validateQuantity } from './quantities.ts';
import { isQuotaResource, ofQuota } from './resource-names.ts';

type ResourceList = Readonly<Record<string, string>>;

/** Scopes of which each has an opposite, that no quota has beside it. */
const OPPOSED = ['BestEffort', 'Terminating'];
const opposite = (scope: string): string => `Not${scope}`;
const SCOPES: readonly string[] = [...OPPOSED, ...OPPOSED.map(opposite), 'CrossNamespacePodAffinity', 'PriorityClass'];
const COMPUTE = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];

export function amounts(list: ResourceList, _old: unknown, context: RuleContext): readonly FieldError[] {
  return eachEntry(list, '', (name, amount, at) => [...atPath(ofQuota(name), at), ...validateQuantity(name, amount, at, context)]);
}

/** Scopes are about pods: pods of the best effort have no compute resources to count. */
function countsInScope(scope: string, resource: string): boolean {
  if (!SCOPES.includes(scope)) return true;
  return resource === 'pods' || (scope !== 'BestEffort' && COMPUTE.includes(resource));
}

/** @returns one sentence for each resource that the scope does not apply to */
function misapplied(scope: string, { hard }: ResourceQuotaSpec): readonly string[] {
  return Object.keys(hard ?? {})
    .filter((name) => isQuotaResource(name) && !countsInScope(scope, name))
    .map(() => 'unsupported scope applied to resource');
}

function conflicts(scopes: readonly string[]): readonly string[] {
  return OPPOSED.filter((scope) => scopes.includes(scope) && scopes.includes(opposite(scope))).map(() => 'conflicting scopes');
}

export function scopes(spec: ResourceQuotaSpec): readonly FieldError[] {
  const given: readonly string[] = spec.scopes ?? [];
  const problems = given.flatMap((scope) => [...(SCOPES.includes(scope) ? [] : ['unsupported scope']), ...misapplied(scope, spec)]);
  return invalidAs([...problems, ...conflicts(given)], '.scopes', given);
}

/** What requirements of the selector need to know. */
export function quota(spec: ResourceQuotaSpec): ResourceQuotaSpec {
  return spec;
}

/** 1.32 shows the whole selector. @param spec of the quota; undefined where a configuration names the scope */
export function scopeOfRequirement(
  { scopeName }: ScopedResourceSelectorRequirement,
  _old: unknown,
  _context: RuleContext,
  spec: ResourceQuotaSpec | undefined,
): readonly FieldError[] {
  return spec === undefined ? NONE : invalidAs(misapplied(scopeName, spec), '', spec.scopeSelector);
}

/** 1.32 shows the scopes beside the selector. */
export function selectedScopes(spec: ResourceQuotaSpec, _old: unknown, { sent }: RuleContext): readonly FieldError[] {
  const names = (spec.scopeSelector?.matchExpressions ?? []).map(({ scopeName }) => scopeName);
  return invalidAs(conflicts(names), '.scopeSelector.matchExpressions', shownScopes(spec, sent));
}

/** In whatever order, and however often. */
export function sameScopes({ spec = {} }: ResourceQuota, old: ResourceQuota | undefined, { sent }: RuleContext): readonly FieldError[] {
  const [now, before] = [new Set(spec.scopes), new Set(old?.spec?.scopes)];
  if (now.size === before.size && [...before].every((scope) => now.has(scope))) return NONE;
  return [invalid('.spec.scopes', shownScopes(spec, sent), 'field is immutable')];
}

function shownScopes({ scopes = [] }: ResourceQuotaSpec, sent: RuleContext['sent']): Notation {
  if (scopes.length > 0) return new Notation(goStrings(scopes, 'core.ResourceQuotaScope'));
  return goEmptyList('core.ResourceQuotaScope', (sent?.() as ResourceQuota | undefined)?.spec?.scopes);
}

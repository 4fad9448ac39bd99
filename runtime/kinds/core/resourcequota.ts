import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Struct } from '../struct.ts';
import { eachEntry } from './findings.ts';
import { validateQuantity } from './quantities.ts';
import { isQuotaResource, validateQuotaResourceName } from './resource-names.ts';

type ResourceList = Readonly<Record<string, string>>;

const EXISTENCE_SCOPES = ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'CrossNamespacePodAffinity'];
const SCOPES = [...EXISTENCE_SCOPES, 'PriorityClass'];
const CONFLICTING = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];
const COMPUTE = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];

function validateList(list: ResourceList | undefined, path: string, context: RuleContext): readonly FieldError[] {
  return eachEntry(list, path, (name, quantity, at) => [
    ...validateQuotaResourceName(name, at),
    ...validateQuantity(name, quantity, at, context),
  ]);
}

function validate({ spec, status }: ApiObject, context: RuleContext): readonly FieldError[] {
  const given: Struct = spec ?? {};
  return [
    ...validateList(given.hard, 'spec.hard', context),
    ...validateScopes(given, 'spec.scopes'),
    ...validateScopeSelector(given, 'spec.scopeSelector.matchExpressions'),
    ...validateStatus(status, context),
  ];
}

function validateStatus(status: Struct, context: RuleContext): readonly FieldError[] {
  return [...validateList(status?.hard, 'status.hard', context), ...validateList(status?.used, 'status.used', context)];
}

/** Scopes are about pods: pods of the best effort have no compute resources to count. */
function countsInScope(scope: string, resource: string): boolean {
  if (!SCOPES.includes(scope)) return true;
  return resource === 'pods' || (scope !== 'BestEffort' && COMPUTE.includes(resource));
}

/** @returns one error for each resource that the scope does not apply to */
function misapplied(scope: string, hard: ResourceList | undefined, path: string, shown: unknown): readonly FieldError[] {
  return Object.keys(hard ?? {})
    .filter((name) => isQuotaResource(name) && !countsInScope(scope, name))
    .map(() => invalid(path, shown, 'unsupported scope applied to resource'));
}

function conflicts(scopes: readonly string[], path: string, shown: unknown): readonly FieldError[] {
  return CONFLICTING.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() => invalid(path, shown, 'conflicting scopes'));
}

function validateScopes({ scopes, hard }: Struct, path: string): readonly FieldError[] {
  const given: readonly string[] = scopes ?? [];
  return [
    ...given.flatMap((scope) => [
      ...(SCOPES.includes(scope) ? [] : [invalid(path, given, 'unsupported scope')]),
      ...misapplied(scope, hard, path, given),
    ]),
    ...conflicts(given, path, given),
  ];
}

function validateScopeSelector({ scopeSelector, hard, scopes }: Struct, path: string): readonly FieldError[] {
  const requirements: readonly Struct[] = scopeSelector?.matchExpressions ?? [];
  return [
    ...requirements.flatMap(({ scopeName = '', operator = '', values }) => [
      ...(SCOPES.includes(scopeName) ? [] : [invalid(`${path}.scopeName`, scopeName, 'unsupported scope')]),
      ...misapplied(scopeName, hard, path, scopeSelector),
      ...validateOperator(scopeName, operator, `${path}.operator`),
      ...validateValues(operator, values ?? [], path),
    ]),
    ...conflicts(
      requirements.map(({ scopeName }) => scopeName),
      path,
      scopes ?? null,
    ),
  ];
}

function validateOperator(scope: string, operator: string, path: string): readonly FieldError[] {
  if (!EXISTENCE_SCOPES.includes(scope) || operator === 'Exists') return [];
  const scopes =
    'ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';
  return [invalid(path, operator, `must be 'Exists' when scope is any of ${scopes}`)];
}

function validateValues(operator: string, values: readonly string[], path: string): readonly FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [required(`${path}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [invalid(`${path}.values`, values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector")];
    default:
      return [invalid(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}

function validateUpdate({ spec }: ApiObject, old: ApiObject): readonly FieldError[] {
  const scopes = new Set<string>(spec?.scopes ?? []);
  const before = new Set<string>(old.spec?.scopes ?? []);
  const same = scopes.size === before.size && [...before].every((scope) => scopes.has(scope));
  return same ? [] : [invalid('spec.scopes', spec?.scopes ?? null, 'field is immutable')];
}

export const rules: KindRules = {
  validate,
  validateUpdate,
  validateStatusUpdate: ({ status }, _old, context) => validateStatus(status, context),
};

/** Rules that pick requests by operation, group, version and resource. */
import { duplicate, type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import { pathSegment } from '../../formats/names.ts';
import { goStrings, invalidShown } from '../../go-text/values.ts';
import { eachItem, invalidAs, oneOf } from '../core/findings.ts';
import { validateLabelSelector } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];
export const FAILURE_POLICIES = ['Fail', 'Ignore'];
export const MATCH_POLICIES = ['Equivalent', 'Exact'];

export function validateRuleWithOperations(rule: Struct, path: string): FieldError[] {
  return [
    ...validateOperations(rule.operations ?? [], `${path}.operations`),
    ...loneWildcard(rule.apiGroups ?? [], `${path}.apiGroups`, 'API groups'),
    ...loneWildcard(rule.apiVersions ?? [], `${path}.apiVersions`, 'API versions'),
    ...eachItem<string>(rule.apiVersions, `${path}.apiVersions`, (version, at) => (version === '' ? [required(at)] : [])),
    ...validateResources(rule.resources ?? [], `${path}.resources`),
    ...oneOf(rule.scope, `${path}.scope`, SCOPES),
  ];
}

function validateOperations(operations: readonly string[], path: string): FieldError[] {
  return [
    ...loneWildcard(operations, path, 'operations', 'admissionregistration.OperationType'),
    ...eachItem(operations, path, (operation, at) => (OPERATIONS.includes(operation) ? [] : [notSupported(at, operation, OPERATIONS)])),
  ];
}

/** A list that must not be empty, and in which `*` stands alone. */
function loneWildcard(values: readonly string[], path: string, what: string, type?: string): FieldError[] {
  if (values.length === 0) return [required(path)];
  if (values.length === 1 || !values.includes('*')) return [];
  return [invalidShown(path, goStrings(values, type), `if '*' is present, must not specify other ${what}`)];
}

/** Resources and `resource/subresource`; either side may be `*`, and then no other entry may say the same again. */
function validateResources(resources: readonly string[], path: string): FieldError[] {
  if (resources.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  let lastIsPlain = false;
  for (const [index, entry] of resources.entries()) {
    const at = `${path}[${index}]`;
    if (entry === '') {
      errors.push(required(at));
      continue;
    }
    const slash = entry.indexOf('/');
    if (slash === -1) {
      lastIsPlain = entry !== '*';
      continue;
    }
    const [resource, subresource] = [entry.slice(0, slash), entry.slice(slash + 1)];
    if (wholeResources.has(resource)) errors.push(invalid(at, entry, `if '${resource}/*' is present, must not specify ${entry}`));
    if (wholeSubresources.has(subresource)) errors.push(invalid(at, entry, `if '*/${subresource}' is present, must not specify ${entry}`));
    if (subresource === '*') wholeResources.add(resource);
    if (resource === '*') wholeSubresources.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(invalidShown(path, goStrings(resources), "if '*/*' is present, must not specify other resources"));
  if (resources.includes('*') && lastIsPlain)
    errors.push(invalidShown(path, goStrings(resources), "if '*' is present, must not specify other resources without subresources"));
  return errors;
}

/** The requests that a policy or a binding is about; absent: nothing to check. */
export function validateMatchResources(match: Struct | undefined, path: string): FieldError[] {
  if (match === undefined) return [];
  return [
    ...(match.matchPolicy === undefined
      ? [required(`${path}.matchPolicy`)]
      : oneOf(match.matchPolicy, `${path}.matchPolicy`, MATCH_POLICIES)),
    ...neededSelector(match.namespaceSelector, `${path}.namespaceSelector`),
    ...neededSelector(match.objectSelector, `${path}.objectSelector`),
    ...eachItem<Struct>(match.resourceRules, `${path}.resourceRules`, validateNamedRule),
    ...eachItem<Struct>(match.excludeResourceRules, `${path}.excludeResourceRules`, validateNamedRule),
  ];
}

function neededSelector(selector: Struct | undefined, path: string): readonly FieldError[] {
  return selector === undefined ? [required(path)] : validateLabelSelector(selector, path);
}

function validateNamedRule(rule: Struct, path: string): FieldError[] {
  const seen = new Set<string>();
  const names = eachItem<string>(rule.resourceNames, `${path}.resourceNames`, (name, at) => {
    const again = seen.has(name);
    seen.add(name);
    return [...invalidAs(pathSegment(name), at, name), ...(again ? [duplicate(at, name)] : [])];
  });
  return [...names, ...validateRuleWithOperations(rule, path)];
}

/** What validating and mutating policies and their bindings have in common. */
import { type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import { dns1035Label, dnsSubdomain, pathSegment } from '../../formats/names.ts';
import { eachItem, invalidAs, oneOf } from '../core/findings.ts';
import { validateLabelSelector } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';
import { validateMatchConditions } from './match-conditions.ts';
import { FAILURE_POLICIES, validateMatchResources } from './resource-rules.ts';

const NOT_FOUND_ACTIONS = ['Allow', 'Deny'];

/** Names of the expression language that no variable may have. */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

export function isCelIdentifier(name: string): boolean {
  return /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !RESERVED.has(name);
}

/** From `failurePolicy` to `variables`; what a policy then does follows. */
export function validatePolicyHead(spec: Struct, path: string): readonly FieldError[] {
  const { failurePolicy, paramKind, matchConstraints } = spec;
  return [
    ...(failurePolicy === undefined
      ? [required(`${path}.failurePolicy`)]
      : oneOf(failurePolicy, `${path}.failurePolicy`, FAILURE_POLICIES)),
    ...(paramKind === undefined ? [] : validateParamKind(paramKind, `${path}.paramKind`)),
    ...validateMatchConstraints(matchConstraints, `${path}.matchConstraints`),
    ...validateMatchConditions(spec.matchConditions, `${path}.matchConditions`),
    ...eachItem<Struct>(spec.variables, `${path}.variables`, validateVariable),
  ];
}

/** Without a rule there would be no type to check the expressions against. */
function validateMatchConstraints(match: Struct | undefined, path: string): readonly FieldError[] {
  if (match === undefined) return [required(path)];
  return [...validateMatchResources(match, path), ...((match.resourceRules ?? []).length === 0 ? [required(`${path}.resourceRules`)] : [])];
}

function validateParamKind({ apiVersion, kind }: Struct, path: string): readonly FieldError[] {
  return [...validateApiVersion(apiVersion ?? '', `${path}.apiVersion`), ...validateKindName(kind ?? '', `${path}.kind`)];
}

function validateApiVersion(apiVersion: string, path: string): readonly FieldError[] {
  if (apiVersion === '') return [required(path)];
  const parts = apiVersion.split('/');
  if (parts.length > 2) return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const version = parts.at(-1) as string;
  const group = parts.length === 2 ? (parts[0] as string) : '';
  const errors = group === '' ? [] : joined(dnsSubdomain(group), path, group);
  if (version === '') return [...errors, invalid(path, apiVersion, 'version must be specified')];
  return [...errors, ...joined(dns1035Label(version), path, version)];
}

function validateKindName(kind: string, path: string): readonly FieldError[] {
  if (kind === '') return [required(path)];
  return joined(dns1035Label(kind.toLowerCase()), path, kind, 'may have mixed case, but should otherwise match: ');
}

function joined(problems: readonly string[], path: string, value: string, prefix = ''): readonly FieldError[] {
  return problems.length === 0 ? [] : [invalid(path, value, `${prefix}${problems.join(',')}`)];
}

function validateVariable({ name, expression }: Struct, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(`${path}.name`, 'name is not specified'));
  else if (!isCelIdentifier(name)) errors.push(invalid(`${path}.name`, name, 'name is not a valid CEL identifier'));
  if (expression.trim() === '') errors.push(required(`${path}.expression`, 'expression is not specified'));
  return errors;
}

/** Policy, parameters and narrowed requests of a binding. 1.32 misspells the path of the last. */
export function validateBinding(spec: Struct, path: string): readonly FieldError[] {
  const { policyName } = spec;
  return [
    ...(policyName ? invalidAs(dnsSubdomain(policyName), `${path}.policyName`, policyName) : [required(`${path}.policyName`)]),
    ...validateParamRef(spec.paramRef, `${path}.paramRef`),
    ...validateMatchResources(spec.matchResources, `${path}.matchResouces`),
  ];
}

function validateParamRef(reference: Struct | undefined, path: string): readonly FieldError[] {
  if (reference === undefined) return [];
  const { name, selector, parameterNotFoundAction } = reference;
  const errors = [...(name ? invalidAs(pathSegment(name), `${path}.name`, name) : [])];
  if (name && selector !== undefined) errors.push(forbidden(`${path}.name`, 'name and selector are mutually exclusive'));
  if (selector !== undefined) {
    errors.push(...validateLabelSelector(selector, `${path}.selector`));
    if (name) errors.push(forbidden(`${path}.selector`, 'name and selector are mutually exclusive'));
  }
  if (!name && selector === undefined) errors.push(required(path, 'one of name or selector must be specified'));
  if (!parameterNotFoundAction) errors.push(required(`${path}.parameterNotFoundAction`));
  else errors.push(...oneOf(parameterNotFoundAction, `${path}.parameterNotFoundAction`, NOT_FOUND_ACTIONS));
  return errors;
}

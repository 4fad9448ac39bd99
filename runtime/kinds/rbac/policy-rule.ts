import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { Struct } from '../struct.ts';

/**
 * The rules of a role: each grants verbs on resources or, outside namespaces, on URL paths.
 * @param namespaced rules of a Role, which reach into one namespace alone
 */
export function validatePolicyRules(rules: readonly Struct[] | null | undefined, namespaced: boolean, path: string): FieldError[] {
  return (rules ?? []).flatMap((rule, index) => validatePolicyRule(rule, namespaced, `${path}[${index}]`));
}

function validatePolicyRule(rule: Struct, namespaced: boolean, path: string): FieldError[] {
  const errors = isEmpty(rule.verbs) ? [required(`${path}.verbs`, 'verbs must contain at least one value')] : [];
  if (!isEmpty(rule.nonResourceURLs)) return [...errors, ...validateUrlRule(rule, namespaced, `${path}.nonResourceURLs`)];
  if (isEmpty(rule.apiGroups)) errors.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  if (isEmpty(rule.resources)) errors.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}

function validateUrlRule(rule: Struct, namespaced: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (namespaced) errors.push(invalid(path, rule.nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'));
  if (!isEmpty(rule.apiGroups) || !isEmpty(rule.resources) || !isEmpty(rule.resourceNames))
    errors.push(invalid(path, rule.nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'));
  return errors;
}

function isEmpty(list: readonly string[] | null | undefined): boolean {
  return (list ?? []).length === 0;
}

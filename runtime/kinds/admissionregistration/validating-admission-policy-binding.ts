import { duplicate, type FieldError, notSupported, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { goStrings, invalidShown } from '../../go-text/values.ts';
import { eachItem } from '../core/findings.ts';
import { validateBinding } from './policies.ts';

const ACTIONS = ['Audit', 'Deny', 'Warn'];
const DENY_AND_WARN =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';

function validate({ spec }: ApiObject): readonly FieldError[] {
  return [...validateBinding(spec, 'spec'), ...validateActions(spec.validationActions ?? [], 'spec.validationActions')];
}

function validateActions(actions: readonly string[], path: string): readonly FieldError[] {
  if (actions.length === 0) return [required(path)];
  const seen = new Set<string>();
  const errors = eachItem(actions, path, (action, at) => {
    const again = seen.has(action);
    seen.add(action);
    return [...(ACTIONS.includes(action) ? [] : [notSupported(at, action, ACTIONS)]), ...(again ? [duplicate(at, action)] : [])];
  });
  if (!seen.has('Deny') || !seen.has('Warn')) return errors;
  return [...errors, invalidShown(path, goStrings(actions, 'admissionregistration.ValidationAction'), DENY_AND_WARN)];
}

export const rules: KindRules = {
  validate,
};

import type { FieldError } from '../../contract/field-error.ts';
import { goStrings, invalidShown } from '../../go-text/values.ts';
import { NONE } from '../joined.ts';

const DENY_AND_WARN =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';

export function notDenyAndWarn(actions: readonly string[]): readonly FieldError[] {
  if (!actions.includes('Deny') || !actions.includes('Warn')) return NONE;
  return [invalidShown('', goStrings(actions, 'admissionregistration.ValidationAction'), DENY_AND_WARN)];
}

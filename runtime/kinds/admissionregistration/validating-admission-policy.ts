import type { ValidatingAdmissionPolicy } from '../../../generated/admissionregistration/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { keepMetadata } from '../metadata/status-update.ts';

/** bytes of an expression */
const LONGEST_EXPRESSION = 5 * 1024;

export const isOneLine = (text: string): boolean => !/[\r\n]/.test(text.trim());
export const isShortExpression = (expression: string): boolean => !isLongerThan(expression.trim(), LONGEST_EXPRESSION);

/** The scope of annotations: the key of each is recorded behind the policy's name. */
export const policyName = ({ metadata }: ValidatingAdmissionPolicy): string => metadata.name ?? '';

export const isOfNamedPolicy = (_key: string, _old: unknown, _context: RuleContext, policy: string): boolean => policy !== '';

export function annotationKey(key: string, _old: unknown, _context: RuleContext, policy: string): readonly FieldError[] {
  const whole = `${policy}/${key}`;
  return qualifiedName(whole).map((message) => invalid('', whole, message));
}

export const rules: KindRules<ValidatingAdmissionPolicy> = { prepareForStatusUpdate: keepMetadata };

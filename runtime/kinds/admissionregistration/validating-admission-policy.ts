import type {
  AuditAnnotation,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  Validation,
} from '../../../generated/admissionregistration/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { NONE } from '../joined.ts';
import { keepMetadata } from '../metadata/status-update.ts';

/** bytes of an expression */
const LONGEST_EXPRESSION = 5 * 1024;
const NOTHING_TO_DO = 'validations or auditAnnotations must contain at least one item';

export function somethingToDo({ validations, auditAnnotations }: ValidatingAdmissionPolicySpec): readonly FieldError[] {
  if ((validations ?? []).length + (auditAnnotations ?? []).length > 0) return NONE;
  return [required('.validations', NOTHING_TO_DO), required('.auditAnnotations', NOTHING_TO_DO)];
}

export function messageText({ expression, message = '' }: Validation): readonly FieldError[] {
  if (message !== '' && message.trim() === '') return [invalid('.message', message, 'message must be non-empty if specified')];
  if (/[\r\n]/.test(message.trim())) return [invalid('.message', message, 'message must not contain line breaks')];
  if (message !== '' || !/[\r\n]/.test(expression.trim())) return NONE;
  return [required('.message', 'message must be specified if expression contains line breaks')];
}

/** The scope of annotations: the key of each is recorded behind the policy's name. */
export const policyName = ({ metadata }: ValidatingAdmissionPolicy): string => metadata.name ?? '';

export function annotationKey({ key }: AuditAnnotation, _old: unknown, _context: RuleContext, policy: string): readonly FieldError[] {
  if (policy === '') return [invalid('.key', key, 'requires metadata.name be non-empty')];
  const whole = `${policy}/${key}`;
  return qualifiedName(whole).map((message) => invalid('.key', whole, message));
}

export function expressionLength(expression: string): readonly FieldError[] {
  return isLongerThan(expression.trim(), LONGEST_EXPRESSION) ? [required('', 'must not exceed 5kiB in length')] : NONE;
}

export const rules: KindRules<ValidatingAdmissionPolicy> = { prepareForStatusUpdate: keepMetadata };

import type { ValidatingAdmissionPolicy } from '../../../generated/admissionregistration/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { keepMetadata } from '../metadata/status-update.ts';
import type { ExpressionScope } from './expressions/expression-rules.ts';
import { PolicyExpressions } from './expressions/policy-expressions.ts';
import { authorizePolicy } from './parameter-access.ts';

/** bytes of an expression */
const LONGEST_EXPRESSION = 5 * 1024;

export const isOneLine = (text: string): boolean => !/[\r\n]/.test(text.trim());
export const isShortExpression = (expression: string): boolean => !isLongerThan(expression.trim(), LONGEST_EXPRESSION);

/** The scope of a policy. The key of an annotation is recorded behind the policy's name. */
interface PolicyScope extends ExpressionScope {
  readonly name: string;
}

export const policy = ({ metadata, spec }: ValidatingAdmissionPolicy): PolicyScope => ({
  name: metadata.name ?? '',
  expressions: new PolicyExpressions(spec ?? {}),
});

export const isOfNamedPolicy = (_key: string, _old: unknown, _context: RuleContext, { name }: PolicyScope): boolean => name !== '';

export function annotationKey(key: string, _old: unknown, _context: RuleContext, { name }: PolicyScope): readonly FieldError[] {
  const whole = `${name}/${key}`;
  return qualifiedName(whole).map((message) => invalid('', whole, message));
}

export const rules: KindRules<ValidatingAdmissionPolicy> = { authorizeWrite: authorizePolicy, prepareForStatusUpdate: keepMetadata };

import type { AuditAnnotation, ValidatingAdmissionPolicy } from '../../../generated/admissionregistration/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { ScopeMaker } from '../../contract/kind.ts';
import type { KindRules, RuleContext } from '../../contract/kind-rules.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { goQuote } from '../../go-text/quote.ts';
import { goStructure, invalidShown } from '../../go-text/values.ts';
import { pathProblem } from '../../schema/json/json-path-template.ts';
import { NONE } from '../../validation/joined.ts';
import { keepMetadata } from '../metadata/status-update.ts';
import { newUnder } from './expressions/admission-environments.ts';
import type { ExpressionScope } from './expressions/expression-rules.ts';
import { PolicyExpressions } from './expressions/policy-expressions.ts';
import { authorizePolicy } from './parameter-access.ts';

/** bytes of an expression */
const LONGEST_EXPRESSION = 5 * 1024;
const MOST_ANNOTATIONS = 20;
const ANNOTATION = 'admissionregistration.AuditAnnotation';

export const isOneLine = (text: string): boolean => !/[\r\n]/.test(text.trim());
export const isShortExpression = (expression: string): boolean => !isLongerThan(expression.trim(), LONGEST_EXPRESSION);

/** The scope of a policy. The key of an annotation is recorded behind the policy's name. */
interface PolicyScope extends ExpressionScope {
  readonly name: string;
}

export const policy: ScopeMaker<ValidatingAdmissionPolicy, PolicyScope> = ({ metadata, spec }, old, context) => ({
  name: metadata.name ?? '',
  expressions: new PolicyExpressions(spec ?? {}, newUnder(context), old?.spec),
});

export const isOfNamedPolicy = (_key: string, _old: unknown, _context: RuleContext, { name }: PolicyScope): boolean => name !== '';

export function annotationKey(key: string, _old: unknown, _context: RuleContext, { name }: PolicyScope): readonly FieldError[] {
  const whole = `${name}/${key}`;
  return qualifiedName(whole).map((message) => invalid('', whole, message));
}

export function fewAnnotations(annotations: readonly AuditAnnotation[]): readonly FieldError[] {
  if (annotations.length <= MOST_ANNOTATIONS) return NONE;
  const shown = annotations.map(({ key = '', valueExpression = '' }) =>
    goStructure(ANNOTATION, { Key: goQuote(key), ValueExpression: goQuote(valueExpression) }),
  );
  return [invalidShown('', `[]${ANNOTATION}{${shown.join(', ')}}`, `must not have more than ${MOST_ANNOTATIONS} auditAnnotations`)];
}

/** Of an expression within a policy. */
export function readablePath(fieldRef: string): readonly FieldError[] {
  const path = fieldRef.trim();
  const problem = pathProblem(path);
  return problem === undefined ? NONE : [invalid('', path, `invalid JSONPath: ${problem}`)];
}

export const rules: KindRules<ValidatingAdmissionPolicy> = { authorizeValid: authorizePolicy, prepareForStatusUpdate: keepMetadata };

import { duplicate, type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { eachItem, oneOf } from '../core/findings.ts';
import { keepMetadata } from '../metadata/status-update.ts';
import type { Struct } from '../struct.ts';
import { validatePolicyHead } from './policies.ts';

const MOST_ANNOTATIONS = 20;
/** bytes of an expression */
const LONGEST_EXPRESSION = 5 * 1024;
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Unauthorized'];
const NOTHING_TO_DO = 'validations or auditAnnotations must be specified';

function validate(policy: ApiObject): FieldError[] {
  const { spec } = policy;
  return [...validatePolicyHead(spec, 'spec'), ...validateChecks(spec, policy.metadata.name ?? '', 'spec')];
}

function validateChecks({ validations = [], auditAnnotations = [] }: Struct, policyName: string, path: string): FieldError[] {
  if (validations.length === 0 && auditAnnotations.length === 0)
    return [required(`${path}.validations`, NOTHING_TO_DO), required(`${path}.auditAnnotations`, NOTHING_TO_DO)];
  const seen = new Set<string>();
  const annotations = eachItem<Struct>(auditAnnotations, `${path}.auditAnnotations`, (annotation, at) => {
    const again = seen.has(annotation.key);
    seen.add(annotation.key);
    return [...validateAnnotation(annotation, policyName, at), ...(again ? [duplicate(`${at}.key`, annotation.key)] : [])];
  });
  return [
    ...eachItem<Struct>(validations, `${path}.validations`, validateValidation),
    ...(auditAnnotations.length > MOST_ANNOTATIONS
      ? [invalid(`${path}.auditAnnotations`, auditAnnotations, `must not have more than ${MOST_ANNOTATIONS} auditAnnotations`)]
      : []),
    ...annotations,
  ];
}

function validateValidation({ expression, message = '', messageExpression = '', reason }: Struct, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (expression.trim() === '') errors.push(required(`${path}.expression`, 'expression is not specified'));
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(invalid(`${path}.messageExpression`, messageExpression, 'must be non-empty if specified'));
  if (message !== '' && message.trim() === '') errors.push(invalid(`${path}.message`, message, 'message must be non-empty if specified'));
  else if (/[\r\n]/.test(message.trim())) errors.push(invalid(`${path}.message`, message, 'message must not contain line breaks'));
  else if (/[\r\n]/.test(expression.trim()) && message === '')
    errors.push(required(`${path}.message`, 'message must be specified if expression contains line breaks'));
  return [...errors, ...oneOf(reason, `${path}.reason`, REASONS)];
}

/** The key is recorded behind the policy's name, so both together are checked. */
function validateAnnotation({ key, valueExpression }: Struct, policyName: string, path: string): FieldError[] {
  const problems = qualifiedName(policyName === '' ? key : `${policyName}/${key}`);
  const errors = problems.length > 0 ? [invalid(`${path}.key`, key, problems.join('; '))] : [];
  const trimmed = valueExpression.trim();
  if (trimmed === '') errors.push(required(`${path}.valueExpression`, 'valueExpression is not specified'));
  else if (Buffer.byteLength(trimmed) > LONGEST_EXPRESSION)
    errors.push(required(`${path}.valueExpression`, 'must not exceed 5kiB in length'));
  return errors;
}

export const rules: KindRules = {
  validate,
  prepareForStatusUpdate: keepMetadata,
};

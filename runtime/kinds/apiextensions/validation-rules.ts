/** What rules of a schema must have besides an expression that compiles. */
import type { ValidationRule } from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import { eachItem } from '../core/findings.ts';
import type { Struct } from '../struct.ts';
import { memberAtPath } from './member-paths.ts';
import { unsupportedKeyword } from './unsupported.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const LINE_BREAK = /[\n\r]/;
const EMPTY = 'must be non-empty if specified';

/** @param schema with the rules */
export function validateRules(schema: Struct, path: string): readonly FieldError[] {
  return eachItem<ValidationRule>(schema['x-kubernetes-validations'], `${path}.x-kubernetes-validations`, (rule, at) => [
    ...validateText(rule, at),
    ...(isBlank(rule.messageExpression) ? [required(`${at}.messageExpression`, `messageExpression ${EMPTY}`)] : []),
    ...(rule.reason === undefined || REASONS.includes(rule.reason) ? [] : [notSupported(`${at}.reason`, rule.reason, REASONS)]),
    ...validateFieldPath(rule.fieldPath ?? '', schema, `${at}.fieldPath`),
  ]);
}

function validateText({ rule = '', message = '' }: ValidationRule, path: string): readonly FieldError[] {
  const told = message.trim();
  if (rule.trim() === '') return [required(`${path}.rule`, 'rule is not specified')];
  if (isBlank(message)) return [invalid(`${path}.message`, message, `message ${EMPTY}`)];
  if (LINE_BREAK.test(told)) return [invalid(`${path}.message`, message, 'message must not contain line breaks')];
  if (LINE_BREAK.test(rule.trim()) && told === '')
    return [required(`${path}.message`, 'message must be specified if rule contains line breaks')];
  return [];
}

/** There, but of nothing but blanks. */
function isBlank(text: string | undefined): boolean {
  return (text ?? '') !== '' && text?.trim() === '';
}

function validateFieldPath(fieldPath: string, schema: Struct, path: string): readonly FieldError[] {
  if (fieldPath === '') return [];
  const errors: FieldError[] = [];
  if (isBlank(fieldPath)) errors.push(invalid(path, fieldPath, `fieldPath ${EMPTY}`));
  if (LINE_BREAK.test(fieldPath)) errors.push(invalid(path, fieldPath, 'fieldPath must not contain line breaks'));
  if (unsupportedKeyword(schema) === undefined && memberAtPath(schema, fieldPath) === undefined)
    errors.push(invalid(path, fieldPath, 'fieldPath must be a valid path'));
  return errors;
}

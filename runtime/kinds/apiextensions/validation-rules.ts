/** What rules of a schema must have besides an expression that compiles. */
import type { JSONSchemaProps, ValidationRule } from '../../../generated/apiextensions/v1/types.ts';
import type { FieldError } from '../../contract/field-error.ts';
import type { CustomSchema } from '../../structural-schema/custom-schema.ts';
import { memberPath } from '../../structural-schema/member-paths.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { eachItem, oneOf } from '../findings.ts';
import { brokenDemands, type Demand } from './demands.ts';
import { unsupportedKeyword } from './unsupported.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const LINE_BREAK = /[\n\r]/;

/** @param schema with the rules */
export function validateRules(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const rules = schema['x-kubernetes-validations'];
  if (rules === undefined) return NONE;
  return eachItem(rules, `${path}.x-kubernetes-validations`, (rule, at) =>
    joined(
      brokenDemands(TEXTS, rule, at, schema),
      oneOf(rule.reason, `${at}.reason`, REASONS),
      brokenDemands(FIELD_PATH, rule, at, schema),
    ),
  );
}

/** There, but of nothing but blanks. */
const isBlank = (text = ''): boolean => text !== '' && text.trim() === '';
const isGiven = ({ rule }: ValidationRule): boolean => rule.trim() !== '';

/** The place of a rule is its schema. */
type RuleDemand = Demand<ValidationRule, JSONSchemaProps>;

const TEXTS: readonly RuleDemand[] = [
  {
    at: 'rule',
    as: 'required',
    detail: 'rule is not specified',
    broken: (rule) => !isGiven(rule),
  },
  {
    at: 'message',
    as: 'invalid',
    detail: 'message must be non-empty if specified',
    broken: (rule) => isGiven(rule) && isBlank(rule.message),
  },
  {
    at: 'message',
    as: 'invalid',
    detail: 'message must not contain line breaks',
    broken: (rule) => isGiven(rule) && LINE_BREAK.test(rule.message?.trim() ?? ''),
  },
  {
    at: 'message',
    as: 'required',
    detail: 'message must be specified if rule contains line breaks',
    broken: ({ rule, message }) => LINE_BREAK.test(rule.trim()) && !message,
  },
  {
    at: 'messageExpression',
    as: 'required',
    detail: 'messageExpression must be non-empty if specified',
    broken: ({ messageExpression }) => isBlank(messageExpression),
  },
];

const FIELD_PATH: readonly RuleDemand[] = [
  {
    at: 'fieldPath',
    as: 'invalid',
    detail: 'fieldPath must be non-empty if specified',
    broken: ({ fieldPath }) => isBlank(fieldPath),
  },
  {
    at: 'fieldPath',
    as: 'invalid',
    detail: 'fieldPath must not contain line breaks',
    broken: ({ fieldPath = '' }) => LINE_BREAK.test(fieldPath),
  },
  {
    at: 'fieldPath',
    as: 'invalid',
    detail: 'fieldPath must be a valid path',
    broken: ({ fieldPath = '' }, schema) =>
      fieldPath !== '' && unsupportedKeyword(schema) === undefined && 'problem' in memberPath(schema as CustomSchema, fieldPath),
  },
];

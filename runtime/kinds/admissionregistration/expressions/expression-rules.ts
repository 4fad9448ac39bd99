/** Expressions of policies and of webhooks compile. Those that are missing are told of by others. */
import type { AuditAnnotation, Validation, Variable } from '../../../../generated/admissionregistration/v1/types.ts';
import type { MutatingAdmissionPolicy } from '../../../../generated/admissionregistration/v1alpha1/types.ts';
import type { FieldError } from '../../../contract/field-error.ts';
import type { Rule } from '../../../contract/kind.ts';
import { expressionFindings } from '../../../expressions/expression-problems.ts';
import { NONE } from '../../../validation/joined.ts';
import { PolicyExpressions } from './policy-expressions.ts';

/** Scope of what stands in a policy, or in a configuration of webhooks. */
export interface ExpressionScope {
  readonly expressions: PolicyExpressions;
}

/** The scope of a policy of mutations. */
export const mutatingPolicy = ({ spec }: MutatingAdmissionPolicy): ExpressionScope => ({ expressions: new PolicyExpressions(spec ?? {}) });

const isBlank = (source: string | undefined): boolean => source === undefined || source.trim() === '';

export const matchCondition: Rule<string, ExpressionScope> = (source, _old, _context, { expressions }) =>
  trimmed(source, (text) => expressionFindings(expressions.matchCondition(text), '', text));

export const variable: Rule<Variable, ExpressionScope> = (value, _old, _context, { expressions }) =>
  expressionFindings(expressions.variable(value), '.expression', value.expression ?? '');

export const validation: Rule<Validation, ExpressionScope> = ({ expression }, _old, _context, { expressions }) =>
  isBlank(expression) ? NONE : expressionFindings(expressions.validation(expression), '.expression', expression);

export const message: Rule<Validation, ExpressionScope> = ({ messageExpression: source }, _old, _context, { expressions }) =>
  source === undefined || isBlank(source) ? NONE : expressionFindings(expressions.message(source), '.messageExpression', source);

export const annotation: Rule<AuditAnnotation['valueExpression'], ExpressionScope> = (source, _old, _context, { expressions }) =>
  trimmed(source, (text) => expressionFindings(expressions.annotation(text), '', source));

export const appliedObject: Rule<string, ExpressionScope> = (source, _old, _context, { expressions }) =>
  trimmed(source, (text) => expressionFindings(expressions.appliedObject(text), '', text));

export const patches: Rule<string, ExpressionScope> = (source, _old, _context, { expressions }) =>
  trimmed(source, (text) => expressionFindings(expressions.patches(text), '', text));

/** 1.32 compiles some without the blanks around them, and shows them so. */
function trimmed(source: string, findings: (text: string) => readonly FieldError[]): readonly FieldError[] {
  const text = source.trim();
  return text === '' ? NONE : findings(text);
}

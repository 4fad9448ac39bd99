/** Expressions of policies and of webhooks compile. Those that are missing are told of by others. */
import type { AuditAnnotation, Validation, Variable } from '../../../../generated/admissionregistration/v1/types.ts';
import type { MutatingAdmissionPolicy } from '../../../../generated/admissionregistration/v1alpha1/types.ts';
import type { Rule, ScopeMaker } from '../../../contract/kind.ts';
import { type ExpressionOutcome, expressionFindings } from '../../../expressions/expression-problems.ts';
import { NONE } from '../../../validation/joined.ts';
import { newUnder } from './admission-environments.ts';
import { PolicyExpressions } from './policy-expressions.ts';

/** Scope of what stands in a policy, or in a configuration of webhooks. */
export interface ExpressionScope {
  readonly expressions: PolicyExpressions;
}

/** The scope of a policy of mutations. */
export const mutatingPolicy: ScopeMaker<MutatingAdmissionPolicy, ExpressionScope> = ({ spec }, old, context) => ({
  expressions: new PolicyExpressions(spec ?? {}, newUnder(context), old?.spec),
});

const isBlank = (source: string | undefined): boolean => source === undefined || source.trim() === '';

export const matchCondition = trimmed((expressions, text) => expressions.matchCondition(text));
export const appliedObject = trimmed((expressions, text) => expressions.appliedObject(text));
export const patches = trimmed((expressions, text) => expressions.patches(text));

export const variable: Rule<Variable, ExpressionScope> = (value, _old, _context, { expressions }) =>
  expressionFindings(expressions.variable(value), '.expression', value.expression ?? '');

export const validation: Rule<Validation, ExpressionScope> = ({ expression }, _old, _context, { expressions }) =>
  isBlank(expression) ? NONE : expressionFindings(expressions.validation(expression), '.expression', expression);

export const message: Rule<Validation, ExpressionScope> = ({ messageExpression: source }, _old, _context, { expressions }) =>
  source === undefined || isBlank(source) ? NONE : expressionFindings(expressions.message(source), '.messageExpression', source);

export const annotation: Rule<AuditAnnotation['valueExpression'], ExpressionScope> = (source, _old, _context, { expressions }) =>
  isBlank(source) ? NONE : expressionFindings(expressions.annotation(source.trim()), '', source);

/** 1.32 compiles some without the blanks around them, and shows them so. */
function trimmed(outcomeOf: (expressions: PolicyExpressions, text: string) => ExpressionOutcome): Rule<string, ExpressionScope> {
  return (source, _old, _context, { expressions }) =>
    isBlank(source) ? NONE : expressionFindings(outcomeOf(expressions, source.trim()), '', source.trim());
}

/** Rules of a schema compile, cost no more than they may, and know what they compare with. */
import type { JSONSchemaProps } from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, internal, invalid } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { goQuote } from '../../go-text/quote.ts';
import { invalidShown } from '../../go-text/values.ts';
import type { CustomSchema, ValidationRule } from '../../structural-schema/custom-schema.ts';
import { type CompiledRule, compileRules } from '../../structural-schema/rules/compiled-rules.ts';
import { type DeclaredType, declaredType } from '../../structural-schema/rules/declared-type.ts';
import { type Cardinality, costFindings, type TotalCost } from '../../structural-schema/rules/rule-costs.ts';
import type { EnvironmentOf } from '../../structural-schema/rules/rule-environments.ts';
import { NONE } from '../../validation/joined.ts';
import { pointer } from './versions-notation.ts';

/** Where a schema stands, as far as its rules are concerned. */
export interface RulePlace {
  readonly environmentOf: EnvironmentOf;
  readonly total: TotalCost;
  readonly cardinality: Cardinality;
  /** whether values are whole objects of the API */
  readonly isRoot: boolean;
  /** whether a schema around has rules */
  readonly isInScope: boolean;
  /** whether expressions of rules around know the types of all that is around the values; asked where there are rules */
  isParentTyped(): boolean;
  /** what stands before paths where findings name other places */
  readonly above: string;
  readonly context: Pick<RuleContext, 'explainsCosts' | 'distribution'>;
  /** the outermost schema around whose elements are not known again after a change */
  readonly uncorrelated?: string;
}

const UNTYPED =
  'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';

export function validateRuleExpressions(schema: JSONSchemaProps, path: string, place: RulePlace): readonly FieldError[] {
  const rules = (schema['x-kubernetes-validations'] ?? []) as readonly ValidationRule[];
  if (rules.length === 0) return NONE;
  const at = `${path}.x-kubernetes-validations`;
  const declared = place.isParentTyped() ? declaredType(schema as CustomSchema, place.isRoot) : undefined;
  if (declared === undefined) return [internal(at, UNTYPED)];
  return compileRules(rules, declared, place).flatMap((rule, index) => findings(rule, declared, `${at}[${index}]`, place));
}

function findings(compiled: CompiledRule, declared: DeclaredType, at: string, place: RulePlace): FieldError[] {
  const { rule, condition, message, problem, messageProblem, usesOldSelf } = compiled;
  const { total, cardinality, uncorrelated, above, context } = place;
  const shown = ruleNotation(rule);
  const found: FieldError[] = [];
  if (condition !== undefined)
    found.push(...costFindings({ expression: condition, declared, path: `${at}.rule`, what: 'rule', cardinality, ...context }, total));
  if (problem !== undefined) found.push(invalidShown(`${at}.rule`, shown, problem));
  if (messageProblem !== undefined) found.push(invalidShown(`${at}.messageExpression`, shown, messageProblem));
  else if (message !== undefined)
    found.push(
      ...costFindings(
        { expression: message, declared, path: `${at}.messageExpression`, what: 'messageExpression', cardinality, ...context },
        total,
      ),
    );
  if (usesOldSelf && uncorrelated !== undefined)
    found.push(
      invalid(`${at}.rule`, rule.rule, `oldSelf cannot be used on the uncorrelatable portion of the schema within ${above}${uncorrelated}`),
    );
  else if (!usesOldSelf && rule.optionalOldSelf !== undefined && rule.rule.trim() !== '')
    found.push(invalid(`${at}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'));
  return found;
}

/** A rule in the notation in which 1.32 shows structures. */
function ruleNotation({ rule, message = '', messageExpression = '', fieldPath = '', reason, optionalOldSelf }: ValidationRule): string {
  const fields = [
    `Rule:${goQuote(rule)}`,
    `Message:${goQuote(message)}`,
    `MessageExpression:${goQuote(messageExpression)}`,
    `Reason:${pointer('apiextensions.FieldValueErrorReason', reason)}`,
    `FieldPath:${goQuote(fieldPath)}`,
    `OptionalOldSelf:${pointer('bool', optionalOldSelf)}`,
  ];
  return `apiextensions.ValidationRule{${fields.join(', ')}}`;
}

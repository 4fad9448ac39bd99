/** Makes the validators of custom kinds from their schemas. */
import { type FieldError, invalid } from '../contract/field-error.ts';
import type { KindValidators, Validator } from '../contract/kind.ts';
import type { RuleContext } from '../contract/kind-rules.ts';
import type { ApiObject } from '../contract/object.ts';
import { embeddedFindings } from '../kinds/metadata/embedded-objects.ts';
import type { CustomSchema } from '../structural-schema/custom-schema.ts';
import { listFindings } from '../structural-schema/list-types.ts';
import { OBJECT_BUDGET } from '../structural-schema/rules/limits.ts';
import { RuleCheck } from '../structural-schema/rules/rule-check.ts';
import { type ScalePaths, scaleFindings } from '../structural-schema/scale-numbers.ts';
import { SchemaCheck } from '../structural-schema/schema-check.ts';

/** The reasons of errors after which rules are not evaluated, because the object does not have the shape that they expect. */
const BLOCKING: ReadonlySet<FieldError['reason']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
/** The most bytes of an object that counts as short. */
const SHORT_OBJECT = 32 * 1024;
/** The cost units above which the rules for a short object are much work: a unit takes up to 80 ns, so these take up to 8 ms. */
const MUCH_WORK = 100_000n;

const blocksRules = ({ reason }: FieldError): boolean => BLOCKING.has(reason);
/** Whether updates are not told of what was wrong before and stays unchanged (KEP-4008). */
const ratchets = ({ featureEnabled }: RuleContext): boolean => featureEnabled('CRDValidationRatcheting');

/** The path of the object itself in errors of 1.32. */
const NO_PATH = '<nil>';
const NOT_CHECKED = invalid(
  NO_PATH,
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

function ruleFindings(rules: RuleCheck, value: unknown, old: unknown, context: RuleContext): readonly FieldError[] {
  const { request } = context;
  const { errors, warnings } = rules.findings(value, old, '', { budget: OBJECT_BUDGET, ratchets: ratchets(context), context });
  for (const { field, message } of warnings) request.warn?.(`${field}: ${message}`);
  return errors;
}

/**
 * Makes the validators of an object and of its status. Errors come in this order: those of the schema, of the numbers of replicas, of embedded objects, of
 * lists whose elements must differ, and of rules. Errors of lists are not told to an update of an object that had such errors before. A status is validated
 * together with its whole object, apart from the embedded objects.
 * @param schema is not gone through before there is an object to validate
 * @param isLong whether the schema is so long that validating is much work for any object
 */
export function customValidators(schema: CustomSchema, scale?: ScalePaths, isLong = false): KindValidators {
  const ofObject = new SchemaCheck(schema);
  const ofStatus = schema.properties?.status && new SchemaCheck(schema.properties.status);
  const rulesOf = once(() => RuleCheck.of(schema, true));
  const validator =
    (statusOnly: boolean): Validator =>
    (value, old, context, _scope, out) => {
      const inLists = listFindings(schema, value);
      const known = ratchets(context) ? old : undefined;
      out.push(
        ...(statusOnly
          ? statusFindings(ofStatus, value, known)
          : ofObject.findings(value, known).map((each) => (each.field === '' ? { ...each, field: NO_PATH } : each))),
        ...scaleFindings(scale, value, statusOnly),
        ...(statusOnly ? [] : embeddedFindings(schema, value)),
        ...(inLists.length > 0 && old !== undefined && listFindings(schema, old).length > 0 ? [] : inLists),
      );
      const rules = rulesOf();
      if (rules === undefined) return;
      const isBlocked = !value.metadata?.name || out.some(blocksRules);
      out.push(...(isBlocked ? [NOT_CHECKED] : ruleFindings(rules, value, old, context)));
    };
  return {
    object: validator(false),
    status: validator(true),
    isMuchWork: once(() => isLong || (rulesOf()?.mostUnits(SHORT_OBJECT, MUCH_WORK) ?? 0n) > MUCH_WORK),
  };
}

function statusFindings(check: SchemaCheck | undefined, value: ApiObject, old: ApiObject | undefined): readonly FieldError[] {
  if (check === undefined || value.status === undefined) return [];
  return check
    .findings(value.status, old?.status)
    .map((each) => ({ ...each, field: each.field === '' ? 'status' : `status.${each.field}` }));
}

/** Returns a function that calls `make` on its first call, and returns the same result on each. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

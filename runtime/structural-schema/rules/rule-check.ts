/** Evaluates the rules of a schema for an object and for all values in it that have rules. */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { ErrorValue, Optional, type Value } from '../../expressions/values/value.ts';
import { isObject, type JsonObject } from '../../schema/json/member.ts';
import { numeric, type RawNumber } from '../../schema/scalar/raw-number.ts';
import { isUnchanged, oldElementOf } from '../correlation.ts';
import type { CustomSchema, ValidationRule } from '../custom-schema.ts';
import { memberPath } from '../member-paths.ts';
import { type CompiledRule, compileRules, estimateOf } from './compiled-rules.ts';
import { type DeclaredType, declaredType, isTyped, withObjectMembers } from './declared-type.ts';
import { PER_CALL_LIMIT } from './limits.ts';
import { errorForReason, messageOf, ruleText } from './message.ts';
import { escapeProperty } from './property-names.ts';
import { type EnvironmentOf, storedRules } from './rule-environments.ts';
import { type Counting, evaluationOf, timed } from './rule-figures.ts';
import { schemaValue } from './schema-values.ts';

/** The results of all rules. */
export interface RuleFindings {
  readonly errors: FieldError[];
  /** errors of rules that the stored value has broken, too */
  readonly warnings: FieldError[];
  /** units that are left; negative if evaluation ended early */
  budget: number;
}

/** How the rules of one object are evaluated. */
export interface RuleTreatment {
  /** units that all rules together may cost */
  readonly budget: number;
  /** whether errors of unchanged values are only warnings */
  readonly ratchets: boolean;
  /** context of the request; absent: nothing is measured */
  readonly context?: Counting;
}

/** The state of an evaluation. */
interface Evaluation extends RuleFindings {
  readonly context: Counting;
  readonly ratchets: boolean;
  readonly timing: ReturnType<typeof evaluationOf>;
}

/** the path of a whole object in 1.32 */
const NO_PATH = '<nil>';
const UNTYPED = 'rule compiler initialization error: failed to convert to declType for CEL validation rules';
const NO_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** A value with the former value at its place. */
class Pair {
  readonly value: unknown;
  /** undefined: it is not known */
  readonly old: unknown;
  readonly #schema: CustomSchema;
  readonly #parent: Pair | undefined;
  #unchanged: boolean | undefined;

  constructor(value: unknown, old: unknown, schema: CustomSchema, parent?: Pair) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
    this.#parent = parent;
  }

  /** Whether the value is unchanged. If its former value is unknown, the nearest enclosing value with a known one decides. */
  get isUnchanged(): boolean {
    this.#unchanged ??= this.old === undefined ? this.#parent?.isUnchanged === true : isUnchanged(this.#schema, this.value, this.old);
    return this.#unchanged;
  }
}

/** What expressions read of a variable: those of rules, and those of their messages. */
interface Readers {
  readonly read: (variable: string) => Value;
  readonly readInMessage: (variable: string) => Value;
}

const NO_OLD_SELF = new ErrorValue('no such attribute(s): oldSelf');

/** The rules of a schema and of the schemas within. They are compiled when they are first evaluated. */
export class RuleCheck {
  readonly #schema: CustomSchema;
  readonly #isRoot: boolean;
  readonly #environmentOf: EnvironmentOf;
  readonly #rules: readonly ValidationRule[];
  readonly #members = new Map<string, RuleCheck>();
  readonly #others: RuleCheck | undefined;
  readonly #items: RuleCheck | undefined;
  readonly #all: readonly RuleCheck[];
  #compiled: readonly CompiledRule[] | undefined;
  #typed: DeclaredType | undefined;

  /** @param part the schema, or a part of its `allOf`, that contains the rules */
  private constructor(schema: CustomSchema, part: CustomSchema, isRoot: boolean, environmentOf: EnvironmentOf) {
    const { properties = {}, additionalProperties: others, items, allOf = [] } = part;
    const below = (of: CustomSchema | undefined, partOf: CustomSchema) =>
      of === undefined ? undefined : RuleCheck.#ofPart(of, partOf, isEmbedded(of), environmentOf);
    this.#schema = schema;
    this.#isRoot = isRoot;
    this.#environmentOf = environmentOf;
    this.#rules = part['x-kubernetes-validations'] ?? [];
    for (const [name, member] of Object.entries(properties)) {
      const check = isKnown(name, schema, isRoot) ? below(schema.properties?.[name], member) : undefined;
      if (check !== undefined) this.#members.set(name, check);
    }
    const othersOf = schema.additionalProperties;
    this.#others = typeof others === 'object' && typeof othersOf === 'object' ? below(othersOf, others) : undefined;
    this.#items = items === undefined ? undefined : below(schema.items, items);
    this.#all = allOf.flatMap((each) => RuleCheck.#ofPart(schema, each, isRoot, environmentOf) ?? []);
  }

  /** @returns undefined if neither the schema nor any schema within has rules */
  static of(schema: CustomSchema, isRoot: boolean, environmentOf = storedRules): RuleCheck | undefined {
    return RuleCheck.#ofPart(schema, schema, isRoot, environmentOf);
  }

  static #ofPart(schema: CustomSchema, part: CustomSchema, isRoot: boolean, environmentOf: EnvironmentOf): RuleCheck | undefined {
    const check = new RuleCheck(schema, part, isRoot, environmentOf);
    return check.#isEmpty ? undefined : check;
  }

  get #isEmpty(): boolean {
    return this.#rules.length === 0 && this.#members.size === 0 && this.#all.length === 0 && !this.#others && !this.#items;
  }

  /**
   * @param old the stored object; undefined if there is none
   * @param path of the object; empty for the root
   */
  findings(value: unknown, old: unknown, path: string, { budget, ratchets, context = {} }: RuleTreatment): RuleFindings {
    const found: Evaluation = { errors: [], warnings: [], budget, context, ratchets, timing: evaluationOf(context) };
    this.#check(new Pair(value, old, this.#schema), path, found);
    return { errors: found.errors, warnings: found.warnings, budget: found.budget };
  }

  /**
   * The most units that the rules may cost for an object of so many bytes, by estimates. Calculation stops when it exceeds `enough`.
   * @param times how often values of the schema may occur in the object
   */
  mostUnits(bytes: number, enough: bigint, times = 1n): bigint {
    const { items, additionalProperties: others, maxItems, maxProperties } = this.#schema;
    const count = (part: CustomSchema, around: number, stated: number | RawNumber = bytes): bigint => {
      const minSize = declaredType(part, isEmbedded(part))?.minSize ?? 1;
      const most = times * BigInt(Math.min(Math.max(0, numeric(stated)), bytes));
      const fitting = BigInt(Math.floor(bytes / (minSize + around)));
      return most < fitting ? most : fitting;
    };
    let units = this.#ownUnits(bytes) * times;
    for (const check of [...this.#all, ...this.#members.values()]) if (units <= enough) units += check.mostUnits(bytes, enough, times);
    if (units <= enough && this.#others !== undefined && typeof others === 'object')
      units += this.#others.mostUnits(bytes, enough, count(others, 6, maxProperties));
    if (units <= enough && this.#items !== undefined && items !== undefined)
      units += this.#items.mostUnits(bytes, enough, count(items, 1, maxItems));
    return units;
  }

  #ownUnits(bytes: number): bigint {
    const declared = this.#rules.length === 0 ? undefined : declaredType(this.#schema, this.#isRoot, undefined, bytes);
    if (declared === undefined) return 0n;
    return compileRules(this.#rules, declared, { environmentOf: this.#environmentOf })
      .flatMap(({ condition, message }) => [condition, message])
      .reduce((sum, expression) => sum + (expression === undefined ? 0n : estimateOf(expression, declared).cost.max), 0n);
  }

  #check(pair: Pair, path: string, found: Evaluation): void {
    timed(found.timing, () => this.#checkAll(pair, path, found));
  }

  #checkAll(pair: Pair, path: string, found: Evaluation): void {
    if (pair.value === null || pair.value === undefined) return;
    if (this.#rules.length > 0) this.#evaluate(pair, path, found);
    for (const check of this.#all) if (found.budget >= 0) check.#check(pair, path, found);
    if (found.budget < 0) return;
    if (Array.isArray(pair.value)) this.#checkItems(pair.value, pair, path, found);
    else if (isObject(pair.value)) this.#checkMembers(pair.value, pair, path, found);
  }

  #checkItems(list: readonly unknown[], pair: Pair, path: string, found: Evaluation): void {
    const items = this.#items;
    if (items === undefined) return;
    const oldOf = oldElementOf(this.#schema, pair.old);
    for (let index = 0; index < list.length && found.budget >= 0; index++)
      items.#check(new Pair(list[index], oldOf?.(list[index]), items.#schema, pair), `${path}[${index}]`, found);
  }

  #checkMembers(object: JsonObject, pair: Pair, path: string, found: Evaluation): void {
    if (this.#members.size === 0 && this.#others === undefined) return;
    const before = isObject(pair.old) ? pair.old : {};
    for (const name of Object.keys(object)) {
      const check = this.#members.get(name);
      const member = check ?? this.#others;
      if (member === undefined || found.budget < 0) continue;
      const at = check === undefined ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
      const same = Object.hasOwn(before, name) ? before[name] : undefined;
      member.#check(new Pair(object[name], same, member.#schema, pair), at, found);
    }
  }

  #evaluate(pair: Pair, place: string, found: Evaluation): void {
    const path = place === '' ? NO_PATH : place;
    const type = this.#schema.type ?? '';
    this.#typed ??= declaredType(this.#schema, this.#isRoot);
    if (this.#typed === undefined) {
      found.errors.push(invalid(path, type, UNTYPED));
      return;
    }
    if (found.budget <= 0) {
      found.errors.push(invalid(path, type, NO_BUDGET));
      found.budget = -1;
      return;
    }
    const schema = this.#isRoot ? withObjectMembers(this.#schema) : this.#schema;
    const self = schemaValue(pair.value, schema);
    const hasOld = pair.old !== undefined && pair.old !== null;
    const oldSelf = hasOld ? schemaValue(pair.old, schema) : null;
    const all = this.#compile(this.#typed, found.context);
    // Expressions of messages read the old value as it is, where a rule beside them reads it too.
    const old = hasOld && all.some(({ usesOldSelf }) => usesOldSelf) ? oldSelf : NO_OLD_SELF;
    const readInMessage = (variable: string): Value => (variable === 'self' ? self : old);
    for (const compiled of all) {
      const { rule, condition, usesOldSelf, problem } = compiled;
      if (problem !== undefined) found.errors.push(invalid(path, type, `rule compile error: ${problem}`));
      if (condition === undefined || (usesOldSelf && !hasOld && rule.optionalOldSelf !== true)) continue;
      const before = rule.optionalOldSelf === true ? (hasOld ? Optional.of(oldSelf) : Optional.NONE) : oldSelf;
      const read = (variable: string): Value => (variable === 'self' ? self : before);
      if (!this.#judge(compiled, { read, readInMessage }, pair, place, found)) return;
    }
  }

  /** @returns whether further rules are evaluated */
  #judge(compiled: CompiledRule, { read, readInMessage }: Readers, pair: Pair, place: string, found: Evaluation): boolean {
    const path = place === '' ? NO_PATH : place;
    const { rule, condition, usesOldSelf } = compiled;
    const type = this.#schema.type ?? '';
    const outcome = (condition as NonNullable<typeof condition>).program.evaluate(read, PER_CALL_LIMIT);
    if (outcome.cost > found.budget) {
      found.errors.push(invalid(path, type, NO_BUDGET));
      found.budget = -1;
      return false;
    }
    found.budget -= outcome.cost;
    if (outcome.value === true) return true;
    if (outcome.value !== false) {
      const { message } = outcome.value as { message: string };
      found.errors.push(invalid(path, type, failureText(message, outcome.isOverLimit, ruleText(rule))));
      if (outcome.isOverLimit) found.budget = -1;
      return !outcome.isOverLimit;
    }
    const { text, budget, isLast } = messageOf(compiled, readInMessage, found.budget);
    found.budget = budget;
    const at = fieldOf(rule, this.#schema, place);
    const error = isLast ? invalid(at, type, text) : errorForReason(rule, at, type, text);
    (found.ratchets && !usesOldSelf && pair.isUnchanged ? found.warnings : found.errors).push(error);
    return !isLast;
  }

  #compile(declared: DeclaredType, context: Counting): readonly CompiledRule[] {
    this.#compiled ??= compileRules(this.#rules, declared, { environmentOf: this.#environmentOf, context });
    return this.#compiled;
  }
}

/**
 * Whether 1.32 evaluates the rules of a member. It omits members without a type, and members of objects without a type, unless their names
 * cannot occur in expressions.
 */
function isKnown(name: string, around: CustomSchema, isRoot: boolean): boolean {
  const member = around.properties?.[name];
  if (member === undefined || !isTyped(member)) return false;
  return escapeProperty(name) === undefined || isRoot || around.type === 'object';
}

const isEmbedded = (schema: CustomSchema): boolean => schema['x-kubernetes-embedded-resource'] === true;

function failureText(message: string, isOverLimit: boolean, rule: string): string {
  if (isOverLimit) return `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`;
  if (message.startsWith('no such overload'))
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`;
  return `${message} evaluating rule: ${rule}`;
}

/** The path that a rule gives its errors, if it exists. */
function fieldOf({ fieldPath }: ValidationRule, schema: CustomSchema, path: string): string {
  const found = fieldPath ? memberPath(schema, fieldPath) : undefined;
  if (found === undefined || 'problem' in found) return path === '' ? NO_PATH : path;
  return path === '' ? found.field : `${path}.${found.field}`;
}

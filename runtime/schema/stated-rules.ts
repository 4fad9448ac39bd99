/**
 * Decides when dependent defaults of a struct are set. A rule about members of an inner struct is moved to that struct, so that nothing is
 * visited twice. A rule that reads only earlier members is applied in the turn of its own member. All others wait until all members were
 * decoded.
 */
import type { DefaultRule } from '../contract/default-rule.ts';
import type { Field, StructType } from '../contract/descriptor.ts';
import type { Identity } from '../contract/identity.ts';
import { DefaultValue } from './default-values.ts';

export interface StatedRule {
  /** its identity placeholders are resolved */
  readonly rule: DefaultRule;
  /** names of the members of the struct that states the rule */
  readonly alternatives: readonly string[];
}

export interface StructRules {
  /** rules that are applied in the turn of a member, by its name */
  readonly inTurn: ReadonlyMap<string, readonly DefaultValue[]>;
  /** rules that are moved to the struct, or the elements of the list, of a member, by its name */
  readonly below: ReadonlyMap<string, readonly StatedRule[]>;
  readonly late: readonly StatedRule[];
}

const NO_RULES: StructRules = { inTurn: new Map(), below: new Map(), late: [] };

/** The fields of a struct, with those of inline structs in their place. */
export function flatten(type: StructType): Field[] {
  return type.fields.flatMap((field) => (field.go?.inline === true && field.type.kind === 'struct' ? flatten(field.type) : [field]));
}

/** @param ofUse rules that a use of the type states in addition */
export function rulesOf(type: StructType, identity: Identity, ofUse: readonly StatedRule[]): StructRules {
  const all = [...flattenRules(type, identity), ...ofUse];
  if (all.length === 0) return NO_RULES;
  const fields = flatten(type);
  const inTurn = new Map<string, DefaultValue[]>();
  const below = new Map<string, StatedRule[]>();
  const late: StatedRule[] = [];
  const seen = new Set<string>();
  for (const stated of all) {
    const { rule } = stated;
    const prefix = prefixOf(rule, fields);
    // a member that an earlier rule reads must not be set before that rule is applied
    const isFree = !seen.has(firstName(rule.path)) && !late.some((waiting) => clash(waiting.rule, rule));
    if (prefix !== undefined && isFree) add(below, firstName(rule.path), { ...stated, rule: without(prefix, rule) });
    else if (isFree && isInTurn(rule, fields)) {
      add(inTurn, rule.path, new DefaultValue(rule));
      for (const path of readsOf(rule)) seen.add(firstName(path));
    } else late.push(stated);
  }
  return { inTurn, below, late };
}

/** Rules of inline structs come first. */
function flattenRules(type: StructType, identity: Identity): StatedRule[] {
  const inner = type.fields.flatMap((field) =>
    field.go?.inline === true && field.type.kind === 'struct' ? flattenRules(field.type, identity) : [],
  );
  if (type.defaults === undefined) return inner;
  const alternatives = flatten(type).map(({ name }) => name);
  return [...inner, ...type.defaults.map((rule) => ({ rule: identity.resolve(rule), alternatives }))];
}

function add<T>(lists: Map<string, T[]>, name: string, item: T): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [item]);
  else list.push(item);
}

const firstName = (path: string): string => /^[^.[]*/.exec(path)?.[0] ?? '';

function readsOf({ when = [], from, entriesFrom = [] }: DefaultRule): string[] {
  return [...[when].flat().flatMap((condition) => Object.keys(condition)), ...(from === undefined ? [] : [from]), ...entriesFrom];
}

/** Whether the order of two rules matters, because one of them sets a member that the other sets or reads. */
function clash(first: DefaultRule, second: DefaultRule): boolean {
  if (first.alone === true || second.alone === true) return true;
  const target = firstName(first.path);
  const isSeen = [second.path, ...readsOf(second)].some((path) => firstName(path) === target);
  return isSeen || readsOf(first).some((path) => firstName(path) === firstName(second.path));
}

/** The common prefix of all paths of a rule, if it leads to a struct that is always present or to the elements of a list. */
function prefixOf(rule: DefaultRule, fields: readonly Field[]): string | undefined {
  const name = firstName(rule.path);
  const field = fields.find((each) => each.name === name);
  const rest = rule.path.slice(name.length);
  const prefix = rest.startsWith('[*].') ? `${name}[*].` : rest.startsWith('.') ? `${name}.` : undefined;
  if (field === undefined || prefix === undefined) return undefined;
  if (rest.startsWith('.') && (field.go?.pointer === true || field.type.kind !== 'struct')) return undefined;
  return readsOf(rule).every((path) => path.startsWith(prefix)) ? prefix : undefined;
}

function without(prefix: string, rule: DefaultRule): DefaultRule {
  const { when, from, entriesFrom } = rule;
  const strip = (path: string): string => path.slice(prefix.length);
  return {
    ...rule,
    path: strip(rule.path),
    ...(when !== undefined && { when: [when].flat().map((condition) => mapKeys(condition, strip)) }),
    ...(from !== undefined && { from: strip(from) }),
    ...(entriesFrom !== undefined && { entriesFrom: entriesFrom.map(strip) }),
  };
}

function mapKeys<T>(object: Readonly<Record<string, T>>, change: (key: string) => string): Record<string, T> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [change(key), value]));
}

function isInTurn(rule: DefaultRule, fields: readonly Field[]): boolean {
  if (rule.entriesFrom !== undefined || rule.alone === true || rule.replaces === true) return false;
  const at = fields.findIndex(({ name }) => name === rule.path);
  return at >= 0 && readsOf(rule).every((path) => fields.findIndex(({ name }) => name === firstName(path)) < at);
}

/**
 * When the defaults of a struct that depend on other members are set while it is decoded. A rule about members below a struct goes with that
 * struct, so that nothing is walked twice; one that looks at members before its own alone is tried in the turn of that member; all others
 * wait until the members are decoded.
 */
import type { DefaultRule } from '../contract/default-rule.ts';
import type { Field, StructType } from '../contract/descriptor.ts';
import type { Identity } from '../contract/identity.ts';
import { DefaultValue } from './default-values.ts';

export interface StatedRule {
  /** with its identity placeholders resolved */
  readonly rule: DefaultRule;
  /** members of the struct that states it */
  readonly alternatives: readonly string[];
}

export interface StructRules {
  /** tried in the turn of a member, by its name */
  readonly inTurn: ReadonlyMap<string, readonly DefaultValue[]>;
  /** of the struct that a member is, or of the structs in the list that it is, by its name */
  readonly below: ReadonlyMap<string, readonly StatedRule[]>;
  readonly late: readonly StatedRule[];
}

const NO_RULES: StructRules = { inTurn: new Map(), below: new Map(), late: [] };

/** Members of a struct as its JSON object has them. */
export function flatten(type: StructType): Field[] {
  return type.fields.flatMap((field) => (field.go?.inline === true && field.type.kind === 'struct' ? flatten(field.type) : [field]));
}

/** @param ofUse what whoever uses the type states for this use besides */
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
    // What a rule before this one has looked at must not be set before that rule's turn.
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

/** Whether the first of two rules has to come before the other, because one of them sets what the other looks at or sets. */
function clash(first: DefaultRule, second: DefaultRule): boolean {
  if (first.alone === true || second.alone === true) return true;
  const target = firstName(first.path);
  const isSeen = [second.path, ...readsOf(second)].some((path) => firstName(path) === target);
  return isSeen || readsOf(first).some((path) => firstName(path) === firstName(second.path));
}

/** What all paths of a rule begin with, where that leads to a struct that is always there or to elements of a list. */
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

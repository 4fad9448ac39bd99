/** Reads defaults that depend on other members: what `x-cluster-default-when` and `x-cluster-defaults` state. */
import type { DefaultRule } from '../../runtime/contract/default-rule.ts';
import { isObject, type JsonObject } from '../read/sources.ts';
import type { Lifespan } from './lifespan.ts';
import type { StructModel } from './model.ts';

/** A rule with the releases that have it. */
export type DatedRule = DefaultRule & Lifespan;

/** @param mark the value of `x-cluster-default-when`, whose form has been checked; undefined if the property has none */
export function rulesOfProperty(name: string, mark: unknown): DatedRule[] {
  if (mark === undefined) return [];
  const rules = (Array.isArray(mark) ? mark : [mark]) as readonly Omit<DatedRule, 'path'>[];
  return rules.map((rule) => ({ path: name, ...rule }));
}

/** @param mark the value of `x-cluster-defaults`, whose form has been checked; undefined if the schema has none */
export function rulesOfSchema(mark: unknown): DatedRule[] {
  return isObject(mark) ? Object.entries(mark as JsonObject).flatMap(([path, rules]) => rulesOfProperty(path, rules)) : [];
}

/** @returns all rules that the struct states, in the order in which they run; those of its inline structs, which run before, are not among them */
export function defaultRulesOf(struct: StructModel): DefaultRule[] {
  return [...struct.fields.flatMap(({ dependentDefaults }) => dependentDefaults ?? []), ...struct.defaults];
}

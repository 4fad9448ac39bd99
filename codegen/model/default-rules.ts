/** Defaults that depend on other members: what `x-cluster-default-when` and `x-cluster-defaults` state. */
import type { DefaultRule } from '../../runtime/contract/default-rule.ts';
import { isObject, type JsonObject } from '../read/sources.ts';
import type { Lifespan } from './lifespan.ts';
import type { StructModel } from './model.ts';

/** With the releases that have it. */
export type DatedRule = DefaultRule & Lifespan;

/** @param mark of the form of `x-cluster-default-when`; undefined where there is none */
export function rulesOfProperty(name: string, mark: unknown): DatedRule[] {
  if (mark === undefined) return [];
  const rules = (Array.isArray(mark) ? mark : [mark]) as readonly Omit<DatedRule, 'path'>[];
  return rules.map((rule) => ({ path: name, ...rule }));
}

/** @param mark of the form of `x-cluster-defaults`; undefined where there is none */
export function rulesOfSchema(mark: unknown): DatedRule[] {
  return isObject(mark) ? Object.entries(mark as JsonObject).flatMap(([path, rules]) => rulesOfProperty(path, rules)) : [];
}

/** All rules that a struct states, in the order in which they run; those of inline structs, which run before, left out. */
export function defaultRulesOf(struct: StructModel): DefaultRule[] {
  return [...struct.fields.flatMap(({ dependentDefaults }) => dependentDefaults ?? []), ...struct.defaults];
}

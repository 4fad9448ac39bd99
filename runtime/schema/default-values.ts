/** Compiles the rules of `contract/default-rule.ts`: when a dependent default applies, and which value it gives. */
import type { Condition } from '../contract/condition.ts';
import type { DefaultRule } from '../contract/default-rule.ts';
import { type ConditionTest, compileCondition, compileGate, type GateTest, readerOf } from './conditions.ts';
import { copyValue } from './copy.ts';
import { makeDefault } from './default-formats.ts';
import { type JsonObject, sortedNames } from './json/member.ts';

/** What rules need of the decoder. @typeParam T a compiled type */
export interface DefaultMaker<T> {
  readonly featureEnabled: (gate: string) => boolean;
  /** makes a new value of a type, with the defaults within it */
  value(type: T, stated: unknown): unknown;
}

/** Reads from the struct that holds the member, or from the one that states the rule (root). */
type Read = (holder: JsonObject, root: JsonObject) => unknown;

const NONE: JsonObject = Object.freeze({});

export class DefaultValue {
  readonly #gate: GateTest | undefined;
  readonly #outer: ConditionTest | undefined;
  readonly #inner: ((holder: JsonObject, root: JsonObject) => boolean) | undefined;
  readonly #stated: unknown;
  readonly #read: Read | undefined;

  /**
   * @param rule its identity placeholders must be resolved
   * @param prefix of paths to members of the holder; '' if the struct that states the rule is the holder
   */
  constructor(rule: DefaultRule, prefix = '') {
    const { outer, inner } = compileWhen(rule.when === undefined ? [] : [rule.when].flat(), prefix);
    this.#gate = rule.gate === undefined ? undefined : compileGate(rule.gate);
    this.#outer = outer;
    this.#inner = inner;
    this.#stated = rule.value;
    this.#read = compileRead(rule, prefix);
  }

  /** Whether the conditions that do not depend on the holder are true. */
  isPossible(root: JsonObject, featureEnabled: (gate: string) => boolean): boolean {
    return (this.#gate === undefined || this.#gate(featureEnabled)) && (this.#outer === undefined || this.#outer(root));
  }

  /** @param type of the member @returns undefined if the member gets no default */
  of<T>(holder: JsonObject, root: JsonObject, type: T, maker: DefaultMaker<T>): unknown {
    if (this.#inner !== undefined && !this.#inner(holder, root)) return undefined;
    return this.#read === undefined ? maker.value(type, this.#stated) : this.#read(holder, root);
  }
}

interface When {
  readonly outer: ConditionTest | undefined;
  readonly inner: ((holder: JsonObject, root: JsonObject) => boolean) | undefined;
}

/** @param conditions one of them must be true; empty: there is no condition */
function compileWhen(conditions: readonly Condition[], prefix: string): When {
  const all = conditions.map((condition) => splitCondition(condition, prefix));
  if (all.length < 2) return all[0] ?? { outer: undefined, inner: undefined };
  const holds = ({ outer, inner }: When, holder: JsonObject, root: JsonObject): boolean =>
    (outer === undefined || outer(root)) && (inner === undefined || inner(holder, root));
  return { outer: undefined, inner: (holder, root) => all.some((each) => holds(each, holder, root)) };
}

function splitCondition(condition: Condition, prefix: string): When {
  const entries = Object.entries(condition);
  const within = entries.filter(([path]) => path.startsWith(prefix)).map(([path, test]) => [path.slice(prefix.length), test] as const);
  const outside = entries.filter(([path]) => !path.startsWith(prefix));
  return {
    outer: outside.length === 0 ? undefined : compileCondition(Object.fromEntries(outside)),
    inner: within.length === 0 ? undefined : compileCondition(Object.fromEntries(within)),
  };
}

function compileRead({ path, from, as, entriesFrom }: DefaultRule, prefix: string): Read | undefined {
  if (entriesFrom !== undefined)
    return mergedEntries(
      reader(path, prefix),
      entriesFrom.map((each) => reader(each, prefix)),
    );
  if (from === undefined) return undefined;
  const read = reader(from, prefix);
  if (as === undefined) return (holder, root) => copyOf(read(holder, root));
  const make = makeDefault[as];
  return (holder, root) => {
    const given = read(holder, root);
    return given === undefined || given === '' ? undefined : make(given as string);
  };
}

function reader(path: string, prefix: string): Read {
  const isWithin = path.startsWith(prefix);
  const read = readerOf((isWithin ? path.slice(prefix.length) : path).split('.'));
  return isWithin ? read : (_holder, root) => read(root);
}

function copyOf(value: unknown): unknown {
  return typeof value === 'object' ? copyValue(value) : value;
}

/** The entries of a map and of other ones, with sorted keys; undefined if the map has them all. */
function mergedEntries(own: Read, sources: readonly Read[]): Read {
  return (holder, root) => {
    let all: Record<string, unknown> | undefined;
    for (let i = 0; i < sources.length; i++) {
      const source = (sources[i] as Read)(holder, root) as JsonObject | undefined;
      if (source === undefined) continue;
      const known = all ?? (own(holder, root) as JsonObject | undefined) ?? NONE;
      for (const name in source) {
        if (Object.hasOwn(all ?? known, name)) continue;
        all ??= { ...known };
        all[name] = source[name];
      }
    }
    return all === undefined ? undefined : sorted(all);
  };
}

function sorted(entries: JsonObject): JsonObject {
  return Object.fromEntries(sortedNames(Object.keys(entries)).map((name) => [name, entries[name]]));
}

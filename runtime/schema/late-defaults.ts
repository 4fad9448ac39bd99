/** Sets defaults that depend on other members, after all members of the struct that states them were decoded. */
import { isSet } from './assemble.ts';
import { CompiledList, type CompiledMember, CompiledStruct, type CompiledType } from './compile.ts';
import { readerOf } from './conditions.ts';
import { type DefaultMaker, DefaultValue } from './default-values.ts';
import { isObject, type JsonObject } from './json/member.ts';
import type { StatedRule } from './stated-rules.ts';

const EMPTY: JsonObject = Object.freeze({});
const compiledRules = new WeakMap<CompiledStruct, readonly CompiledRule[]>();

/**
 * @param struct it must have such rules
 * @param object all its members are decoded; it is changed, but what is in it may be shared and is not
 * @returns the object, or a copy of it with members in canonical order
 */
export function setLateDefaults(struct: CompiledStruct, object: JsonObject, maker: DefaultMaker<CompiledType>): JsonObject {
  let rules = compiledRules.get(struct);
  if (rules === undefined) {
    rules = struct.lateRules.map((stated) => compileRule(struct, stated));
    compiledRules.set(struct, rules);
  }
  let isAppended = false;
  for (let i = 0; i < rules.length; i++) if ((rules[i] as CompiledRule).apply(object, maker)) isAppended = true;
  return isAppended ? inOrder(struct, object) : object;
}

interface RuleParts {
  /** the lists on the way to the elements that hold the member, each relative to the one before; empty: there are none */
  readonly lists: readonly Way[];
  /** path to the member from the elements, or from the struct that states the rule */
  readonly way: Way;
  readonly member: CompiledMember;
  readonly value: DefaultValue;
  /** the default does not apply if the holder has one of these members; absent: there is no such condition */
  readonly others?: ReadonlySet<string>;
  /** whether a member that is set keeps its value */
  readonly keeps: boolean;
}

class CompiledRule {
  readonly #parts: RuleParts;

  constructor(parts: RuleParts) {
    this.#parts = parts;
  }

  /** @returns whether the object got a new member, which is then its last */
  apply(object: JsonObject, maker: DefaultMaker<CompiledType>): boolean {
    const { lists, value, way } = this.#parts;
    if (lists.length === 0) {
      if (!this.#isOpen(object) || !value.isPossible(object, maker.featureEnabled)) return false;
      const made = this.#valueFor(object, object, maker);
      return made !== undefined && way.set(object, made, maker);
    }
    if (value.isPossible(object, maker.featureEnabled)) this.#setInElements(object, 0, object, maker);
    return false;
  }

  /** @param from is changed if it is the struct that states the rule, and copied otherwise @returns `from` or its changed copy */
  #setInElements(from: JsonObject, depth: number, root: JsonObject, maker: DefaultMaker<CompiledType>): JsonObject {
    const { lists } = this.#parts;
    const way = lists[depth] as Way;
    const list = way.read(from);
    if (!Array.isArray(list)) return from;
    let changed: unknown[] | undefined;
    for (let i = 0; i < list.length; i++) {
      const element = list[i] as JsonObject;
      const isLast = depth + 1 === lists.length;
      const now = isLast ? this.#setInElement(element, root, maker) : this.#setInElements(element, depth + 1, root, maker);
      if (now === element) continue;
      changed ??= list.slice();
      changed[i] = now;
    }
    if (changed === undefined) return from;
    const holder = from === root ? from : { ...from };
    way.set(holder, changed, maker);
    return holder;
  }

  #setInElement(element: JsonObject, root: JsonObject, maker: DefaultMaker<CompiledType>): JsonObject {
    const { way } = this.#parts;
    const made = this.#isOpen(element) ? this.#valueFor(element, root, maker) : undefined;
    if (made === undefined) return element;
    const holder = { ...element };
    return way.set(holder, made, maker) ? inOrder(way.from, holder) : holder;
  }

  #isOpen(holder: JsonObject): boolean {
    const { keeps, member, others, way } = this.#parts;
    if (keeps && isSet(member, way.read(holder))) return false;
    if (others !== undefined) for (const name in holder) if (others.has(name)) return false;
    return true;
  }

  #valueFor(holder: JsonObject, root: JsonObject, maker: DefaultMaker<CompiledType>): unknown {
    const { value, member } = this.#parts;
    const made = value.of(holder, root, member.type, maker);
    return isSet(member, made) ? made : undefined;
  }
}

/** The path from a struct to a member through other structs. */
class Way {
  readonly from: CompiledStruct;
  readonly member: CompiledMember;
  readonly read: (from: JsonObject) => unknown;
  readonly #path: readonly string[];
  /** the structs that the path leads through */
  readonly #structs: readonly CompiledStruct[];

  constructor(from: CompiledStruct, path: readonly string[]) {
    this.from = from;
    this.read = readerOf(path);
    this.#path = path;
    this.#structs = structsOn(from, path.slice(0, -1));
    this.member = memberOf(this.#structs.at(-1) ?? from, path.at(-1) as string);
  }

  /**
   * Makes absent structs on the way, and copies others.
   * @param holder is changed
   * @returns whether it got a new member, which is then its last
   */
  set(holder: JsonObject, value: unknown, maker: DefaultMaker<CompiledType>, depth = 0): boolean {
    const name = this.#path[depth] as string;
    const there = holder[name];
    if (depth + 1 === this.#path.length) holder[name] = value;
    else {
      const struct = this.#structs[depth] as CompiledStruct;
      const inner = isObject(there) ? { ...there } : (maker.value(struct, EMPTY) as JsonObject);
      holder[name] = this.set(inner, value, maker, depth + 1) ? inOrder(struct, inner) : inner;
    }
    return there === undefined;
  }
}

/** A copy of an object with its members in canonical order. */
function inOrder({ members }: CompiledStruct, object: JsonObject): JsonObject {
  const ordered: JsonObject = {};
  for (let i = 0; i < members.length; i++) {
    const { name } = members[i] as CompiledMember;
    const value = object[name];
    if (value !== undefined) ordered[name] = value;
  }
  return ordered;
}

function compileRule(struct: CompiledStruct, { rule, alternatives }: StatedRule): CompiledRule {
  const paths = rule.path.split('[*].');
  const path = paths.pop() as string;
  const lists: Way[] = [];
  for (const each of paths) lists.push(new Way(elementsOf(struct, lists.at(-1)), each.split('.')));
  const way = new Way(elementsOf(struct, lists.at(-1)), path.split('.'));
  const { member } = way;
  return new CompiledRule({
    lists,
    way,
    member,
    value: new DefaultValue(rule, rule.path.slice(0, rule.path.length - path.length)),
    ...(rule.alone === true && { others: new Set(alternatives.filter((name) => name !== member.name)) }),
    keeps: rule.replaces !== true && rule.entriesFrom === undefined,
  });
}

function memberOf(struct: CompiledStruct, name: string): CompiledMember {
  const member = struct.byName.get(name);
  if (member === undefined) throw new Error(`a default of ${struct.type.name} names the member ${name}, which it does not have`);
  return member;
}

/** The structs that a path leads through. */
function structsOn(from: CompiledStruct, path: readonly string[]): CompiledStruct[] {
  let at = from;
  return path.map((name) => {
    const { type } = memberOf(at, name);
    if (!(type instanceof CompiledStruct)) throw new Error(`a default of ${at.type.name} leads through ${name}, which is no struct`);
    at = type;
    return at;
  });
}

/** The struct that a list has as elements; without a list, the struct at which the path begins. */
function elementsOf(struct: CompiledStruct, list: Way | undefined): CompiledStruct {
  if (list === undefined) return struct;
  const { type } = list.member;
  if (type instanceof CompiledList && type.element instanceof CompiledStruct) return type.element;
  throw new Error(`a default of ${struct.type.name} leads through ${list.member.name}, which is no list of structs`);
}

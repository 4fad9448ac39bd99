/** Types of all parts of an expression, before it is evaluated: names are declared, fields exist, functions have fitting overloads. */
import { declarationOf, type Overload } from './functions.ts';
import { type CompileError, compileError, type Node } from './syntax.ts';
import { BOOL, BYTES, DOUBLE, DYN, fits, INT, listOf, mapOf, NULL, STRING, type Type, typeText, UINT, Uint, type Value } from './types.ts';

export type Variables = ReadonlyMap<string, Type>;

/** @throws CompileError */
export function typeOf(node: Node, variables: Variables, source: string): Type {
  return new Checker(source).type(node, variables);
}

class Checker {
  readonly #source: string;
  constructor(source: string) {
    this.#source = source;
  }

  type(node: Node, variables: Variables): Type {
    switch (node.op) {
      case 'literal':
        return literalType(node.value);
      case 'name':
        return variables.get(node.name) ?? this.#undeclared(node, node.name);
      case 'select':
        return this.#select(node, this.type(node.of, variables));
      case 'list':
        return listOf(joined(node.items.map((item) => this.type(item, variables))));
      case 'map':
        return mapOf(
          joined(node.entries.map(([key]) => this.type(key, variables))),
          joined(node.entries.map(([, value]) => this.type(value, variables))),
        );
      case 'macro':
        return this.#macro(node, variables);
      case 'call':
        return this.#call(node, variables);
    }
  }

  #select(node: Node & { op: 'select' }, of: Type): Type {
    if (of.kind === 'struct') {
      const field = Object.hasOwn(of.fields, node.field) ? of.fields[node.field] : undefined;
      if (field === undefined) throw this.#error(node, `undefined field '${node.field}'`);
      return node.test ? BOOL : field;
    }
    if (of.kind !== 'map' && of.kind !== 'dyn') throw this.#error(node, `type '${typeText(of)}' does not support field selection`);
    return node.test ? BOOL : of.kind === 'map' ? of.value : DYN;
  }

  #macro(node: Node & { op: 'macro' }, variables: Variables): Type {
    const range = this.type(node.range, variables);
    if (range.kind !== 'list' && range.kind !== 'map' && range.kind !== 'dyn')
      throw this.#error(
        node.range,
        `expression of type '${typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
      );
    const item = range.kind === 'list' ? range.element : range.kind === 'map' ? range.key : DYN;
    const inner = new Map(variables).set(node.variable, item);
    if (node.filter !== undefined) this.#condition(node.filter, inner);
    if (node.macro === 'map') return listOf(this.type(node.step, inner));
    this.#condition(node.step, inner);
    return node.macro === 'filter' ? listOf(item) : BOOL;
  }

  #condition(node: Node, variables: Variables): void {
    const type = this.type(node, variables);
    if (!fits(BOOL, type)) throw this.#error(node, `expected type 'bool' but found '${typeText(type)}'`);
  }

  #call(node: Node & { op: 'call' }, variables: Variables): Type {
    const args = [...(node.target === undefined ? [] : [node.target]), ...node.args].map((arg) => this.type(arg, variables));
    const [first = DYN, second = DYN, third = DYN] = args;
    if (node.name === '_&&_' || node.name === '_||_') {
      if (fits(BOOL, first) && fits(BOOL, second)) return BOOL;
      throw this.#noOverload(node, args);
    }
    if (node.name === '_?_:_') {
      if (!fits(BOOL, first) || !comparable(second, third)) throw this.#noOverload(node, args);
      return joined([second, third]);
    }
    const declaration = declarationOf(node.name);
    if (declaration === undefined) return this.#undeclared(node, node.name);
    const overloads = node.target === undefined ? declaration.global : declaration.member;
    if ((node.name === '_==_' || node.name === '_!=_') && !comparable(first, second)) throw this.#noOverload(node, args);
    if (node.name === '@in' && second.kind === 'list' && !comparable(first, second.element)) throw this.#noOverload(node, args);
    const fitting = overloads.filter((overload) => accepts(overload, args));
    if (fitting.length === 0) throw this.#noOverload(node, args);
    const results = fitting.map(({ result }) => (typeof result === 'function' ? result(args) : result));
    return joined(results);
  }

  #undeclared(node: Node, name: string): never {
    throw this.#error(node, `undeclared reference to '${name}' (in container '')`);
  }

  #noOverload(node: Node & { op: 'call' }, args: readonly Type[]): CompileError {
    const types = args.map(typeText);
    const shown = node.target === undefined ? `(${types.join(', ')})` : `${types[0]}.(${types.slice(1).join(', ')})`;
    return this.#error(node, `found no matching overload for '${node.name}' applied to '${shown}'`);
  }

  #error({ at }: Node, message: string): CompileError {
    return compileError(this.#source, at, message);
  }
}

export function accepts({ params }: Overload, args: readonly Type[]): boolean {
  return params.length === args.length && params.every((param, index) => fits(param, args[index] as Type));
}

/** Whether values of two types can be equal. */
function comparable(a: Type, b: Type): boolean {
  return fits(a, b) || fits(b, a);
}

/** The type that all have; dyn where they differ. */
function joined(types: readonly Type[]): Type {
  const [first, ...rest] = types;
  if (first === undefined) return DYN;
  return rest.every((type) => fits(first, type) && fits(type, first)) ? first : DYN;
}

function literalType(value: Value): Type {
  if (value === null) return NULL;
  if (value instanceof Uint) return UINT;
  if (value instanceof Uint8Array) return BYTES;
  return typeof value === 'boolean' ? BOOL : typeof value === 'bigint' ? INT : typeof value === 'number' ? DOUBLE : STRING;
}

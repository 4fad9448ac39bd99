import type { FunctionDeclaration, Overload } from '../environment/declarations.ts';
import type { Environment } from '../environment/environment.ts';
import type { Node, ParsedExpression } from '../syntax/node.ts';
import { DYN, type Type } from '../types/type.ts';
import type { Value } from '../values/value.ts';

/** What a node refers to, if it is a name, a selection that spells a qualified name, or the type of a struct literal. */
export interface NameReference {
  readonly name: string;
  /** set for constants and types */
  readonly value?: Value;
  /** whether it is a variable of a comprehension */
  readonly local?: boolean;
}

/** The overloads that a call may run. If there are several, the values decide. */
export interface CallReference {
  readonly function: FunctionDeclaration;
  readonly overloads: readonly Overload[];
  /** whether the target is the first part of the function's name, and no value */
  readonly namespaced: boolean;
}

/** An expression with the types of its nodes. */
export class CheckedExpression {
  readonly parsed: ParsedExpression;
  readonly environment: Environment;
  readonly #types: readonly (Type | undefined)[];
  readonly #names: ReadonlyMap<number, NameReference>;
  readonly #calls: ReadonlyMap<number, CallReference>;

  constructor(
    parsed: ParsedExpression,
    environment: Environment,
    types: readonly (Type | undefined)[],
    names: ReadonlyMap<number, NameReference>,
    calls: ReadonlyMap<number, CallReference>,
  ) {
    this.parsed = parsed;
    this.environment = environment;
    this.#types = types;
    this.#names = names;
    this.#calls = calls;
  }

  get root(): Node {
    return this.parsed.root;
  }

  get type(): Type {
    return this.typeOf(this.root);
  }

  typeOf({ id }: Node): Type {
    return this.#types[id] ?? DYN;
  }

  /** All names outside of the expression that it refers to, without variables of comprehensions. */
  environmentNames(): Iterable<NameReference> {
    return this.#names.values().filter(({ local }) => local !== true);
  }

  nameOf({ id }: Node): NameReference | undefined {
    return this.#names.get(id);
  }

  callOf({ id }: Node): CallReference | undefined {
    return this.#calls.get(id);
  }
}

/** Evaluates an expression, counting what it costs: names, fields, operators and the text and lists that they go through. */
import { EvaluationError } from './evaluation-error.ts';
import { declarationOf, type Overload } from './functions.ts';
import type { Node } from './syntax.ts';
import { type Type, Uint, type Value } from './types.ts';
import { keyOf } from './values.ts';

const LIST_COST = 40;
const MAP_COST = 30;

export class Evaluation {
  #left: number;

  /** @param budget cost units */
  constructor(budget: number) {
    this.#left = budget;
  }

  /** @throws EvaluationError */
  value(node: Node, variables: ReadonlyMap<string, Value>): Value {
    switch (node.op) {
      case 'literal':
        return node.value;
      case 'name':
        this.#spend(1);
        return variables.get(node.name) as Value;
      case 'select':
        this.#spend(1);
        return this.#select(node, this.value(node.of, variables));
      case 'list':
        this.#spend(LIST_COST);
        return node.items.map((item) => this.value(item, variables));
      case 'map':
        this.#spend(MAP_COST);
        return new Map(node.entries.map(([key, value]) => [keyOf(this.value(key, variables)), this.value(value, variables)]));
      case 'macro':
        return this.#macro(node, variables);
      case 'call':
        return this.#call(node, variables);
    }
  }

  #spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0) throw new EvaluationError('operation cancelled: actual cost limit exceeded');
  }

  #select({ field, test }: Node & { op: 'select' }, of: Value): Value {
    if (!(of instanceof Map)) throw new EvaluationError('no such overload');
    const value = of.get(field);
    if (test) return value !== undefined;
    if (value === undefined) throw new EvaluationError(`no such key: ${field}`);
    return value;
  }

  #call(node: Node & { op: 'call' }, variables: ReadonlyMap<string, Value>): Value {
    if (node.name === '_&&_') return this.#both(node.args, variables, false);
    if (node.name === '_||_') return this.#both(node.args, variables, true);
    if (node.name === '_?_:_') return this.#choice(node.args, variables);
    const args = [...(node.target === undefined ? [] : [node.target]), ...node.args].map((arg) => this.value(arg, variables));
    const declaration = declarationOf(node.name);
    const overloads = (node.target === undefined ? declaration?.global : declaration?.member) ?? [];
    const overload = overloads.find((each) => takes(each, args));
    if (overload === undefined) throw new EvaluationError('no such overload');
    this.#spend(overload.cost === undefined ? 1 : Math.max(1, overload.cost(...(args as never[]))));
    return overload.run(...(args as never[]));
  }

  /** One side decides, even where the other fails. @param decisive true for `||` */
  #both([left, right]: readonly Node[], variables: ReadonlyMap<string, Value>, decisive: boolean): Value {
    let failure: EvaluationError | undefined;
    for (const side of [left, right]) {
      try {
        const value = this.value(side as Node, variables);
        if (typeof value !== 'boolean') throw new EvaluationError('no such overload');
        if (value === decisive) return decisive;
      } catch (error) {
        if (!(error instanceof EvaluationError) || this.#left < 0) throw error;
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return !decisive;
  }

  #choice([condition, then, otherwise]: readonly Node[], variables: ReadonlyMap<string, Value>): Value {
    const value = this.value(condition as Node, variables);
    if (typeof value !== 'boolean') throw new EvaluationError('no such overload');
    return this.value((value ? then : otherwise) as Node, variables);
  }

  #macro(node: Node & { op: 'macro' }, variables: ReadonlyMap<string, Value>): Value {
    const range = this.value(node.range, variables);
    if (!Array.isArray(range) && !(range instanceof Map)) throw new EvaluationError('no such overload');
    const inner = new Map(variables);
    const results: Value[] = [];
    let failure: EvaluationError | undefined;
    for (const item of range instanceof Map ? range.keys() : (range as Value[])) {
      this.#spend(1);
      inner.set(node.variable, item);
      if (node.macro === 'map') {
        if (node.filter === undefined || this.#holds(node.filter, inner)) results.push(this.value(node.step, inner));
        continue;
      }
      try {
        const holds = this.#holds(node.step, inner);
        if (node.macro === 'all' && !holds) return false;
        if (node.macro === 'exists' && holds) return true;
        if (holds) results.push(item);
      } catch (error) {
        // Another item may decide, as another side of `&&` may.
        if (!(error instanceof EvaluationError) || this.#left < 0 || (node.macro !== 'all' && node.macro !== 'exists')) throw error;
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return node.macro === 'all' || (node.macro === 'exists' ? false : node.macro === 'exists_one' ? results.length === 1 : results);
  }

  #holds(node: Node, variables: ReadonlyMap<string, Value>): boolean {
    const value = this.value(node, variables);
    if (typeof value !== 'boolean') throw new EvaluationError('no such overload');
    return value;
  }
}

/** Of values whose types the check could not know. */
function takes({ params }: Overload, args: readonly Value[]): boolean {
  return params.length === args.length && params.every((param, index) => isOf(param, args[index] as Value));
}

function isOf({ kind }: Type, value: Value): boolean {
  switch (kind) {
    case 'dyn':
      return true;
    case 'int':
      return typeof value === 'bigint';
    case 'uint':
      return value instanceof Uint;
    case 'double':
      return typeof value === 'number';
    case 'list':
      return Array.isArray(value);
    case 'map':
    case 'struct':
      return value instanceof Map;
    case 'bytes':
      return value instanceof Uint8Array;
    case 'null':
      return value === null;
    case 'bool':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string';
  }
}

/**
 * Estimates the cost of evaluating an expression before any value is known. The rules are those of 1.32: the cost of a node is that of its
 * parts plus its own, and a loop costs its body times the largest number of items.
 */
import type { CheckedExpression } from '../check/checked-expression.ts';
import type { CallEstimate, EstimatedArgument, Overload, Range } from '../environment/declarations.ts';
import { ACCUMULATOR, type CallNode, type ComprehensionNode, type IdentifierNode, type Node, type SelectNode } from '../syntax/node.ts';
import type { Type } from '../types/type.ts';
import { textSize } from '../values/describe.ts';
import { exactly, NOTHING, ONE, plus, times, UNKNOWN, union } from './ranges.ts';

/** The path from a variable to a value: fields, `@items` of lists, `@keys` and `@values` of maps. */
export type ValuePath = readonly string[];

/** @param path undefined for a computed value @returns limits of the value's size; undefined if they are unknown */
export type SizeAt = (path: ValuePath | undefined, type: Type) => Range | undefined;

/** A loop, or a call whose cost depends on a size. */
export interface CostSource {
  readonly node: Node;
  /** path of the value that has the size; undefined for a computed value */
  readonly path: ValuePath | undefined;
  readonly size: Range;
  readonly cost: Range;
}

export interface Estimate {
  readonly cost: Range;
  /** inner ones come before the ones around them */
  readonly sources: readonly CostSource[];
}

export function estimateCost(checked: CheckedExpression, sizeAt: SizeAt): Estimate {
  const estimator = new Estimator(checked, sizeAt);
  return { cost: estimator.cost(checked.root), sources: estimator.sources };
}

const LIST = exactly(10n);
const MAP = exactly(30n);
const STRUCT = exactly(40n);
const SCALARS: ReadonlySet<Type['kind']> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

class Estimator {
  readonly sources: CostSource[] = [];
  readonly #checked: CheckedExpression;
  readonly #sizeAt: SizeAt;
  readonly #costs = new Map<number, Range>();
  readonly #paths = new Map<number, ValuePath>();
  readonly #sizes = new Map<number, Range>();
  readonly #loops: { readonly name: string; readonly range: Node; readonly part: '@items' | '@keys' | '@values' | undefined }[] = [];

  constructor(checked: CheckedExpression, sizeAt: SizeAt) {
    this.#checked = checked;
    this.#sizeAt = sizeAt;
  }

  /** A macro may have put the same node in two places, so costs are remembered. */
  cost(node: Node): Range {
    let cost = this.#costs.get(node.id);
    if (cost === undefined) {
      cost = this.#costOf(node);
      this.#costs.set(node.id, cost);
    }
    return cost;
  }

  #costOf(node: Node): Range {
    switch (node.kind) {
      case 'literal':
        return NOTHING;
      case 'identifier':
        return this.#identifier(node);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#sum(
          node.elements.map(({ value }) => value),
          LIST,
        );
      case 'map':
        return this.#sum(
          node.entries.flatMap(({ key, value }) => [key, value]),
          MAP,
        );
      case 'struct':
        return this.#sum(
          node.fields.map(({ value }) => value),
          STRUCT,
        );
      case 'comprehension':
        return this.#comprehension(node);
    }
  }

  #sum(nodes: readonly Node[], own: Range): Range {
    return nodes.reduce((sum, node) => plus(sum, this.cost(node)), own);
  }

  #identifier(node: IdentifierNode): Range {
    const loop = this.#loops.findLast(({ name }) => name === node.name);
    if (loop === undefined) this.#paths.set(node.id, [node.name]);
    else if (loop.part !== undefined) this.#extend(node, loop.range, loop.part);
    return ONE;
  }

  #extend(node: Node, from: Node, part: string): void {
    this.#paths.set(node.id, [...(this.#paths.get(from.id) ?? []), part]);
  }

  #select(node: SelectNode): Range {
    const named = this.#checked.nameOf(node);
    if (named !== undefined) {
      this.#paths.set(node.id, [named.name]);
      return ONE;
    }
    const operand = this.cost(node.operand);
    if (node.testOnly) return operand;
    this.#extend(node, node.operand, node.field);
    const { kind } = this.#checked.typeOf(node.operand);
    return kind === 'map' || kind === 'struct' || kind === 'parameter' ? plus(operand, ONE) : operand;
  }

  #call(node: CallNode): Range {
    const reference = this.#checked.callOf(node);
    const costs = node.args.map((arg) => this.cost(arg));
    if (node.function === 'dyn') return this.#dyn(node, costs);
    // an optional selection counts as a call, whatever it selects from
    if (node.function === '_?._') return costs.reduce(plus, ONE);
    if (reference === undefined) return NOTHING;
    const target = node.target !== undefined && !reference.namespaced ? node.target : undefined;
    const targetCost = target === undefined ? NOTHING : this.cost(target);
    const operands = target === undefined ? node.args : [target, ...node.args];
    const args = operands.map((operand) => this.#argument(operand));
    const estimates = reference.overloads.map((overload) => {
      const estimate = this.#overload(overload, reference.function.estimate?.(args, overload.id), args, costs);
      this.#indexed(node, overload);
      return estimate;
    });
    const cost = estimates.map((estimate) => estimate.cost).reduce(union);
    const sizes = estimates.flatMap(({ resultSize }) => resultSize ?? []);
    if (sizes.length > 0) this.#sizes.set(node.id, sizes.reduce(union));
    this.#note(node, args, cost);
    return plus(targetCost, cost);
  }

  /** A call of `dyn` only hides the type, so it has the size and path of its argument. */
  #dyn(node: CallNode, costs: readonly Range[]): Range {
    const [arg] = node.args as [Node];
    const [size, path] = [this.#sizes.get(arg.id) ?? literalSize(arg), this.#paths.get(arg.id)];
    if (size !== undefined) this.#sizes.set(node.id, size);
    if (path !== undefined) this.#paths.set(node.id, path);
    return plus(costs[0] ?? NOTHING, ONE);
  }

  #overload(
    overload: Overload,
    stated: CallEstimate | undefined,
    args: readonly EstimatedArgument[],
    costs: readonly Range[],
  ): CallEstimate {
    const [first = NOTHING, second = NOTHING, third = NOTHING] = costs;
    switch (overload.id) {
      case 'logical_and':
      case 'logical_or':
        return { cost: { min: first.min, max: plus(first, second).max } };
      case 'conditional':
        return { cost: plus(first, union(second, third)), resultSize: union(sizeOf(args[1]), sizeOf(args[2])) };
      default: {
        const { cost, resultSize } = stated ?? overload.estimate?.(args) ?? { cost: ONE };
        return { cost: costs.reduce(plus, cost), resultSize };
      }
    }
  }

  #indexed(node: CallNode, { id }: Overload): void {
    const [operand] = node.args;
    if (operand === undefined) return;
    if (id === 'index_list') this.#extend(node, operand, '@items');
    else if (id === 'index_map') this.#extend(node, operand, '@values');
  }

  #argument(node: Node): EstimatedArgument {
    const type = this.#checked.typeOf(node);
    const argument = { node, type, size: this.#size(node), madeSize: this.#madeSize(node) };
    if (type.kind !== 'list') return argument;
    const path = this.#pathOf(node);
    return { ...argument, itemSize: this.#sizeAt(path && [...path, '@items'], type.element) ?? UNKNOWN };
  }

  /** The path of a value; results of macros have none. */
  #pathOf(node: Node): ValuePath | undefined {
    const path = this.#paths.get(node.id);
    return path?.[0] === ACCUMULATOR ? undefined : path;
  }

  #madeSize(node: Node): Range | undefined {
    return this.#sizes.get(node.id) ?? literalSize(node);
  }

  #size(node: Node): Range {
    const known = this.#madeSize(node);
    if (known !== undefined) return known;
    const type = this.#checked.typeOf(node);
    return this.#sizeAt(this.#pathOf(node), type) ?? (SCALARS.has(type.kind) ? ONE : UNKNOWN);
  }

  #comprehension(node: ComprehensionNode): Range {
    const before = plus(this.cost(node.range), this.cost(node.initial));
    const { kind } = this.#checked.typeOf(node.range);
    const [first, second] =
      node.second === undefined ? [kind === 'list' ? '@items' : '@keys', undefined] : ['@keys', kind === 'list' ? '@items' : '@values'];
    const isKnown = kind === 'list' || kind === 'map';
    this.#loops.push({ name: node.variable, range: node.range, part: isKnown ? (first as '@items') : undefined });
    if (node.second !== undefined)
      this.#loops.push({ name: node.second, range: node.range, part: isKnown ? (second as '@items') : undefined });
    const turn = plus(this.cost(node.condition), this.cost(node.step));
    this.#loops.length -= node.second === undefined ? 1 : 2;
    const result = this.cost(node.result);
    const size = this.#size(node.range);
    this.#sizes.set(node.id, size);
    const loop = times(size, turn);
    this.sources.push({ node, path: this.#paths.get(node.range.id), size, cost: loop });
    return plus(plus(before, result), loop);
  }

  #note(node: Node, args: readonly EstimatedArgument[], cost: Range): void {
    for (const { node: arg, size } of args) if (size.max > 1n) this.sources.push({ node, path: this.#paths.get(arg.id), size, cost });
  }
}

const sizeOf = (arg: EstimatedArgument | undefined): Range => arg?.size ?? UNKNOWN;

/** The size of a literal. */
function literalSize(node: Node): Range | undefined {
  switch (node.kind) {
    case 'literal':
      if (typeof node.value === 'string') return exactly(BigInt(textSize(node.value)));
      return node.value instanceof Uint8Array ? exactly(BigInt(node.value.length)) : ONE;
    case 'list':
      return exactly(BigInt(node.elements.length));
    case 'map':
      return exactly(BigInt(node.entries.length));
    default:
      return undefined;
  }
}

import type { Macro, MacroNodes } from './macro.ts';
import { ACCUMULATOR, type Node } from './node.ts';

/** The macros of every environment of 1.32 (language definition of CEL, section Macros). */
export const STANDARD_MACROS: readonly Macro[] = [
  { name: 'has', member: false, arity: 1, expand: (nodes, _target, [field]) => has(nodes, field as Node) },
  quantifier('all', all),
  quantifier('exists', exists),
  quantifier('exists_one', existsOne),
  {
    name: 'map',
    member: true,
    arity: 2,
    expand: (nodes, target, [name, step]) => map(nodes, target as Node, name as Node, undefined, step as Node),
  },
  {
    name: 'map',
    member: true,
    arity: 3,
    expand: (nodes, target, [name, test, step]) => map(nodes, target as Node, name as Node, test, step as Node),
  },
  {
    name: 'filter',
    member: true,
    arity: 2,
    expand: (nodes, target, [name, test]) => filter(nodes, target as Node, name as Node, test as Node),
  },
];

/** The later name of `exists_one`, which 1.32 does not have. */
export const EXISTS_ONE_BY_ITS_LATER_NAME: Macro = quantifier('existsOne', existsOne);

/** The parts of a comprehension in which the quantifiers differ. */
interface Quantifier {
  readonly initial: Node;
  readonly condition: Node;
  readonly step: Node;
  readonly result: Node;
}

export function all(nodes: MacroNodes, predicate: Node): Quantifier {
  return {
    initial: nodes.literal(true),
    condition: nodes.call('@not_strictly_false', nodes.identifier(ACCUMULATOR)),
    step: nodes.call('_&&_', nodes.identifier(ACCUMULATOR), predicate),
    result: nodes.identifier(ACCUMULATOR),
  };
}

export function exists(nodes: MacroNodes, predicate: Node): Quantifier {
  return {
    initial: nodes.literal(false),
    condition: nodes.call('@not_strictly_false', nodes.call('!_', nodes.identifier(ACCUMULATOR))),
    step: nodes.call('_||_', nodes.identifier(ACCUMULATOR), predicate),
    result: nodes.identifier(ACCUMULATOR),
  };
}

export function existsOne(nodes: MacroNodes, predicate: Node): Quantifier {
  return {
    initial: nodes.literal(0n),
    condition: nodes.literal(true),
    step: whereHolds(nodes, predicate, nodes.call('_+_', nodes.identifier(ACCUMULATOR), nodes.literal(1n))),
    result: nodes.call('_==_', nodes.identifier(ACCUMULATOR), nodes.literal(1n)),
  };
}

/** Collects values into a list. @param test if given, only those for which it holds */
export function collected(nodes: MacroNodes, test: Node | undefined, value: Node): Quantifier {
  const step = nodes.call('_+_', nodes.identifier(ACCUMULATOR), nodes.list(value));
  return {
    initial: nodes.list(),
    condition: nodes.literal(true),
    step: test === undefined ? step : whereHolds(nodes, test, step),
    result: nodes.identifier(ACCUMULATOR),
  };
}

/** @returns the step if the test holds; otherwise the accumulator stays */
export function whereHolds(nodes: MacroNodes, test: Node, step: Node): Node {
  return nodes.call('_?_:_', test, step, nodes.identifier(ACCUMULATOR));
}

/** @param wanted message of the error @throws if the node is no simple name */
export function variableName(nodes: MacroNodes, node: Node, wanted: string): string {
  if (node.kind !== 'identifier') throw nodes.error(node, wanted);
  return node.name;
}

function quantifier(name: string, parts: (nodes: MacroNodes, predicate: Node) => Quantifier): Macro {
  return {
    name,
    member: true,
    arity: 2,
    expand: (nodes, target, [variable, predicate]) =>
      comprehension(
        nodes,
        target as Node,
        iterationVariable(nodes, variable as Node, 'argument must be a simple name'),
        parts(nodes, predicate as Node),
      ),
  };
}

function map(nodes: MacroNodes, range: Node, name: Node, test: Node | undefined, step: Node): Node {
  return comprehension(nodes, range, iterationVariable(nodes, name, 'argument is not an identifier'), collected(nodes, test, step));
}

function filter(nodes: MacroNodes, range: Node, name: Node, test: Node): Node {
  return comprehension(nodes, range, iterationVariable(nodes, name, 'argument is not an identifier'), collected(nodes, test, name));
}

function comprehension(nodes: MacroNodes, range: Node, variable: string, parts: Quantifier): Node {
  return nodes.comprehension({ range, variable, second: undefined, accumulator: ACCUMULATOR, ...parts });
}

/** Refuses the name that 1.32 gives the accumulator. */
export function iterationVariable(nodes: MacroNodes, node: Node, wanted: string): string {
  const name = variableName(nodes, node, wanted);
  if (name === '__result__') throw nodes.error(node, 'iteration variable overwrites accumulator variable');
  return name;
}

function has(nodes: MacroNodes, field: Node): Node {
  if (field.kind !== 'select') throw nodes.error(field, 'invalid argument to has() macro');
  return nodes.presence(field.operand, field.field);
}

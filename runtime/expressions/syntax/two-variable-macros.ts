import type { Macro, MacroNodes } from './macro.ts';
import { ACCUMULATOR, type Node } from './node.ts';
import { all, collected, exists, existsOne, iterationVariable, variableName, whereHolds } from './standard-macros.ts';

type Parts = ReturnType<typeof all>;

/** Macros over lists with their indexes, and over maps with their keys and values. */
export const TWO_VARIABLE_MACROS: readonly Macro[] = [
  quantifier('all', all),
  quantifier('exists', exists),
  quantifier('existsOne', existsOne),
  quantifier('exists_one', existsOne),
  ...transformation('transformList', collected),
  ...transformation('transformMap', (nodes, test, value, key) =>
    inserted(nodes, test, nodes.call('cel.@mapInsert', nodes.identifier(ACCUMULATOR), nodes.identifier(key), value)),
  ),
  ...transformation('transformMapEntry', (nodes, test, entries) =>
    inserted(nodes, test, nodes.call('cel.@mapInsert', nodes.identifier(ACCUMULATOR), entries)),
  ),
];

function quantifier(name: string, parts: (nodes: MacroNodes, predicate: Node) => Parts): Macro {
  return {
    name,
    member: true,
    arity: 3,
    expand: (nodes, target, [first, second, predicate]) => {
      const variables = twoVariables(nodes, first as Node, second as Node);
      return nodes.comprehension({ range: target as Node, ...variables, accumulator: ACCUMULATOR, ...parts(nodes, predicate as Node) });
    },
  };
}

function transformation(name: string, parts: (nodes: MacroNodes, test: Node | undefined, value: Node, key: string) => Parts): Macro[] {
  return [3, 4].map((arity) => ({
    name,
    member: true,
    arity,
    expand: (nodes, target, [first, second, ...rest]) => {
      const variables = twoVariables(nodes, first as Node, second as Node);
      const test = arity === 4 ? rest[0] : undefined;
      const made = parts(nodes, test, rest.at(-1) as Node, variables.variable);
      return nodes.comprehension({ range: target as Node, ...variables, accumulator: ACCUMULATOR, ...made });
    },
  }));
}

function inserted(nodes: MacroNodes, test: Node | undefined, step: Node): Parts {
  return {
    initial: nodes.map(),
    condition: nodes.literal(true),
    step: test === undefined ? step : whereHolds(nodes, test, step),
    result: nodes.identifier(ACCUMULATOR),
  };
}

function twoVariables(nodes: MacroNodes, first: Node, second: Node): { variable: string; second: string } {
  const names = [first, second].map((name) => variableName(nodes, name, 'argument must be a simple name'));
  if (names[0] === names[1]) throw nodes.error(second, `duplicate variable name: ${names[0]}`);
  const [variable = '', other = ''] = [first, second].map((name) => iterationVariable(nodes, name, ''));
  return { variable, second: other };
}

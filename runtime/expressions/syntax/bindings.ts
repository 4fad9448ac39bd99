import type { Macro } from './macro.ts';
import type { Node } from './node.ts';
import { variableName } from './standard-macros.ts';

/** The unused variable of a comprehension over an empty list. */
export const UNUSED = '#unused';

/** The macro `cel.bind(name, value, expression)`, which evaluates the value once. */
export const BINDING_MACROS: readonly Macro[] = [
  {
    name: 'bind',
    member: true,
    arity: 3,
    expand(nodes, target, [name, value, expression]) {
      if (target?.kind !== 'identifier' || target.name !== 'cel') return undefined;
      const variable = variableName(nodes, name as Node, 'cel.bind() variable names must be simple identifiers');
      return nodes.comprehension({
        range: nodes.list(),
        variable: UNUSED,
        second: undefined,
        accumulator: variable,
        initial: value as Node,
        condition: nodes.literal(false),
        step: nodes.identifier(variable),
        result: expression as Node,
      });
    },
  },
];

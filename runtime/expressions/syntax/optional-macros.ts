import { UNUSED } from './bindings.ts';
import type { Macro, MacroNodes } from './macro.ts';
import type { Node } from './node.ts';
import { variableName } from './standard-macros.ts';

/** Macros of optional values. Their expansion contains the target twice, as the same node. */
export const OPTIONAL_MACROS: readonly Macro[] = [
  mapping('optMap', (nodes, value) => nodes.call('optional.of', value)),
  mapping('optFlatMap', (_nodes, value) => value),
];

function mapping(name: string, wrapped: (nodes: MacroNodes, value: Node) => Node): Macro {
  return {
    name,
    member: true,
    arity: 2,
    expand(nodes, target, [variable, expression]) {
      const accumulator = variableName(nodes, variable as Node, `${name}() variable name must be a simple identifier`);
      const hasValue = nodes.memberCall('hasValue', target as Node);
      const value = nodes.comprehension({
        range: nodes.list(),
        variable: UNUSED,
        second: undefined,
        accumulator,
        initial: nodes.memberCall('value', target as Node),
        condition: nodes.literal(false),
        step: nodes.identifier(accumulator),
        result: expression as Node,
      });
      return nodes.call('_?_:_', hasValue, wrapped(nodes, value), nodes.call('optional.none'));
    },
  };
}

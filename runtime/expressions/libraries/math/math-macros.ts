import { Uint } from '../../syntax/literal.ts';
import type { Macro } from '../../syntax/macro.ts';
import type { Node } from '../../syntax/node.ts';

/** The macros `math.least(…)` and `math.greatest(…)`, which take any number of arguments, or a list. */
export const MATH_MACROS: readonly Macro[] = [extreme('least', 'math.@min'), extreme('greatest', 'math.@max')];

function extreme(name: string, to: string): Macro {
  return {
    name,
    member: true,
    arity: undefined,
    expand(nodes, target, args) {
      if (target?.kind !== 'identifier' || target.name !== 'math') return undefined;
      const [first] = args;
      if (first === undefined) throw nodes.error(target, `math.${name}() requires at least one argument`);
      if (args.length === 1 && !mayBeNumber(first) && !isListOfNumbers(first))
        throw nodes.error(first, `math.${name}() invalid single argument value`);
      const wrong = args.length === 1 ? undefined : args.find((arg) => !mayBeNumber(arg));
      if (wrong !== undefined) throw nodes.error(wrong, `math.${name}() simple literal arguments must be numeric`);
      return args.length > 2 ? nodes.call(to, nodes.list(...args)) : nodes.call(to, ...args);
    },
  };
}

function mayBeNumber(node: Node): boolean {
  if (node.kind === 'literal') return typeof node.value === 'bigint' || typeof node.value === 'number' || node.value instanceof Uint;
  return node.kind !== 'list' && node.kind !== 'map' && node.kind !== 'struct';
}

const isListOfNumbers = (node: Node): boolean =>
  node.kind === 'list' && node.elements.length > 0 && node.elements.every(({ value }) => mayBeNumber(value));

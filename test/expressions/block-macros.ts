import type { Literal } from '../../runtime/expressions/syntax/literal.ts';
import type { Macro } from '../../runtime/expressions/syntax/macro.ts';
import type { Node } from '../../runtime/expressions/syntax/node.ts';

/**
 * What the official conformance tests write common parts of an expression with, which no API has: `cel.block([a, b], c)` is a call of
 * `cel.@block`, `cel.index(1)` the variable `@index1`, `cel.iterVar(0, 1)` and `cel.accuVar(0, 1)` the variables `@it:0:1` and `@ac:0:1`.
 */
export const BLOCK_MACROS: readonly Macro[] = [
  macro('block', 2, (nodes, args) => {
    const [bindings] = args;
    if (bindings?.kind !== 'list') throw nodes.error(bindings as Node, 'cel.block requires the first arg to be a list literal');
    return nodes.call('cel.@block', ...args);
  }),
  macro('index', 1, (nodes, [index]) => nodes.identifier(`@index${numberOf(index)}`)),
  macro('iterVar', 2, (nodes, [depth, unique]) => nodes.identifier(`@it:${numberOf(depth)}:${numberOf(unique)}`)),
  macro('accuVar', 2, (nodes, [depth, unique]) => nodes.identifier(`@ac:${numberOf(depth)}:${numberOf(unique)}`)),
];

function macro(name: string, arity: number, expand: (nodes: Parameters<Macro['expand']>[0], args: readonly Node[]) => Node): Macro {
  const isCel = (target: Node | undefined): boolean => target?.kind === 'identifier' && target.name === 'cel';
  return { name, member: true, arity, expand: (nodes, target, args) => (isCel(target) ? expand(nodes, args) : undefined) };
}

function numberOf(node: Node | undefined): Literal {
  if (node?.kind !== 'literal' || typeof node.value !== 'bigint') throw new Error('a number is written as a literal');
  return node.value;
}

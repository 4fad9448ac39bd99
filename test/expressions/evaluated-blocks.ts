/** `cel.block([…], …)` as nested bindings, so that blocks can be evaluated: each item is found once, and later ones and the result name it. */
import type { Macro, MacroNodes } from '../../runtime/expressions/syntax/macro.ts';
import type { Node } from '../../runtime/expressions/syntax/node.ts';
import { BLOCK_MACROS } from './block-macros.ts';

export const EVALUATED_BLOCKS: readonly Macro[] = BLOCK_MACROS.map((macro) =>
  macro.name !== 'block'
    ? macro
    : {
        ...macro,
        expand(nodes, target, [items, result]) {
          if (target?.kind !== 'identifier' || target.name !== 'cel' || items?.kind !== 'list') return undefined;
          return items.elements.reduceRight((rest: Node, { value }, place) => bound(nodes, `@index${place}`, value, rest), result as Node);
        },
      },
);

function bound(nodes: MacroNodes, name: string, value: Node, result: Node): Node {
  return nodes.comprehension({
    range: nodes.list(),
    variable: '#unused',
    second: undefined,
    accumulator: name,
    initial: value,
    condition: nodes.literal(false),
    step: nodes.identifier(name),
    result,
  });
}

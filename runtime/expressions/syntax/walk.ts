/** Traverses the nodes of an expression. */
import type { Node } from './node.ts';

/** The children of a node in the order of the source. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'select':
      return [node.operand];
    case 'call':
      return node.target === undefined ? node.args : [node.target, ...node.args];
    case 'list':
      return node.elements.map(({ value }) => value);
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return node.fields.map(({ value }) => value);
    case 'comprehension':
      return [node.range, node.initial, node.condition, node.step, node.result];
    default:
      return [];
  }
}

/** A node and all nodes below it without repetition, parents first. */
export function descendants(root: Node): Node[] {
  const found = new Set<Node>();
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (found.has(node)) continue;
    found.add(node);
    open.push(...childrenOf(node).toReversed());
  }
  return [...found];
}

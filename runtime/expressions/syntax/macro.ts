import type { Literal } from './literal.ts';
import type { CallNode, ComprehensionNode, Node } from './node.ts';

/** Makes the nodes of a macro's expansion, all of which stand where the macro's call stands, unless another place is given. */
export interface MacroNodes {
  literal(value: Literal): Node;
  identifier(name: string): Node;
  call(name: string, ...args: readonly Node[]): CallNode;
  memberCall(name: string, target: Node, ...args: readonly Node[]): CallNode;
  list(...elements: readonly Node[]): Node;
  map(...entries: readonly (readonly [key: Node, value: Node])[]): Node;
  /** a test for the presence of a field, as `has(operand.field)` */
  presence(operand: Node, field: string): Node;
  comprehension(
    parts: Pick<ComprehensionNode, 'range' | 'variable' | 'second' | 'accumulator' | 'initial' | 'condition' | 'step' | 'result'>,
  ): Node;
  /** @returns what the macro's expansion throws for an argument that it cannot take. @param at the argument that is wrong */
  error(at: Node, message: string): Error;
}

/** A call that is replaced while its text is parsed. */
export interface Macro {
  readonly name: string;
  /** whether it is called on a target */
  readonly member: boolean;
  /** how many arguments, the target not counted; undefined for any number */
  readonly arity: number | undefined;
  /** @returns undefined for a call that is no macro's after all, which then stays a call. @throws what `nodes.error` makes */
  expand(nodes: MacroNodes, target: Node | undefined, args: readonly Node[]): Node | undefined;
}

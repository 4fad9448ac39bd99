import type { Literal } from './literal.ts';
import type { CallNode, ComprehensionNode, Node } from './node.ts';

/** Makes the nodes of a macro's expansion. All of them have the place of the call, unless another one is given. */
export interface MacroNodes {
  literal(value: Literal): Node;
  identifier(name: string): Node;
  call(name: string, ...args: readonly Node[]): CallNode;
  memberCall(name: string, target: Node, ...args: readonly Node[]): CallNode;
  list(...elements: readonly Node[]): Node;
  map(...entries: readonly (readonly [key: Node, value: Node])[]): Node;
  /** a presence test like `has(operand.field)` */
  presence(operand: Node, field: string): Node;
  comprehension(
    parts: Pick<ComprehensionNode, 'range' | 'variable' | 'second' | 'accumulator' | 'initial' | 'condition' | 'step' | 'result'>,
  ): Node;
  /** @returns the error that the macro throws for an invalid argument @param at the invalid argument */
  error(at: Node, message: string): Error;
}

/** A call that is replaced while its text is parsed. */
export interface Macro {
  readonly name: string;
  /** whether it is called on a target */
  readonly member: boolean;
  /** number of arguments without the target; undefined: any number */
  readonly arity: number | undefined;
  /** @returns undefined if the call is no use of the macro, and stays a call @throws the result of `nodes.error` */
  expand(nodes: MacroNodes, target: Node | undefined, args: readonly Node[]): Node | undefined;
}

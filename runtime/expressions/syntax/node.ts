/**
 * Expressions as they are written, with macros expanded (the language's definition, sections Syntax and Macros).
 *
 * Operators are calls by the names that the language's implementations share: `_+_`, `_==_`, `!_`, `-_`, `_&&_`, `_||_`, `_?_:_`, `_[_]`, `@in`;
 * optional selection and index are calls of `_?._` (whose second argument is the field's name as a literal) and `_[?_]`.
 */
import type { Literal } from './literal.ts';

interface Placed {
  /** unique within an expression, counted from 1 in the order in which nodes are made */
  readonly id: number;
  /** offset of the character that messages point to: an operator, a dot, an opening bracket, or the first character */
  readonly at: number;
  /** offsets of the part of the source that the node was made of; a macro's nodes have those of the macro's call */
  readonly from: number;
  readonly to: number;
}

export interface LiteralNode extends Placed {
  readonly kind: 'literal';
  readonly value: Literal;
}

/** A name of one part. Names with a leading dot, which no container changes, keep it. */
export interface IdentifierNode extends Placed {
  readonly kind: 'identifier';
  readonly name: string;
}

export interface SelectNode extends Placed {
  readonly kind: 'select';
  readonly operand: Node;
  readonly field: string;
  /** of the macro `has` */
  readonly testOnly: boolean;
}

export interface CallNode extends Placed {
  readonly kind: 'call';
  readonly function: string;
  readonly target: Node | undefined;
  readonly args: readonly Node[];
}

export interface ListNode extends Placed {
  readonly kind: 'list';
  readonly elements: readonly { readonly value: Node /** written with `?` */; readonly optional: boolean }[];
}

export interface MapNode extends Placed {
  readonly kind: 'map';
  readonly entries: readonly { readonly id: number; readonly key: Node; readonly value: Node; readonly optional: boolean }[];
}

export interface StructNode extends Placed {
  readonly kind: 'struct';
  /** as written, such as `Object.spec` or `.Object` */
  readonly type: string;
  readonly fields: readonly {
    readonly id: number;
    readonly name: string;
    readonly at: number;
    readonly value: Node;
    readonly optional: boolean;
  }[];
}

/** For each item of `range`: while `condition` holds, `accumulator` becomes `step`; its value is `result`. */
export interface ComprehensionNode extends Placed {
  readonly kind: 'comprehension';
  readonly range: Node;
  /** an item of a list, or a key of a map; of two variables, the index or the key */
  readonly variable: string;
  /** an item of a list or a value of a map, where there are two variables */
  readonly second: string | undefined;
  readonly accumulator: string;
  readonly initial: Node;
  readonly condition: Node;
  readonly step: Node;
  readonly result: Node;
}

export type Node = LiteralNode | IdentifierNode | SelectNode | CallNode | ListNode | MapNode | StructNode | ComprehensionNode;

/** The variable of macros' results, which no expression can name. */
export const ACCUMULATOR = '@result';

/** A text as it was parsed. */
export interface ParsedExpression {
  readonly source: string;
  readonly root: Node;
  /** one more than the greatest id */
  readonly ids: number;
}

/**
 * The syntax tree of an expression with expanded macros (language definition of CEL, sections Syntax and Macros).
 *
 * Operators are calls with the names that all implementations of CEL share: `_+_`, `_==_`, `!_`, `-_`, `_&&_`, `_||_`, `_?_:_`, `_[_]`,
 * `@in`; optional selection and index are calls of `_?._` (whose second argument is the field's name as a literal) and `_[?_]`.
 */
import type { Literal } from './literal.ts';

interface Placed {
  /** unique within an expression, counted from 1 in the order of creation */
  readonly id: number;
  /** offset of the character that messages point to: an operator, a dot, an opening bracket, or the first character */
  readonly at: number;
  /** offsets of the source of the node; nodes of a macro have those of the macro's call */
  readonly from: number;
  readonly to: number;
}

export interface LiteralNode extends Placed {
  readonly kind: 'literal';
  readonly value: Literal;
}

/** A name without dots, except that an absolute name keeps its leading dot. */
export interface IdentifierNode extends Placed {
  readonly kind: 'identifier';
  readonly name: string;
}

export interface SelectNode extends Placed {
  readonly kind: 'select';
  readonly operand: Node;
  readonly field: string;
  /** whether the node is an expansion of the macro `has` */
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

/** For each item of `range`, while `condition` holds, `accumulator` is set to `step`. The value is `result`. */
export interface ComprehensionNode extends Placed {
  readonly kind: 'comprehension';
  readonly range: Node;
  /** variable of the item of a list or the key of a map; with two variables, of the index or the key */
  readonly variable: string;
  /** with two variables: variable of the item or the value */
  readonly second: string | undefined;
  readonly accumulator: string;
  readonly initial: Node;
  readonly condition: Node;
  readonly step: Node;
  readonly result: Node;
}

export type Node = LiteralNode | IdentifierNode | SelectNode | CallNode | ListNode | MapNode | StructNode | ComprehensionNode;

/** The name of the accumulator in macros, which no expression can spell. */
export const ACCUMULATOR = '@result';

/** A parsed text. */
export interface ParsedExpression {
  readonly source: string;
  readonly root: Node;
  /** one more than the greatest id */
  readonly ids: number;
}

import type { Value } from './types.ts';

/** An expression as it is written. `at` is the offset of its first character, or of its operator. */
export type Node = { readonly at: number } & (
  | { readonly op: 'literal'; readonly value: Value }
  | { readonly op: 'name'; readonly name: string }
  | { readonly op: 'select'; readonly of: Node; readonly field: string /** of the macro `has` */; readonly test: boolean }
  /** operators are functions with the names that cel-go gives them, such as `_+_` */
  | { readonly op: 'call'; readonly name: string; readonly target: Node | undefined; readonly args: readonly Node[] }
  | { readonly op: 'list'; readonly items: readonly Node[] }
  | { readonly op: 'map'; readonly entries: readonly (readonly [key: Node, value: Node])[] }
  | {
      readonly op: 'macro';
      readonly macro: Macro;
      readonly range: Node;
      readonly variable: string;
      readonly step: Node;
      readonly filter: Node | undefined;
    }
);

export type Macro = 'all' | 'exists' | 'exists_one' | 'map' | 'filter';

/** A text that is no expression, or one that does not fit the declarations. The message has the place, as cel-go shows it. */
export class CompileError extends Error {}

/** Such as `ERROR: <input>:1:5: undeclared reference to 'x' (in container '')`, with the line and a mark below it. */
export function compileError(source: string, at: number, message: string): CompileError {
  const before = source.slice(0, at).split('\n');
  const line = source.split('\n')[before.length - 1] ?? '';
  const column = (before.at(-1) as string).length;
  return new CompileError(`ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`);
}

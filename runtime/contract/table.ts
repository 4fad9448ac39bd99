/**
 * Tables as kinds state them: what stands in each cell is data, which the renderer (`runtime/registry/cells/`) compiles once for each kind.
 * A custom kind's printer columns are columns of the same form, made at run time.
 *
 * A path is JSONPath as printer columns have it (`runtime/schema/json-path.ts`): `.spec.replicas`,
 * `.status.conditions[?(@.type=="Ready")].status`. Paths are relative to the object, within `as` to the value that is shown.
 */
import type { Identity } from './identity.ts';

export interface TableData {
  readonly columns: readonly TableColumn[];
}

export interface TableColumn extends CellForm {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** 0: always shown; 1: in wide output only */
  readonly priority?: number;
  /** names the hand-written function that makes the cell: a file below `runtime/kinds/`, such as `core/cells/pod-status` */
  readonly function?: string;
  /** of a custom resource: a template of client-go's JSONPath, without braces around it, that makes the cell instead */
  readonly jsonPath?: string;
  /** 1.32 sends the cell without declaring the column */
  readonly undeclared?: true;
  /** users wrote it: what looks like a placeholder is text */
  readonly asWritten?: true;
}

/** A text that begins with `.` or `@` is a path, any other a template; what is no text stands for itself. */
export type Cell = string | number | boolean | CellForm;

/**
 * Exactly one of the first members says where the cell's value comes from (a column may have a `function` instead), the others what is made
 * of it. A cell has nothing where there is no value, or an empty text.
 */
export interface CellForm {
  /** the value there; of several the first */
  readonly path?: string;
  /** a template: `{.roleRef.kind}/{.roleRef.name}`, with nothing in the place of what is absent */
  readonly text?: string;
  /** how many elements or members are there, of all paths together */
  readonly count?: string | readonly string[];
  /** two numbers, such as `1/3`; 0 for what is absent */
  readonly ratio?: readonly [string, string];
  /** time since the first of the paths that is set; `<unknown>` where none is, unless `absent` says something else */
  readonly age?: string | readonly string[];
  /** a number of seconds in the form that ages have */
  readonly duration?: string;
  /** `a=b,c=d` of a map of labels; `<none>` where it is empty, unless `absent` says something else */
  readonly labels?: string;
  /** text of a label selector */
  readonly selector?: string;
  /** texts of the elements there, or of those cells that have something */
  readonly join?: string | readonly Cell[];
  /** the first cell that has something */
  readonly first?: readonly Cell[];

  /** of `age`: it ends then, if that is set */
  readonly end?: string;
  /** of `path`: of several values the last */
  readonly last?: true;
  /** of `path` and `join`: the cell that shows the value, or each element; its paths begin there, `@` is the value itself */
  readonly as?: Cell;
  /** of `path`: a value of another type is none; of an integer the fraction is cut off */
  readonly only?: 'integer' | 'number' | 'boolean';
  /** of `path`: the cell that stands for the value, by its text; its paths begin at the object */
  readonly map?: Readonly<Record<string, Cell>>;
  /** of `map`: for all other values */
  readonly otherwise?: Cell;
  /** of `join`: between the texts; `,` by default */
  readonly separator?: string;
  /** of `join`: so many are shown, and how many more there are */
  readonly limit?: number;
  /** of `join`: each text once, in order, without empty ones */
  readonly set?: true;

  /** the cell has nothing unless there is something at each of these paths that is neither false nor an empty text or list */
  readonly when?: string | readonly string[];
  /** of a text: in small letters, or without white space around it */
  readonly transform?: 'lower' | 'trim';
  /** an empty text counts as something */
  readonly allowEmpty?: true;
  /** what stands in a cell that has nothing; by default, in a column of numbers 0, of booleans false, else an empty text */
  readonly absent?: string | number | boolean | null;
}

/** Makes the cell of one column that cannot be stated. @param object of the stored version, decoded */
// biome-ignore lint/suspicious/noExplicitAny: the machinery knows no kinds; functions name the type of theirs
export type CellFunction<K = any> = (object: K, now: Now, identity: Identity) => string | number | boolean;

/** A condition of a table's row. 1.32 has one type, `Completed`: clients may leave such rows out. */
export interface TableRowCondition {
  readonly type: 'Completed';
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
}

/** A moment, in milliseconds since 1970; or marks that stand in cells for the time passed until a moment that is not known yet. */
export type Now = number | TimeMarks;

export interface TimeMarks {
  /** @param since milliseconds since 1970 */
  mark(since: number): string;
}

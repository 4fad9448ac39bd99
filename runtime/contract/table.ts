/**
 * The tables of kinds. The content of cells is described by data, which the renderer (`runtime/registry/cells/`) compiles once for each kind. Printer columns
 * of custom kinds are converted to columns of the same form at run time.
 *
 * Paths are JSONPath as printer columns have it (`runtime/schema/json/json-path.ts`), such as `.spec.replicas` or `.status.conditions[?(@.type=="Ready")].status`.
 * They are relative to the object, and in `as` to the value that is shown.
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
  /** 0 if clients always show the column, 1 if they show it only in wide output */
  readonly priority?: number;
  /** the hand-written function that makes the cell, as the path of a file below `runtime/kinds/`, such as `core/cells/pod-status` */
  readonly function?: string;
  /** for a custom resource, the template of client-go's JSONPath, without braces around it, that makes the cell */
  readonly jsonPath?: string;
  /** true if rows have the cell while the table does not declare the column, as in 1.32 */
  readonly undeclared?: true;
  /** true if users wrote the texts, in which `${…}` is no placeholder */
  readonly asWritten?: true;
}

/** A cell. A text that begins with `.` or `@` is a path, any other text a template; numbers and booleans stand for themselves. */
export type Cell = string | number | boolean | CellForm;

/**
 * The form of a cell. Exactly one of the members of the first group determines where its value comes from, unless the column has a `function`; the other
 * members determine what is made of the value. A cell is empty if there is no value, or an empty text.
 */
export interface CellForm {
  /** shows the value at a path, and the first one if there are several */
  readonly path?: string;
  /** shows a template, such as `{.roleRef.kind}/{.roleRef.name}`, with nothing at the place of an absent value */
  readonly text?: string;
  /** counts the elements or members at all paths together */
  readonly count?: string | readonly string[];
  /** shows two numbers, such as `1/3`, with 0 for an absent one */
  readonly ratio?: readonly [string, string];
  /** shows the time since the first of the paths that is set; `<unknown>` if none is, unless `absent` is set */
  readonly age?: string | readonly string[];
  /** shows a number of seconds in the form of ages */
  readonly duration?: string;
  /** shows a map of labels as `a=b,c=d`; `<none>` if it is empty, unless `absent` is set */
  readonly labels?: string;
  /** shows a label selector as text */
  readonly selector?: string;
  /** joins the texts of the elements at a path, or of those cells that are not empty */
  readonly join?: string | readonly Cell[];
  /** shows the first cell that is not empty */
  readonly first?: readonly Cell[];

  /** with `age`: the path of the time at which it ends, if that is set; otherwise it ends now */
  readonly end?: string;
  /** with `path`: the last of several values is shown */
  readonly last?: true;
  /** with `path` and `join`: the cell that shows the value, or each element; its paths begin at the value, which is `@` */
  readonly as?: Cell;
  /** with `path`: only a value of this type counts; the fraction of an `integer` is cut off */
  readonly only?: 'integer' | 'number' | 'boolean';
  /** with `path`: the cells to show instead of the value, by its text; their paths begin at the object */
  readonly map?: Readonly<Record<string, Cell>>;
  /** with `map`: the cell for all other values */
  readonly otherwise?: Cell;
  /** with `join`: the text between two texts; default `,` */
  readonly separator?: string;
  /** with `join`: the most texts that are shown; the number of further ones is shown after them */
  readonly limit?: number;
  /** with `join`: the texts are sorted, and shown without repetitions and without empty ones */
  readonly set?: true;

  /** paths that must all have a value that is neither false nor an empty text or list; otherwise the cell is empty */
  readonly when?: string | readonly string[];
  /** converts a text to small letters, or removes the white space around it */
  readonly transform?: 'lower' | 'trim';
  /** true if a cell with an empty text does not count as empty */
  readonly allowEmpty?: true;
  /** what an empty cell shows; default 0 in a column of numbers, false in one of booleans, and otherwise an empty text */
  readonly absent?: string | number | boolean | null;
}

/** Makes the cell of a column that data cannot describe. @param object the decoded object in the stored version */
// biome-ignore lint/suspicious/noExplicitAny: the machinery knows no kinds; functions name the type of theirs
export type CellFunction<K = any> = (object: K, now: Now, identity: Identity) => string | number | boolean;

/** A condition of a table's row. 1.32 has only the type `Completed`, which marks rows that clients may leave out. */
export interface TableRowCondition {
  readonly type: 'Completed';
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
}

/** The time until which ages are counted: milliseconds since 1970, or marks for ages that are filled in later, when that time is known. */
export type Now = number | TimeMarks;

export interface TimeMarks {
  /** Makes the mark for the time since a moment. @param since milliseconds since 1970 */
  mark(since: number): string;
}

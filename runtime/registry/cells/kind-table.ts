/** The table of a kind: what its columns state, ready for use. */
import type { Identity } from '../../contract/identity.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { CellFunction, Now, TableColumn, TableData } from '../../contract/table.ts';
import { compileForm, type Render } from './cell.ts';
import { compileCustomColumn } from './custom-column.ts';

export interface KindTable {
  /** the columns in the form of a Table */
  readonly columnDefinitions: readonly ColumnDefinition[];
  /** Makes a row. @param object the object in the stored version. @returns a cell for each column, in their order */
  cells(object: ApiObject, now: Now): unknown[];
}

export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** What a kind without columns of its own shows. */
const DEFAULT_TABLE: TableData = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'Name of the object, unique in its namespace.', path: '.metadata.name' },
    { name: 'Created At', type: 'date', description: 'When the server created the object.', path: '.metadata.creationTimestamp' },
  ],
};

const ABSENT: Readonly<Record<TableColumn['type'], unknown>> = { string: '', date: '', integer: 0, number: 0, boolean: false };

/**
 * @param data with placeholders, but for columns that are as written; absent where the kind states no table
 * @param functions those that columns name, by name
 * @throws Error for a function that is not among them, PathError
 */
export function compileTable(data: TableData | undefined, functions: ReadonlyMap<string, CellFunction>, identity: Identity): KindTable {
  const columns = (data ?? DEFAULT_TABLE).columns.map((column) => (column.asWritten ? column : identity.resolve(column)));
  const renders = columns.map((column) => compileColumn(column, functions, identity));
  return {
    columnDefinitions: columns.filter(({ undeclared }) => !undeclared).map(definitionOf),
    cells(object, now) {
      const cells = new Array<unknown>(renders.length);
      for (let i = 0; i < renders.length; i++) cells[i] = (renders[i] as Render)(object, now);
      return cells;
    },
  };
}

function definitionOf({ name, type, format = '', description = '', priority = 0 }: TableColumn): ColumnDefinition {
  return { name, type, format, description, priority };
}

function compileColumn(column: TableColumn, functions: ReadonlyMap<string, CellFunction>, identity: Identity): Render {
  const { type, function: name, jsonPath, absent = ABSENT[type] } = column;
  if (jsonPath !== undefined) return compileCustomColumn(jsonPath, type);
  const render = name === undefined ? compileForm(column) : compileForm(column, calling(name, functions, identity));
  return (value, now) => {
    const cell = render(value, now);
    return cell === undefined ? absent : cell;
  };
}

function calling(name: string, functions: ReadonlyMap<string, CellFunction>, identity: Identity): Render {
  const cell = functions.get(name);
  if (cell === undefined) throw new Error(`there is no cell function ${name}`);
  return (value, now) => cell(value as ApiObject, now, identity);
}

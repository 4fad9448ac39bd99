import type { Edit } from '../../states.ts';
import type { ViolationRow } from '../row.ts';

export interface AllowedRow {
  readonly name: string;
  readonly edit: Edit;
  /** as of `ViolationRow` */
  readonly earlier?: Edit;
}

/** Changes of one theme that differ in how they are written from those of the other cases: what is violated all the same, and what is not. */
export interface Variants {
  readonly violations: readonly ViolationRow[];
  readonly allowed: readonly AllowedRow[];
}

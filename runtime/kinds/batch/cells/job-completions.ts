import type { Job } from '../../../../generated/batch/v1/types.ts';
import type { CellFunction } from '../../../contract/table.ts';

/** How many pods have succeeded, and how many should; several that work in parallel without a number end with the first. */
export const cell: CellFunction<Job> = ({ spec: { completions, parallelism = 1 } = {}, status: { succeeded = 0 } = {} }) => {
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
};

import type { CellFunction } from '../../../contract/table.ts';

/** How many pods have succeeded, and how many should; several that work in parallel without a number end with the first. */
export const cell: CellFunction = ({ spec, status }) => {
  const { completions, parallelism } = spec ?? {};
  const succeeded = status?.succeeded ?? 0;
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
};

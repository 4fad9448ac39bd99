/** What is wrong with the form of a table of the server; all problems are reported at once. */
export interface TableProblems {
  readonly problems: readonly string[];
}

export const releaseForm = { type: 'string', pattern: '^[0-9]+[.][0-9]+$' };

/** @returns an error that names the file and lists its problems, one a line */
export function formProblem(file: string, { problems }: TableProblems): Error {
  return new Error(`${file}:\n  ${problems.join('\n  ')}`);
}

/**
 * Reads a table for a step that only needs it if it is in order: what is wrong with its form is reported where the table is read for its own sake.
 * @returns undefined for a table that is missing or malformed
 */
export function readable<T extends object>(text: string | undefined, read: (text: string) => T | TableProblems): T | undefined {
  const table = text === undefined ? undefined : read(text);
  return table === undefined || 'problems' in table ? undefined : (table as T);
}

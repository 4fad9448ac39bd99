/** Tables of the server in YAML: what is wrong with their form is told all at once. */
export interface TableProblems {
  readonly problems: readonly string[];
}

export const releaseForm = { type: 'string', pattern: '^[0-9]+[.][0-9]+$' };

export function formProblem(file: string, { problems }: TableProblems): Error {
  return new Error(`${file}:\n  ${problems.join('\n  ')}`);
}

/** What is wrong with the form is told where the table is read for its own sake. @returns undefined for a table that is not there, or not well formed */
export function readable<T extends object>(text: string | undefined, read: (text: string) => T | TableProblems): T | undefined {
  const table = text === undefined ? undefined : read(text);
  return table === undefined || 'problems' in table ? undefined : (table as T);
}

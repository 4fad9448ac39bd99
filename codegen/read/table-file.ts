/** Tables of the server in YAML: what is wrong with their form is told all at once. */
export interface TableProblems {
  readonly problems: readonly string[];
}

export const releaseForm = { type: 'string', pattern: '^[0-9]+[.][0-9]+$' };

export function formProblem(file: string, { problems }: TableProblems): Error {
  return new Error(`${file}:\n  ${problems.join('\n  ')}`);
}

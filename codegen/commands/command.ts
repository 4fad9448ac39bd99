/**
 * A subcommand of the tool.
 * @param root the root of the tree: the folder that holds `schemas/`
 * @param args the arguments after the command's name
 * @returns the exit code of the process
 * @throws UsageError for a wrong command line, and for what cannot be done
 */
export type Command = (root: string, args: readonly string[]) => Promise<number>;

/** A mistake of the user, such as a wrong command line. The message says what it is. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * A subcommand of the tool.
 * @param root of the tree: the folder that holds `schemas/`
 * @param args what stands behind its name
 * @returns the exit code of the process
 * @throws UsageError
 */
export type Command = (root: string, args: readonly string[]) => Promise<number>;

/** The command line is wrong; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

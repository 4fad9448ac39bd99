/** Commands of `cluster-schema` as the program runs them, in the test's own process, which has their modules loaded after the first one. */
import { runCommandLine } from '../../../codegen/commands/command-line.ts';

export interface CommandOutcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One at a time, for what is printed meanwhile is the command's. @param root of the tree */
export async function runSchemaCommand(root: string, ...args: readonly string[]): Promise<CommandOutcome> {
  const { log, error } = console;
  const printed = { stdout: '', stderr: '' };
  console.log = (text: string) => {
    printed.stdout += `${text}\n`;
  };
  console.error = (text: string) => {
    printed.stderr += `${text}\n`;
  };
  try {
    return { status: await runCommandLine(root, args), ...printed };
  } finally {
    Object.assign(console, { log, error });
  }
}

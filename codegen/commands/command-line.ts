/** The command line of `cluster-schema`. Each command is a file of this folder, which is loaded when the command runs. */
import { type Command, UsageError } from './command.ts';

interface CommandModule {
  readonly run: Command;
  /** Absent if the command takes no arguments. */
  readonly usage?: string;
}

const commands: Readonly<Record<string, { readonly load: () => Promise<CommandModule>; readonly summary: string }>> = {
  generate: { load: () => import('./generate.ts'), summary: 'writes generated/ and the table in schemas/README.md from schemas/' },
  verify: { load: () => import('./verify.ts'), summary: 'fails where these are not what generate would write' },
  client: { load: () => import('./client.ts'), summary: 'writes a package with a typed client to the folder --out' },
  'import-crd': {
    load: () => import('./import-crd.ts'),
    summary: 'writes schemas of kinds that definitions of custom resources define',
  },
  crd: { load: () => import('./crd.ts'), summary: 'writes definitions of custom resources of what the schemas state' },
  'new-version': { load: () => import('./new-version.ts'), summary: 'writes the schemas of a new version of a group' },
  deprecate: { load: () => import('./deprecate.ts'), summary: 'announces that a version goes' },
  remove: { load: () => import('./remove.ts'), summary: 'says in which release a version is no longer served' },
  promote: { load: () => import('./promote.ts'), summary: 'makes a version the one that is stored and preferred' },
  check: { load: () => import('./check.ts'), summary: 'holds the schemas, or definitions, to the deprecation policy' },
  convert: {
    load: () => import('./convert.ts'),
    summary: 'converts manifests to other versions, or lists what a release does not serve',
  },
};

function usage(): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`);
  return `usage: cluster-schema COMMAND\n\n${lines.join('\n')}\n\nIt reads the schemas of the checkout that it stands in. COMMAND --help says what a command takes.`;
}

const isHelp = (argument: string): boolean => argument === '--help' || argument === '-h';

/**
 * Runs a command, and prints what it has to say.
 * @param root the root of the tree: the folder that holds `schemas/`
 * @returns the exit code of the process; 2 for a wrong command line
 */
export async function runCommandLine(root: string, [name = '', ...args]: readonly string[]): Promise<number> {
  if (isHelp(name)) return said(0, usage());
  const command = Object.hasOwn(commands, name) ? await commands[name]?.load() : undefined;
  const asked = args.some(isHelp);
  if (command === undefined || (command.usage === undefined && args.length > 0 && !asked)) return said(2, usage());
  if (asked) return said(0, command.usage ?? usage());
  try {
    return await command.run(root, args);
  } catch (error) {
    if (error instanceof UsageError) return said(2, `cluster-schema ${name}: ${error.message}\n\n${command.usage ?? usage()}`);
    if (isOfSystem(error)) return said(1, `cluster-schema ${name}: ${error.message}`);
    throw error;
  }
}

/** Whether the system reports that a file cannot be read or written, such as one in a folder that does not exist. */
const isOfSystem = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error;

/** Results go to the standard output, problems to the standard error. */
function said(code: number, text: string): number {
  if (code === 0) console.log(text);
  else console.error(text);
  return code;
}

/** `cluster-schema`: the maintainer's tool. One command per file in `commands/`. */
import path from 'node:path';
import { clientCommand } from './commands/client.ts';
import { generateCommand } from './commands/generate.ts';
import { verifyCommand } from './commands/verify.ts';

/**
 * @param root of the tree: the folder that holds `schemas/`
 * @param args behind the command's name
 * @returns the exit code of the process
 */
export type Command = (root: string, args: readonly string[]) => Promise<number>;

interface KnownCommand {
  readonly run: Command;
  readonly summary: string;
  /** it reads its arguments itself, `--help` among them */
  readonly takesArguments?: true;
}

const commands: Readonly<Record<string, KnownCommand>> = {
  generate: { run: generateCommand, summary: 'writes generated/ and the table in schemas/README.md from schemas/' },
  verify: { run: verifyCommand, summary: 'fails where these are not what generate would write' },
  client: { run: clientCommand, summary: 'writes a package with a typed client to the folder --out', takesArguments: true },
};

function usage(): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`);
  return `usage: cluster-schema COMMAND\n\n${lines.join('\n')}\n\nIt reads the schemas of the checkout that it stands in. COMMAND --help says what a command takes.`;
}

const [name = '', ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
const asksForHelp = [name, ...args].some((each) => each === '--help' || each === '-h');
if (asksForHelp && command?.takesArguments === undefined) console.log(usage());
else if (command === undefined || (args.length > 0 && command.takesArguments === undefined)) {
  console.error(usage());
  process.exitCode = 2;
} else process.exitCode = await command.run(path.join(import.meta.dirname, '..'), args);

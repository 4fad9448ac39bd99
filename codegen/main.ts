/** `cluster-schema`: the maintainer's tool. One command per file in `commands/`. */
import path from 'node:path';
import { generateCommand } from './commands/generate.ts';
import { verifyCommand } from './commands/verify.ts';

/** @param root of the tree: the folder that holds `schemas/`. @returns the exit code of the process */
export type Command = (root: string) => Promise<number>;

const commands: Readonly<Record<string, { readonly run: Command; readonly summary: string }>> = {
  generate: { run: generateCommand, summary: 'writes generated/ and the table in schemas/README.md from schemas/' },
  verify: { run: verifyCommand, summary: 'fails where these are not what generate would write' },
};

function usage(): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`);
  return `usage: cluster-schema COMMAND\n\n${lines.join('\n')}\n\nIt reads the schemas of the checkout that it stands in, and takes no other arguments.`;
}

const [name = '', ...surplus] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if ([name, ...surplus].some((each) => each === '--help' || each === '-h')) console.log(usage());
else if (command === undefined || surplus.length > 0) {
  console.error(usage());
  process.exitCode = 2;
} else process.exitCode = await command.run(path.join(import.meta.dirname, '..'));

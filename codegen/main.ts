/** `cluster-schema`: the maintainer's tool. One command per file in `commands/`. */
import path from 'node:path';
import { generateCommand } from './commands/generate.ts';
import { verifyCommand } from './commands/verify.ts';

/** @returns the exit code of the process */
export type Command = (root: string, args: readonly string[]) => Promise<number>;

const commands: Readonly<Record<string, { readonly run: Command; readonly summary: string }>> = {
  generate: { run: generateCommand, summary: 'write generated/ from schemas/' },
  verify: { run: verifyCommand, summary: 'fail where generated/ is not what generate would write' },
};

const [name = '', ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command === undefined) {
  const lines = Object.entries(commands).map(([each, { summary }]) => `  ${each.padEnd(12)} ${summary}`);
  console.error(`usage: cluster-schema COMMAND\n\n${lines.join('\n')}`);
  process.exitCode = 2;
} else process.exitCode = await command.run(path.join(import.meta.dirname, '..'), args);

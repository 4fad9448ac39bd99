/** `cluster-schema`: the maintainer's tool. One command per file in `commands/`, which is loaded when it runs. */
import path from 'node:path';
import { type Command, UsageError } from './commands/command.ts';

interface CommandModule {
  readonly run: Command;
  /** absent: the command takes no arguments */
  readonly usage?: string;
}

const commands: Readonly<Record<string, { readonly load: () => Promise<CommandModule>; readonly summary: string }>> = {
  generate: { load: () => import('./commands/generate.ts'), summary: 'writes generated/ and the table in schemas/README.md from schemas/' },
  verify: { load: () => import('./commands/verify.ts'), summary: 'fails where these are not what generate would write' },
  client: { load: () => import('./commands/client.ts'), summary: 'writes a package with a typed client to the folder --out' },
  'import-crd': {
    load: () => import('./commands/import-crd.ts'),
    summary: 'writes schemas of kinds that definitions of custom resources define',
  },
  crd: { load: () => import('./commands/crd.ts'), summary: 'writes definitions of custom resources of what the schemas state' },
  'new-version': { load: () => import('./commands/new-version.ts'), summary: 'writes the schemas of a new version of a group' },
  deprecate: { load: () => import('./commands/deprecate.ts'), summary: 'announces that a version goes' },
  remove: { load: () => import('./commands/remove.ts'), summary: 'says in which release a version is no longer served' },
  promote: { load: () => import('./commands/promote.ts'), summary: 'makes a version the one that is stored and preferred' },
  check: { load: () => import('./commands/check.ts'), summary: 'holds the schemas, or definitions, to the deprecation policy' },
  convert: {
    load: () => import('./commands/convert.ts'),
    summary: 'converts manifests to other versions, or lists what a release does not serve',
  },
};

function usage(): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`);
  return `usage: cluster-schema COMMAND\n\n${lines.join('\n')}\n\nIt reads the schemas of the checkout that it stands in. COMMAND --help says what a command takes.`;
}

const isHelp = (argument: string): boolean => argument === '--help' || argument === '-h';
const [name = '', ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? await commands[name]?.load() : undefined;
if (isHelp(name)) console.log(usage());
else if (command === undefined || (command.usage === undefined && args.length > 0 && !args.some(isHelp))) {
  console.error(usage());
  process.exitCode = 2;
} else if (args.some(isHelp)) console.log(command.usage ?? usage());
else
  try {
    process.exitCode = await command.run(path.join(import.meta.dirname, '..'), args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`cluster-schema ${name}: ${error.message}\n\n${command.usage ?? usage()}`);
    process.exitCode = 2;
  }

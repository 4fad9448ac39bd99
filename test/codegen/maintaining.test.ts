/** The page of a maintainer (`schemas/MAINTAINING.md`): its files and edits are made in a tree of their own, and its commands print there what the page says. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatDiagnostic } from '../../codegen/check/diagnostic.ts';
import { run as check } from '../../codegen/commands/check.ts';
import type { Command } from '../../codegen/commands/command.ts';
import { run as deprecate } from '../../codegen/commands/deprecate.ts';
import { run as importDefinitions } from '../../codegen/commands/import-crd.ts';
import { run as newVersion } from '../../codegen/commands/new-version.ts';
import { run as promote } from '../../codegen/commands/promote.ts';
import { run as remove } from '../../codegen/commands/remove.ts';
import { generate } from '../../codegen/generate.ts';
import { writeTree } from '../../codegen/write/write.ts';
import { META_IMPORTS, RUNTIME } from './tree.ts';

const project = path.join(import.meta.dirname, '../..');
const COMMANDS: Readonly<Record<string, Command>> = {
  check,
  deprecate,
  'import-crd': importDefinitions,
  'new-version': newVersion,
  promote,
  remove,
};

interface Block {
  /** language and, of files, path */
  readonly info: string;
  readonly text: string;
}

const page = readFileSync(path.join(project, 'schemas/MAINTAINING.md'), 'utf8');
const blocks: readonly Block[] = [...page.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].map(([, info = '', text = '']) => ({ info, text }));

const folder = mkdtempSync(path.join(tmpdir(), 'cluster-maintaining-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const root = path.join(folder, 'checkout');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}

/** The machinery's own group version and the tables: what other groups state is of no matter here. */
const COPIED = ['meta/v1', ...META_IMPORTS, 'identity.yaml', 'releases.yaml', 'metrics.yaml', 'behaviours.yaml'];
mkdirSync(path.join(root, 'schemas'), { recursive: true });
for (const name of COPIED) cpSync(path.join(project, 'schemas', name), path.join(root, 'schemas', name), { recursive: true });
// gates would need the exceptions of the policy, which name all groups
write('schemas/feature-gates.yaml', '{}\n');
write('schemas/flags.yaml', readFileSync(path.join(project, 'schemas/flags.yaml'), 'utf8').replaceAll(/^ *featureGate: .*\n/gm, ''));
mkdirSync(path.join(root, 'runtime'));
for (const name of ['node_modules', 'package.json', ...RUNTIME.map((each) => `runtime/${each}`)])
  symlinkSync(path.join(project, name), path.join(root, name));

/** @param diff lines of what is taken out, each followed by those that take its place */
function edit(file: string, diff: string): void {
  let text = read(file);
  for (const [, from = '', to = ''] of diff.matchAll(/^-(.*\n)((?:\+.*\n)*)/gm)) {
    const was = from.replace(/\n$/, '');
    assert.ok(text.includes(was), `${file} has ${was}`);
    text = text.replace(was, () => to.replaceAll(/^\+/gm, '').replace(/\n$/, ''));
  }
  write(file, text);
}

async function makeGenerate(): Promise<void> {
  const { files, errors } = await generate(root);
  assert.equal(errors.map(formatDiagnostic), []);
  writeTree(path.join(root, 'generated'), files);
}

async function printedBy(command: Command, args: readonly string[]): Promise<string> {
  const { log, error } = console;
  const printed: string[] = [];
  console.log = (text: string) => void printed.push(text);
  console.error = (text: string) => void printed.push(text);
  try {
    await command(root, args);
    return `${printed.join('\n')}\n`.replaceAll(`${root}/`, '');
  } finally {
    Object.assign(console, { log, error });
  }
}

/** What depends on the rest of the schemas, and where the earlier ones are. */
const ofTheRest = (text: string): string =>
  text
    .replaceAll(/\d+ excused, \d+ changes? allowed/g, 'N excused, N changes allowed')
    .replaceAll(/Compared with the schemas in \S+/g, 'Compared with');

const test = suite('the page of a maintainer');
let ran = 0;
async function run(text: string): Promise<void> {
  for (const [, command = '', output = ''] of text.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)) {
    if (command === 'make generate') await makeGenerate();
    const [, from = '', to = '', source = '', target = ''] = /^sed 's\/(\w+)\/(\w+)\/' (\S+) > (\S+)$/.exec(command) ?? [];
    if (target !== '') write(target, read(source).replace(from, to));
    const [program, name = '', ...args] = command.split(' ');
    const known = program === 'cluster-schema' ? COMMANDS[name] : undefined;
    if (known === undefined) continue;
    const given = args.map((each) =>
      each.endsWith('.yaml') ? path.join(root, each) : each.replace('../released', path.join(folder, 'released')),
    );
    assert.equal(ofTheRest(await printedBy(known, given)), ofTheRest(output), command);
    ran++;
  }
}

test('is true of the commands', async () => {
  let tried: (() => void) | undefined;
  for (const { info, text } of blocks) {
    const [language = '', ...words] = info.split(' ');
    const file = words.at(-1) ?? '';
    if (language === 'yaml' || language === 'proto') write(file, text);
    else if (language === 'diff') {
      const before = read(file);
      edit(file, text);
      if (words[0] === 'try') tried = () => write(file, before);
    } else {
      // what is released is what stands on the page before its first command
      if (ran === 0) cpSync(path.join(root, 'schemas'), path.join(folder, 'released/schemas'), { recursive: true });
      await run(text);
      tried?.();
      tried = undefined;
    }
  }
  assert.is(ran, 9);
});
test('is one page', () => assert.ok(page.split('\n').length <= 270));
test.run();

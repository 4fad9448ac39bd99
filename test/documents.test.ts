/** What the documents say of the tree is true of it. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';

const architecture = readFileSync('ARCHITECTURE.md', 'utf8');
const readme = readFileSync('README.md', 'utf8');
const makefile = readFileSync('Makefile', 'utf8');

const folders = suite('ARCHITECTURE.md');
const described = [...architecture.matchAll(/^\| `([^`]+)\/` \|/gm)].map(([, folder]) => folder as string);
folders('describes every folder of the runtime and the generator', () => {
  const present = globSync(['runtime/*', 'codegen/*'], { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${entry.parentPath}/${entry.name}`.replace(/^.*?(runtime|codegen)\//, '$1/'));
  assert.equal(
    present.filter((folder) => !described.includes(folder)),
    [],
  );
});
folders('describes no folder that is not there', () =>
  assert.equal(
    described.filter((folder) => !existsSync(folder)),
    [],
  ),
);
folders.run();

const commands = suite('README.md');
commands('names make targets that there are', () => {
  const named = [...readme.matchAll(/(?:^|`)make ([a-z]+)/gm)].map(([, target]) => target as string);
  assert.ok(named.length > 5);
  assert.equal(
    named.filter((target) => !new RegExp(`^${target}:`, 'm').test(makefile)),
    [],
  );
});
commands('names flags that there are', () => {
  const { flags } = parse(readFileSync('schemas/flags.yaml', 'utf8')) as { flags: { name: string }[] };
  const quoted = [...readme.matchAll(/`(--[^`]+)`|FLAGS="([^"]*)"|npm start -- (.*)/g)].map(([, code, make, npm]) => code ?? make ?? npm);
  const named = quoted.flatMap((text) => [...(text as string).matchAll(/--([a-z][a-z0-9-]*)/g)].map(([, name]) => name as string));
  const known = new Set(flags.map(({ name }) => name));
  assert.ok(named.length > 5);
  assert.equal(
    named.filter((name) => !known.has(name)),
    [],
  );
});
commands('links to files that there are', () => {
  for (const text of [readme, architecture])
    for (const [, link] of text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) assert.ok(existsSync(link as string), link);
});
commands.run();

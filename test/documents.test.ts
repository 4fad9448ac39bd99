import { execFileSync } from 'node:child_process';
/** What the documents say of the tree is true of it. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';

const slashed = (file: string): string => file.replaceAll(path.sep, '/');
const present = globSync(['*', '.ci/*', '{codegen,runtime,schemas,templates,test}/**/*']).map(slashed);
const documents = present.filter((file) => file.endsWith('.md')).map((file) => ({ file, text: readFileSync(file, 'utf8') }));
const textOf = (file: string): string => documents.find((each) => each.file === file)?.text ?? '';
const [readme, architecture] = [textOf('README.md'), textOf('ARCHITECTURE.md')];
const makefile = readFileSync('Makefile', 'utf8');
/** those of what people do now; the changelog tells of what was */
const current = documents.filter(({ file }) => file !== 'CHANGELOG.md');

/** Of GitHub: the anchor of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}

const map = suite('ARCHITECTURE.md');
const described = [...architecture.matchAll(/^\| `([^`]+)\/` \|/gm)].map(([, folder]) => folder as string);
map('describes every folder of the runtime and the generator', () => {
  const folders = globSync(['runtime/*', 'codegen/*'], { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => slashed(path.relative('.', path.join(entry.parentPath, entry.name))));
  assert.ok(folders.length > 20);
  assert.equal(
    folders.filter((folder) => !described.includes(folder)),
    [],
  );
});
map('describes no folder that is not there', () =>
  assert.equal(
    described.filter((folder) => !existsSync(folder)),
    [],
  ),
);
map('leads to the document of every folder', () => {
  const others = documents.map(({ file }) => file).filter((file) => file.includes('/'));
  assert.ok(others.length > 10);
  assert.equal(
    others.filter((file) => !architecture.includes(`](${file})`)),
    [],
  );
});
map.run();

const short = suite('README.md');
short('has 150 lines at most', () => assert.ok(readme.split('\n').length <= 151, `${readme.split('\n').length} lines`));
short('has at most 25 lines of figures', () => {
  const [, figures = ''] = /^## Figures\n([\s\S]*?)^## /m.exec(readme) ?? [];
  const rows = figures.split('\n').filter((line) => line.startsWith('|'));
  assert.ok(rows.length > 2 && rows.length <= 25, `${rows.length} lines`);
});
short('shows the beginning of a test that runs with the package', () => {
  const [, shown = ''] = /^```ts\n([\s\S]*?)^```/m.exec(readme) ?? [];
  assert.ok(shown.includes('startServer'));
  assert.ok(readFileSync('test/package/example.ts', 'utf8').startsWith(shown), shown);
});
short.run();

const embedded = suite('runtime/embedded/README.md');
embedded('shows a test of a controller that runs with the package', () => {
  const [, shown = ''] = /^```ts\n([\s\S]*?)^```/m.exec(textOf('runtime/embedded/README.md')) ?? [];
  assert.is(shown, readFileSync('test/package/controller-example.ts', 'utf8'));
});
embedded.run();

const named = suite('documents');
for (const { file, text } of current) {
  named(`${file} links to what is there`, () => {
    for (const [, link = '', anchor] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const target = link === '' ? file : slashed(path.join(path.dirname(file), link));
      assert.ok(existsSync(target), `${link} is not there`);
      if (anchor === undefined) continue;
      const headings = [...textOf(target).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading as string));
      assert.ok(headings.includes(anchor), `${target} has no heading ${anchor}`);
    }
  });
  named(`${file} names files from the root, or of its own folder, that are there`, () => {
    const files = [...text.matchAll(/`([\w./-]+\.(?:ts|js|ya?ml|proto|md))`/g)].map(([, name]) => name as string);
    const wanted = files.filter((name) => !/(?:^|\/)(?!README)[A-Z]{2,}/.test(name) && !name.startsWith('generated/'));
    const near = present.filter((each) => each.startsWith(slashed(path.join(path.dirname(file), '/')).replace(/^\.\//, '')));
    assert.equal(
      wanted.filter((name) => !present.includes(name) && !near.some((each) => each.endsWith(`/${name}`))),
      [],
    );
  });
}
named('name make targets that there are', () => {
  const targets = current.flatMap(({ text }) => [...text.matchAll(/(?:^|`)make ([a-z]+)/gm)].map(([, target]) => target as string));
  assert.ok(targets.length > 5);
  assert.equal(
    targets.filter((target) => !new RegExp(`^${target}:`, 'm').test(makefile)),
    [],
  );
});
named('name flags that there are', () => {
  const tables = ['schemas/flags.yaml', 'schemas/node-agent-flags.yaml'].map((file) => readFileSync(file, 'utf8'));
  const flags = tables.flatMap((table) => (parse(table) as { flags: { name: string }[] }).flags);
  // what commands of the maintainer's tool say of their use
  const usages = globSync('codegen/commands/*.ts').map((file) => readFileSync(file, 'utf8'));
  const ofTool = usages.flatMap((text) => [...text.matchAll(/^ {2}--([a-z-]+) /gm)].map(([, name]) => name as string));
  const commands = globSync('runtime/main/*.ts').map((file) => readFileSync(file, 'utf8'));
  const ofCommands = commands.flatMap((text) =>
    [...text.matchAll(/name: '([a-z-]+)',\s*(?:short: '\w',\s*)?group:/g)].map(([, name]) => name as string),
  );
  const known = new Set([...flags.map(({ name }) => name), ...ofTool, ...ofCommands]);
  const quoted = current.flatMap(({ text }) =>
    [...text.matchAll(/`(--[^`]+)`|\bFLAGS="([^"]*)"|npm start -- (.*)/g)].map(([, code, make, npm]) => (code ?? make ?? npm) as string),
  );
  const names = quoted.flatMap((text) => [...text.matchAll(/--([a-z][a-z0-9-]*)/g)].map(([, name]) => name as string));
  assert.ok(names.length > 10);
  assert.equal(
    names.filter((name) => !known.has(name) && !NODE_FLAGS.includes(name)),
    [],
  );
});
/** In the words of package.json. */
const NODE_FLAGS = [
  'max-semi-space-size',
  'heap-growing-percent',
  'no-allocation-site-pretenuring',
  'invocation-count-for-turbofan',
  'no-memory-pool-share-memory-on-teardown',
];
named('name workloads that the bench has', () => {
  const help = execFileSync(process.execPath, ['test/bench/main.ts', '--help'], { encoding: 'utf8' });
  const [, list = ''] = /--workloads[^(]*\(default\s+([\w,-]+)\)/.exec(help) ?? [];
  const known = new Set(list.split(','));
  const names = current.flatMap(({ text }) => [...text.matchAll(/--workloads=([a-z,-]+)/g)].flatMap(([, each = '']) => each.split(',')));
  assert.ok(names.length > 5);
  assert.equal(
    names.filter((name) => !known.has(name)),
    [],
  );
});
named('name tests that make finds', () => {
  const parts = current.flatMap(({ text }) => [...text.matchAll(/\bTEST=([\w/-]+)/g)].map(([, part]) => part as string));
  assert.ok(parts.length > 0);
  assert.equal(
    parts.filter((part) => !present.some((file) => file.endsWith('.test.ts') && file.includes(part))),
    [],
  );
});
named.run();

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { run as generateCommand } from '../../../codegen/commands/generate.ts';
import { run as verifyCommand } from '../../../codegen/commands/verify.ts';
import { Tree } from '../tree.ts';

interface Context {
  tree: Tree;
  told: string[];
  error: typeof console.error;
}

const verify = suite<Context>('verify');
verify.before.each(async (context) => {
  context.tree = new Tree();
  context.told = [];
  context.error = console.error;
  console.error = (line: string) => context.told.push(line);
  assert.is(await generateCommand(context.tree.root), 0);
});
verify.after.each(({ tree, error }) => {
  console.error = error;
  tree.remove();
});

const rows: [name: string, change: (generated: string) => void, told: string[]][] = [
  ['the tree as it was written', () => {}, []],
  ['a stale file', (folder) => writeFileSync(path.join(folder, 'toys/v1/kinds.ts'), ''), ['generated/toys/v1/kinds.ts is changed']],
  ['a missing file', (folder) => rmSync(path.join(folder, 'routes.ts')), ['generated/routes.ts is missing']],
  ['an extra file', (folder) => writeFileSync(path.join(folder, 'toys/v1/old.ts'), ''), ['generated/toys/v1/old.ts is extra']],
  [
    'an extra folder with a hidden file',
    (folder) => {
      mkdirSync(path.join(folder, 'dolls/v1'), { recursive: true });
      writeFileSync(path.join(folder, 'dolls/v1/.kinds.ts'), '');
    },
    ['generated/dolls/v1/.kinds.ts is extra'],
  ],
  [
    'no tree at all',
    (folder) => rmSync(folder, { recursive: true }),
    ['generated/routes.ts is missing', 'generated/toys/v1/types.ts is missing'],
  ],
];
for (const [name, change, expected] of rows)
  verify(name, async ({ tree, told }) => {
    change(path.join(tree.root, 'generated'));
    assert.is(await verifyCommand(tree.root), expected.length === 0 ? 0 : 1);
    for (const line of expected) assert.ok(told.includes(line), `${line} is not among\n${told.join('\n')}`);
    if (expected.length === 0) assert.equal(told, []);
  });

const place = '<!-- kinds: written by make generate -->\n<!-- end of kinds -->';
verify('a table of kinds that is stale, or has no place', async ({ tree, told }) => {
  tree.write('schemas/README.md', `# Toys\n\n${place}\n\nMore.\n`);
  assert.is(await verifyCommand(tree.root), 1);
  assert.is(told[0], 'The table of kinds in schemas/README.md is changed');
  assert.is(await generateCommand(tree.root), 0);
  const readme = readFileSync(path.join(tree.root, 'schemas/README.md'), 'utf8');
  assert.match(
    readme,
    /^# Toys\n\n<!-- kinds[^|]+\| group \|[\s\S]*\| `toys\.k8s\.io` \| Toy \| `toys` \| yes \| create, get, list \| {2}\| v1 \(since 1\.0\), v1beta1 /,
  );
  assert.match(readme, /<!-- end of kinds -->\n\nMore\.\n$/);
  assert.is(await verifyCommand(tree.root), 0);
  tree.write('schemas/README.md', '# Toys\n');
  assert.is(await verifyCommand(tree.root), 1);
  assert.ok(told.includes('The table of kinds in schemas/README.md is missing'));
  assert.is(await generateCommand(tree.root), 1);
});

verify('schemas with an error, whose diagnostics it tells', async ({ tree, told }) => {
  tree.write('schemas/toys/v1/openapi.yaml', '');
  const routes = path.join(tree.root, 'generated/routes.ts');
  const before = readFileSync(routes, 'utf8');
  assert.is(await verifyCommand(tree.root), 1);
  assert.is(await generateCommand(tree.root), 1);
  assert.is(readFileSync(routes, 'utf8'), before);
  assert.ok(
    told.some((line) => line.startsWith('error CS002 schemas/toys/v1/openapi.yaml\n')),
    told.join('\n'),
  );
});
verify.run();

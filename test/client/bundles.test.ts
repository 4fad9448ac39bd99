/** How large programs become that use a client. */
import path from 'node:path';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const root = path.join(import.meta.dirname, '../..');
const KILOBYTE = 1_000;

interface Bundle {
  /** what a program loads when it starts */
  readonly bytes: number;
  /** what it loads when it needs it */
  readonly later: number;
  readonly inputs: readonly string[];
}

async function bundle(contents: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    outdir: 'out',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const sizes = new Map(outputFiles.map(({ path: file, contents: { length } }) => [path.relative(root, file), length]));
  const eager = new Set<string>();
  const waiting = Object.keys(metafile.outputs).filter((file) => metafile.outputs[file]?.entryPoint === '<stdin>');
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (eager.has(file)) continue;
    eager.add(file);
    waiting.push(
      ...(metafile.outputs[file]?.imports ?? [])
        .filter(({ kind }) => kind === 'import-statement')
        .map((each) => each.path)
        .filter((each) => sizes.has(each)),
    );
  }
  const size = (files: Iterable<string>): number => [...files].reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
  const inputs = [...eager].flatMap((file) =>
    Object.entries(metafile.outputs[file]?.inputs ?? {}).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
  );
  return { bytes: size(eager), later: size([...sizes.keys()].filter((file) => !eager.has(file))), inputs };
}

const from = (folder: string): string => `'./generated/client/${folder}index.ts'`;
const EVERYTHING =
  'createClient, connect, informer, Informers, WorkQueue, LeaderElector, exec, logs, followLogs, fetchThrough, writeConfiguration';
const programs: [name: string, source: string, limit: number][] = [
  [
    'one resource',
    `import { createClient } from ${from('')}; import { deployments } from ${from('apps/v1/')}; console.log(createClient({ server: 'x' }).resource(deployments))`,
    50,
  ],
  [
    'one group, with a client configuration',
    `import { connect } from ${from('')}; import * as apps from ${from('apps/v1/')}; console.log(connect, apps)`,
    100,
  ],
  [
    'one group, with everything that clients have',
    `import { ${EVERYTHING} } from ${from('')}; import * as core from ${from('core/v1/')}; console.log(core, ${EVERYTHING})`,
    100,
  ],
];

const test = suite('bundles of clients');
for (const [name, source, limit] of programs)
  test(`${name} takes less than ${limit} KB`, async () => {
    const { bytes, later, inputs } = await bundle(source);
    console.log(
      `${name}: ${(bytes / KILOBYTE).toFixed(1)} KB, and ${(later / KILOBYTE).toFixed(1)} KB that are loaded when they are needed`,
    );
    assert.ok(bytes < limit * KILOBYTE, `${bytes} bytes`);
    assert.equal(
      inputs.filter((input) => input.includes('node_modules')),
      [],
    );
  });
test('have of other resources nothing', async () => {
  const { inputs } = await bundle(programs[0]?.[1] as string);
  assert.equal(
    inputs.filter((input) => /generated\/client\/(?!apps\/v1\/|index)/.test(input)),
    [],
  );
  assert.equal(
    inputs.filter((input) => /informers|pods|configuration|leader|work-queue/.test(input)),
    [],
  );
});
test.run();

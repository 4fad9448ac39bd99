/** The package as it would be published: what it holds, and that it works where it is installed. */
import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { projectRoot } from '../harness/server.ts';

const NAME = 'cluster-control-api';
const folder = mkdtempSync(path.join(tmpdir(), 'package-test-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const modules = path.join(folder, 'node_modules');
const installed = path.join(modules, NAME);

const run = promisify(execFile);
const node = (...args: string[]) => run(process.execPath, args, { cwd: folder });

/** What npm would unpack; dependencies are those of this checkout. */
async function install(): Promise<void> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: projectRoot, maxBuffer: 2 ** 26 });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [{ filename: string }];
  execFileSync('tar', ['-xzf', path.join(folder, filename), '-C', folder]);
  mkdirSync(modules);
  renameSync(path.join(folder, 'package'), installed);
  for (const name of [...Object.keys(manifest().dependencies), '@kubernetes/client-node', '@types/node']) link(name);
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  for (const file of ['many-servers.js', 'example.ts', 'controller-example.ts'])
    cpSync(path.join(import.meta.dirname, file), path.join(folder, file));
}

function link(name: string): void {
  mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
  symlinkSync(realpathSync(path.join(projectRoot, 'node_modules', name)), path.join(modules, name));
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
  readonly exports: { readonly '.': { readonly types: string; readonly default: string } };
  readonly bin: Readonly<Record<string, string>>;
}

const manifest = (): Manifest => JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));

await install();

const contents = suite('the package');
const files = globSync('**/*', { cwd: installed }).map((file) => file.replaceAll(path.sep, '/'));
contents('has what its entries name', () => {
  const { exports, bin } = manifest();
  for (const file of [...Object.values(exports['.']), ...Object.values(bin)]) assert.ok(existsSync(path.join(installed, file)), file);
});
contents('has the licence, and no tests, schemas or sources', () => {
  assert.ok(files.includes('README.md'));
  assert.equal(
    files.filter((file) => /^(test|schemas|codegen|runtime|generated|templates)\b|(?<!\.d)\.ts$/.test(file)),
    [],
  );
});
contents('has the data that the runtime reads', () => {
  const data = (root: string) => globSync('generated/**/*.json', { cwd: root }).sort();
  assert.equal(data(path.join(installed, 'dist')), data(projectRoot));
});
const IMPORT = /(?:^|\n)\s*(?:import|export)\b[^'";]*?['"](\.\.?\/[^'"]+)['"]|\b(?:import|require)\(\s*['"](\.\.?\/[^'"]+)['"]/g;
contents('has every module that its modules and declarations import', () => {
  const missing = files
    .filter((file) => /\.(js|d\.ts)$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(path.join(installed, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
      const imported = [...text.matchAll(IMPORT)].map(([, first, second]) =>
        path.posix.join(path.posix.dirname(file), first ?? second ?? ''),
      );
      return imported.filter((each) => !files.includes(file.endsWith('.d.ts') ? each.replace(/(\.d)?\.ts$/, '.d.ts') : each));
    });
  assert.equal([...new Set(missing)], []);
});
contents.run();

const WIDGETS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget, listKind: WidgetList }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`;

const working = suite('the installed package');
working('runs the program', async () => {
  const program = path.join(installed, manifest().bin['cluster-apiserver'] as string);
  // the first line of the program takes the Node that is found first
  const PATH = `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`;
  const { stdout } = await run(program, ['--version'], { env: { ...process.env, PATH } });
  assert.match(stdout, /^cluster-apiserver \d+\.\d+\.\d+ \(release 1\.\d+\)\n$/);
});
working('has types that hold under the strictest options', async () => {
  const use = `
    import { ApiError, type ServerFlags, startServer } from '${NAME}';
    import { createClient } from '${NAME}/client';
    import { deployments } from '${NAME}/client/apps/v1';
    const flags: ServerFlags = { 'event-ttl': '1h', 'runtime-config': { 'api/all': true }, v: 1, controllers: ['*'] };
    await using server = await startServer({ dialect: 'kubernetes', flags, store: { directory: '/tmp/x' } });
    const url: string = server.url;
    const web = await createClient(server.clientConfig, { dialect: server.dialect }).resource(deployments).in().get('web');
    const image: string | undefined = web.spec?.template.spec?.containers[0]?.image;
    // @ts-expect-error
    web.spec?.replica;
    // @ts-expect-error
    await startServer({ flags: { 'event-ttl': 5 } });
    // @ts-expect-error
    await startServer({ flags: { workers: 2 } });
    // @ts-expect-error
    await startServer({ dialect: 'other' });
    export { ApiError, image, url };
  `;
  writeFileSync(path.join(folder, 'use.ts'), use);
  const options =
    '--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --module nodenext --target esnext --types node';
  const compiler = path.join(projectRoot, 'node_modules/.bin/tsc');
  const { stdout } = await run(compiler, [...options.split(' '), 'use.ts', 'example.ts', 'controller-example.ts'], { cwd: folder }).catch(
    (error) => error,
  );
  assert.is(stdout, '');
});
working('runs the example', async () => {
  const { stdout } = await node('--test', '--test-reporter=tap', 'example.ts').catch((error) => error);
  assert.match(stdout, /^# pass 2\n# fail 0$/m);
});
working('runs the example of a test of a controller', async () => {
  mkdirSync(path.join(folder, 'config/crd'), { recursive: true });
  writeFileSync(path.join(folder, 'config/crd/widgets.yaml'), WIDGETS);
  const { stdout } = await node('--test', '--test-reporter=tap', 'controller-example.ts').catch((error) => error);
  assert.match(stdout, /^# pass 1\n# fail 0$/m);
});
working('starts a hundred servers in one process, which ends by itself', async () => {
  const { stdout, stderr } = await node('--expose-gc', '--disable-warning=ExperimentalWarning', 'many-servers.js', '100');
  assert.is(stderr, '');
  const { count, left, ...figures } = JSON.parse(stdout);
  assert.equal({ count, left }, { count: 100, left: [] });
  console.log(`of each of ${count} servers: ${JSON.stringify(figures)}`);
});
working.run();

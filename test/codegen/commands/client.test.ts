/** Packages of typed clients: what they hold, that they compile on their own, and that they work against a server. */
import fs, { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../../runtime/embedded/start-server.ts';
import { eventually } from '../../harness/eventually.ts';
import { compile, root, STRICTEST, temporaryFolder } from '../client/compiled-package.ts';
import { runSchemaCommand } from './in-process.ts';

const folder = temporaryFolder('client-command');

const run = (...args: string[]) => runSchemaCommand(root, 'client', ...args);

const resourcesOf = (out: string): string[] =>
  globSync('*/*/index.ts', { cwd: path.join(out, 'src') })
    .filter((file) => /export const/.test(readFileSync(path.join(out, 'src', file), 'utf8')))
    .map((file) => path.dirname(file))
    .sort();

const widgets = path.join(folder, 'definitions', 'widgets.yaml');
mkdirSync(path.dirname(widgets));
const schema = {
  type: 'object',
  description: 'A thing for tests.',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['colour'],
      properties: {
        colour: { type: 'string', enum: ['red', 'blue'], description: 'Its colour. */ Not more.' },
        size: { type: 'integer', default: 1 },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', required: ['name', 'weight'], properties: { name: { type: 'string' }, weight: { type: 'number' } } },
        },
        share: { 'x-kubernetes-int-or-string': true },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        maybe: { type: 'string', nullable: true },
        perhaps: {
          type: 'object',
          nullable: true,
          required: ['sure'],
          properties: { sure: { type: 'string' }, when: { type: 'string', nullable: true, default: 'now' } },
        },
      },
    },
    status: { type: 'object', properties: { size: { type: 'integer' } } },
  },
};
const definition = (name: string, group: string, kind: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${name}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: name, singular: kind.toLowerCase(), kind },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        selectableFields: [{ jsonPath: '.spec.colour' }],
      },
      { name: 'v1alpha1', served: false, storage: false, schema: { openAPIV3Schema: { ...schema, description: 'A thing as it was.' } } },
    ],
  },
});
const widget = definition('my-widgets', 'example.com', 'Widget');
writeFileSync(widgets, `# a comment\n---\n${JSON.stringify(widget)}\n---\nkind: ConfigMap\n`);

const command = suite('cluster-schema client');
const refused: [name: string, args: string[], status: number, message: RegExp][] = [
  ['without a place', [], 2, /^usage: cluster-schema client --out DIR/],
  ['for a flag that it does not have', ['--out', 'x', '--groups', 'apps'], 2, /--groups.*\n\nusage:/s],
  ['for a dialect that there is not', ['--out', 'x', '--dialect', 'other'], 2, /^The dialect is cluster or kubernetes, not other\.$/m],
  [
    'for definitions that are not there',
    ['--out', path.join(folder, 'none'), '--definitions', path.join(folder, 'gone.yaml')],
    1,
    /gone\.yaml: ENOENT/,
  ],
];
for (const [name, args, status, message] of refused)
  command(`ends ${name}`, async () => {
    const outcome = await run(...args);
    assert.is(outcome.status, status);
    assert.match(outcome.stderr, message);
  });
command('says how it is used', async () => assert.match((await run('--help')).stdout, /^usage: cluster-schema client --out DIR/));
command('names everything that is wrong with definitions', async () => {
  const place = path.join(folder, 'wrong');
  mkdirSync(place);
  writeFileSync(path.join(place, 'a.yaml'), 'kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1beta1\n');
  writeFileSync(path.join(place, 'b.json'), JSON.stringify({ ...widget, spec: { group: 'x' } }));
  writeFileSync(path.join(place, 'c.yml'), 'a: [');
  const { status, stderr } = await run('--out', path.join(folder, 'none'), '--definitions', place);
  assert.is(status, 1);
  assert.match(stderr, /a\.yaml: a CustomResourceDefinition of apiextensions\.k8s\.io\/v1beta1 is not known/);
  assert.match(stderr, /b\.json: a CustomResourceDefinition without spec\.scope, spec\.names\.plural, spec\.names\.kind, spec\.versions/);
  assert.match(stderr, /c\.yml: /);
  assert.not(existsSync(path.join(folder, 'none')));
});
command('replaces nothing that is not its own', async () => {
  const out = path.join(folder, 'foreign');
  mkdirSync(path.join(out, 'src'), { recursive: true });
  writeFileSync(path.join(out, 'src/precious.ts'), 'export {};\n');
  const { status, stderr } = await run('--out', out, '--group', 'apps/v1');
  assert.is(status, 2);
  assert.match(stderr, /has files that this command has not written/);
  assert.ok(existsSync(path.join(out, 'src/precious.ts')));
});
command('writes the groups that are asked for, with the types that they lead to and the names of the dialect', async () => {
  const out = path.join(folder, 'apps');
  const args = ['--out', out, '--group', 'apps', '--group', 'batch/v1', '--group', 'rbac.authorization.k8s.io', '--dialect', 'kubernetes'];
  assert.equal(await run(...args), { status: 0, stdout: '', stderr: '' });
  assert.equal(resourcesOf(out), ['apps/v1', 'batch/v1', 'rbac/v1']);
  const text = (file: string) => readFileSync(path.join(out, 'src', file), 'utf8');
  assert.match(text('core/v1/types.ts'), /export interface PodSpec \{/);
  assert.not.match(text('core/v1/types.ts'), /export interface Node \{/);
  assert.match(text('rbac/v1/types.ts'), /apiVersion: 'rbac\.authorization\.k8s\.io\/v1';/);
  assert.match(text('rbac/v1/index.ts'), /group: 'rbac\.authorization\.k8s\.io'/);
  writeFileSync(path.join(out, 'package.json'), '{ "name": "mine" }');
  assert.is((await run('--out', out, '--group', 'apps', '--kind', 'Deployment')).status, 0);
  assert.equal(resourcesOf(out), ['apps/v1']);
  assert.equal(text('apps/v1/index.ts').match(/^export const \w+/gm), ['export const deployments']);
  assert.is(readFileSync(path.join(out, 'package.json'), 'utf8'), '{ "name": "mine" }');
});
command('goes on where it was broken off', async () => {
  const out = path.join(folder, 'broken-off');
  const { status, stderr } = await withFailingWrites(3, () => run('--out', out, '--definitions', widgets));
  assert.is(status, 1);
  assert.match(stderr, /^cluster-schema client: ENOSPC/);
  assert.equal(await run('--out', out, '--definitions', widgets), { status: 0, stdout: '', stderr: '' });
  assert.equal(resourcesOf(out), ['example.com/v1']);
});
/** @param after so many files that are written */
async function withFailingWrites<T>(after: number, act: () => Promise<T>): Promise<T> {
  const { renameSync } = fs;
  let left = after;
  fs.renameSync = (...names) => {
    if (left-- <= 0) throw Object.assign(new Error('ENOSPC: no space is left'), { code: 'ENOSPC', syscall: 'rename' });
    renameSync(...names);
  };
  syncBuiltinESMExports();
  try {
    return await act();
  } finally {
    fs.renameSync = renameSync;
    syncBuiltinESMExports();
  }
}
command('gives each kind its own type, whatever else leads to its name', async () => {
  const place = path.join(folder, 'names.json');
  const lamp = (name: string, kind: string, spec: object) => {
    const made = definition(name, 'lamps.example.com', kind);
    const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties: spec } } };
    return { ...made, spec: { ...made.spec, versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }] } };
  };
  const part = (member: string) => ({ type: 'object', required: [member], properties: { [member]: { type: 'string' } } });
  const items = [
    lamp('lamps', 'Lamp', { colour: { type: 'string' }, apply: part('applied') }),
    lamp('lampspecs', 'LampSpec', { size: { type: 'string' } }),
    lamp('arguments', 'Arguments', {}),
    lamp('eval', 'Eval', {}),
  ];
  writeFileSync(place, JSON.stringify({ kind: 'List', items }));
  const out = path.join(folder, 'names');
  assert.equal(await run('--out', out, '--definitions', place), { status: 0, stdout: '', stderr: '' });
  const types = readFileSync(path.join(out, 'src/lamps.example.com/v1/types.ts'), 'utf8');
  assert.match(types, /export interface Lamp \{[^}]*\n {2}spec\?: LampSpec2;\n\}/);
  assert.match(types, /export interface LampSpec2 \{\n {2}colour\?: string;\n {2}apply\?: LampSpec2Apply2;\n\}/);
  assert.match(types, /export interface LampSpec \{[^}]*\n {2}spec\?: LampSpecSpec;\n\}/);
  assert.is(compile(out, '--noEmit'), '');
});
command('knows definitions of the dialect cluster, and its names', async () => {
  const place = path.join(folder, 'cluster');
  mkdirSync(place);
  writeFileSync(path.join(place, 'widgets.json'), JSON.stringify({ ...widget, apiVersion: 'apiextensions.cluster.io/v1' }));
  const out = path.join(folder, 'of-the-cluster');
  const outcome = await run('--out', out, '--definitions', place, '--group', 'rbac/v1', '--dialect', 'cluster');
  assert.equal(outcome, { status: 0, stdout: '', stderr: '' });
  assert.equal(resourcesOf(out), ['example.com/v1', 'rbac/v1']);
  const text = (file: string) => readFileSync(path.join(out, 'src', file), 'utf8');
  assert.match(text('example.com/v1/types.ts'), /parts\?: ListMap<.*, 'name'>;/);
  assert.match(text('rbac/v1/index.ts'), /group: 'rbac\.authorization\.cluster\.io'/);
  assert.not.match(text('index.ts'), /dialect\?:/);
});
command.run();

const written = suite('a package of custom resources');
const out = path.join(folder, 'widgets');
written('compiles on its own, under the strictest options', async () => {
  assert.is((await run('--out', out, '--definitions', path.dirname(widgets), '--group', 'coordination', '--name', 'widgets')).stderr, '');
  assert.equal(resourcesOf(out), ['coordination/v1', 'coordination/v1alpha2', 'example.com/v1']);
  const types = readFileSync(path.join(out, 'src/coordination/v1/types.ts'), 'utf8');
  assert.match(types, /apiVersion: 'coordination\.cluster\.io\/v1' \| 'coordination\.k8s\.io\/v1';/);
  assert.is(compile(out, ...STRICTEST), '');
});
written('has types that know the definition', async () => {
  const use = `
    import { createClient } from './index.ts';
    import { myWidgets } from './example.com/v1/index.ts';
    const widgets = createClient({ server: 'https://x' }).resource(myWidgets).in('a');
    void widgets.create({ metadata: { name: 'x' }, spec: { colour: 'red', parts: [{ name: 'p', weight: 1 }], share: '5%', any: { x: 1 }, maybe: null } });
    void widgets.apply({ metadata: { name: 'x' }, spec: { parts: [{ name: 'p' }], maybe: null } });
    void widgets.apply({ metadata: { name: 'x' }, spec: { perhaps: null } });
    // @ts-expect-error
    void widgets.apply({ metadata: { name: 'x' }, spec: { colour: null } });
    void widgets.list({ fields: { 'spec.colour': 'red' } });
    // @ts-expect-error
    void widgets.create({ metadata: { name: 'x' }, spec: { colour: 'green' } });
    // @ts-expect-error
    void widgets.create({ metadata: { name: 'x' } });
    // @ts-expect-error
    void widgets.apply({ metadata: { name: 'x' }, spec: { parts: [{ weight: 1 }] } });
    // @ts-expect-error
    void widgets.list({ fields: { 'spec.size': '1' } });
    // @ts-expect-error
    void widgets.strategicMergePatch;
  `;
  writeFileSync(path.join(out, 'src/use.ts'), use);
  try {
    assert.is(compile(out, '--noEmit'), '');
  } finally {
    rmSync(path.join(out, 'src/use.ts'));
  }
});
written('documents members as the definition does', async () => {
  const text = readFileSync(path.join(out, 'dist/example.com/v1/types.d.ts'), 'utf8');
  assert.match(text, /\/\*\* Its colour\. \*\\\/ Not more\. \*\/\n\s+colour: 'red' \| 'blue';/);
  assert.match(text, /\/\*\* Default: `1`\. \*\/\n\s+size\?: number;/);
});
written('works against a server', async () => {
  const server = await startServer({ dialect: 'kubernetes' });
  try {
    const load = (file: string) => import(pathToFileURL(path.join(out, 'dist', file)).href);
    const [{ createClient }, { myWidgets }] = await Promise.all([load('index.js'), load('example.com/v1/index.js')]);
    const { client } = server;
    await client.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widget);
    const typed = createClient(server.clientConfig, { dialect: 'kubernetes', fieldManager: 'me' });
    const widgetsOf = typed.resource(myWidgets).in();
    await eventually('widgets are served', () =>
      widgetsOf.list().then(
        () => true,
        () => false,
      ),
    );
    const applied = await widgetsOf.apply({ metadata: { name: 'one' }, spec: { colour: 'red', parts: [{ name: 'p', weight: 1 }] } });
    assert.equal([applied.kind, applied.spec.size], ['Widget', 1]);
    const nothing = { maybe: null, perhaps: { sure: 'x', when: null } };
    const { spec } = await widgetsOf.apply({ metadata: { name: 'two' }, spec: { colour: 'red', ...nothing } });
    assert.equal({ maybe: spec.maybe, perhaps: spec.perhaps }, nothing);
    await widgetsOf.delete('two');
    assert.is((await widgetsOf.subresource('scale').mergePatch('one', { spec: { replicas: 3 } })).spec.replicas, 3);
    assert.equal(
      (await widgetsOf.list({ fields: { 'spec.colour': 'red' } })).items.map((item: { kind: string }) => item.kind),
      ['Widget'],
    );
    typed.close();
  } finally {
    await server.stop();
  }
});
written.run();

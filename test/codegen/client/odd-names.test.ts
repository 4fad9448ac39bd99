/** Typed clients of definitions whose names and texts mean something elsewhere: they compile, and name what the definitions name. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../../runtime/embedded/start-server.ts';
import { eventually } from '../../harness/eventually.ts';
import { runSchemaCommand } from '../commands/in-process.ts';
import { compile, root, STRICTEST, temporaryFolder } from './compiled-package.ts';
import { definitionObject, type OddDefinition, oddDefinitions } from './odd-definitions.ts';

const folder = temporaryFolder('odd-names');

const odd = suite('a package of odd definitions');
odd('compiles under the strictest options, and has every resource as it is defined', async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(oddDefinitions, async (definitions) => {
      const place = path.join(folder, `${++count}`);
      writeFileSync(`${place}.json`, JSON.stringify({ kind: 'List', items: definitions.map((each) => definitionObject(each)) }));
      const outcome = await runSchemaCommand(root, 'client', '--out', place, '--definitions', `${place}.json`, '--dialect', 'kubernetes');
      assert.equal(outcome, { status: 0, stdout: '', stderr: '' });
      assert.is(compile(place, ...STRICTEST), '');
      const found = await resourcesIn(path.join(place, 'dist'));
      const wanted = definitions.map(({ group, version, kind, plural }) => `${group} ${version} ${plural} ${kind}`);
      assert.equal(found.sort(), wanted.sort());
    }),
    { numRuns: 6 },
  );
});

/** Constants of all modules. */
async function resourcesIn(dist: string): Promise<string[]> {
  const files = globSync('*/*/index.js', { cwd: dist });
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(path.join(dist, file)).href)));
  return modules
    .flatMap((each) => Object.values(each as object))
    .map(({ group, version, name, kind }) => `${group} ${version} ${name} ${kind}`);
}
odd.run();

const named = suite('names in a package');
const definition = (kind: string, plural: string, more: Partial<OddDefinition> = {}): OddDefinition => ({
  ...{ group: 'lamps.example', version: 'v1', kind, plural, schema: { type: 'object' }, warning: undefined },
  ...more,
});
let packages = 0;
/** @returns the package's folder, and what the command says */
async function packageOf(...definitions: readonly OddDefinition[]) {
  const place = path.join(folder, `named-${++packages}`);
  writeFileSync(`${place}.json`, JSON.stringify({ kind: 'List', items: definitions.map((each) => definitionObject(each)) }));
  const args = ['--out', place, '--definitions', `${place}.json`, '--dialect', 'kubernetes'];
  return { place, ...(await runSchemaCommand(root, 'client', ...args)) };
}
const texts = (place: string, group = 'lamps.example', version = 'v1') =>
  ['index.ts', 'types.ts'].map((file) => readFileSync(path.join(place, 'src', group, version, file), 'utf8')) as [string, string];

named('are those of the definitions where TypeScript has them, and near to them elsewhere', async () => {
  const { place, stderr } = await packageOf(
    definition('my-lamp', 'my-lamps'),
    definition('MyLamp', 'lamps'),
    definition('class', 'class'),
    definition('ListMap', 'types'),
  );
  assert.is(stderr, '');
  const [index, types] = texts(place);
  assert.equal(
    types.match(/^export interface \w+/gm),
    ['Class', 'ClassApply', 'ListMap', 'ListMapApply', 'MyLamp', 'MyLampApply', 'MyLamp2', 'MyLamp2Apply'].map(
      (name) => `export interface ${name}`,
    ),
  );
  assert.equal(
    index.match(/^export const .*$/gm)?.map((line) => line.replace(/ = .*?kind: ('[^']*').*/, ' $1')),
    [
      "export const _class: Resource<ClassResource> 'class'",
      "export const lamps: Resource<MyLampResource> 'MyLamp'",
      "export const myLamps: Resource<MyLamp2Resource> 'my-lamp'",
      "export const types: Resource<ListMapResource> 'ListMap'",
    ],
  );
});
named('of forms for applying make way for those of kinds', async () => {
  const schema = { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } };
  const { place, stderr } = await packageOf(definition('Lamp', 'lamps', { schema }), definition('LampApply', 'lampapplies', { schema }));
  assert.is(stderr, '');
  const [index, types] = texts(place);
  assert.match(types, /export interface LampApply \{[^}]*kind: 'LampApply';/);
  assert.match(index, /interface LampResource \{\n {2}object: types\.Lamp;\n {2}apply: types\.LampApply2;/);
  assert.match(index, /interface LampApplyResource \{\n {2}object: types\.LampApply;\n {2}apply: types\.LampApplyApply;/);
});
named('of folders make way for files of the package', async () => {
  const { place, stderr } = await packageOf(definition('Lamp', 'lamps', { group: 'identity.ts' }));
  assert.is(stderr, '');
  assert.match(texts(place, '_identity.ts')[0], /group: 'identity\.ts'/);
});
named('that look like placeholders are text', async () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', enum: ['${groupDomain}'], default: '${groupDomain}', description: 'Of ${labelDomain}' } },
  };
  const { place, stderr } = await packageOf(definition('Lamp', 'lamps', { schema, warning: 'ask ${groupDomain} */' }));
  assert.is(stderr, '');
  const [index, types] = texts(place);
  assert.match(types, /Of \$\{labelDomain\}\n {3}\* Default: `'\$\{groupDomain\}'`\.\n {3}\*\/\n {2}a\?: '\$\{groupDomain\}';/);
  assert.match(index, /@deprecated ask \$\{groupDomain\} \*\\\/ \*\//);
});
named.run();

const served = suite('a client of odd names');
served('asks a server for what the definitions define', async () => {
  await using server = await servingServer();
  const schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { ['__proto__']: { type: 'string' }, 'a "b"\\\n*/': { type: 'string', enum: ["'", '\\'] } } },
    },
  };
  const definitions = [
    definition('my-lamp', 'my-lamps', { schema, group: 'index.js' }),
    definition('Promise', 'class', { schema, group: 'index.js' }),
    definition('PromiseApply', 'promise--applies', { schema, group: 'index.js' }),
  ];
  const { place, stderr } = await packageOf(...definitions);
  assert.is(stderr, '');
  assert.is(compile(place), '');
  for (const each of definitions) await server.define(definitionObject(each, []));
  const load = (file: string) => import(pathToFileURL(path.join(place, 'dist', file)).href);
  const [{ createClient }, resources] = await Promise.all([load('index.js'), load('_index.js/v1/index.js')]);
  assert.equal(Object.keys(resources).sort(), ['_class', 'myLamps', 'promiseApplies']);
  const client = createClient(server.clientConfig, { fieldManager: 'me' });
  const member = { 'a "b"\\\n*/': '\\' };
  for (const [index, resource] of [resources.myLamps, resources._class, resources.promiseApplies].entries()) {
    const objects = client.resource(resource).in('default');
    const applied = await objects.apply({ metadata: { name: 'one' }, spec: member });
    assert.equal([applied.kind, applied.apiVersion, applied.spec], [definitions[index]?.kind, 'index.js/v1', member]);
    assert.is((await objects.list()).items.length, 1);
    assert.is((await objects.subresource('status').get('one')).metadata.uid, applied.metadata.uid);
  }
  await client.close();
});
async function servingServer() {
  const server = await startServer({ dialect: 'kubernetes' });
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  return {
    clientConfig: server.clientConfig,
    async define(object: object): Promise<void> {
      const { metadata } = object as { metadata: { name: string } };
      await server.client.request('POST', crds, object);
      await eventually(`${metadata.name} is established`, async () => {
        const { status = {} } = await server.client.request('GET', `${crds}/${metadata.name}`);
        const conditions: { type: string; status: string }[] = status.conditions ?? [];
        return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
      });
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
served.run();

const refused = suite('definitions that no server takes');
const nested = (depth: number): object => {
  let schema: object = { type: 'string' };
  for (let i = 0; i < depth; i++) schema = { type: 'object', properties: { a: schema } };
  return schema;
};
const problems: [name: string, definitions: OddDefinition[], message: RegExp][] = [
  [
    'a group that leads elsewhere',
    [definition('A', 'as', { group: '../../x' })],
    /: the group "\.\.\/\.\.\/x" is no DNS subdomain of two parts or more/,
  ],
  ['a group of one part', [definition('A', 'as', { group: 'example' })], /: the group "example" is no DNS subdomain of two parts or more/],
  ['a group with capitals', [definition('A', 'as', { group: 'Lamps.example' })], /: the group "Lamps\.example" is no DNS subdomain/],
  ['a version that leads elsewhere', [definition('A', 'as', { version: '../v1' })], /: the version "\.\.\/v1" is no DNS label/],
  ['a resource that is a path', [definition('A', 'as/status')], /: the plural name "as\/status" is no DNS label/],
  ['a kind that is no name', [definition('A B', 'as')], /: the kind "A B" is no DNS label but for capitals/],
  ['a kind of two resources', [definition('A', 'as'), definition('A', 'bs')], /: the kind A of lamps\.example is defined twice/],
  [
    'a schema that is none',
    [definition('A', 'as', { schema: { type: 'object', properties: { a: null } } })],
    /: the schema of v1 at properties\.a is no object/,
  ],
  [
    'a schema within a list that is none',
    [definition('A', 'as', { schema: { type: 'array', items: 1 } })],
    /: the schema of v1 at items is no object/,
  ],
  [
    'members that are none',
    [definition('A', 'as', { schema: { type: 'object', properties: 'x' } })],
    /: the schema of v1 at properties is no object/,
  ],
  ['values that are no list', [definition('A', 'as', { schema: { type: 'string', enum: 'x' } })], /: the schema of v1 at enum is no list/],
  [
    'a description that is no text',
    [definition('A', 'as', { schema: { type: 'array', items: { description: 1 } } })],
    /: the schema of v1 at items\.description is no text/,
  ],
  ['a schema too deep to read', [definition('A', 'as', { schema: nested(300) })], /: the schema of v1 is nested deeper than 256 levels/],
];
for (const [name, definitions, message] of problems)
  refused(`are refused: ${name}`, async () => {
    const { status, stderr } = await packageOf(...definitions);
    assert.is(status, 1);
    assert.match(stderr, message);
  });
refused('are refused: one that holds itself', async () => {
  const file = path.join(folder, 'cycle.yaml');
  const text = JSON.stringify(definitionObject(definition('A', 'as', { schema: { type: 'object', properties: '@' as never } })));
  writeFileSync(file, text.replace('"@"', '&all { a: { type: object, properties: *all } }'));
  const { status, stderr } = await runSchemaCommand(root, 'client', '--out', path.join(folder, 'cycle'), '--definitions', file);
  assert.is(status, 1);
  assert.match(stderr, /: the schema of v1 is nested deeper than 256 levels/);
});
refused('are others than those with deep schemas', async () => {
  const { place, stderr } = await packageOf(definition('A', 'as', { schema: nested(250) }));
  assert.is(stderr, '');
  assert.is(compile(place, '--noEmit'), '');
});
refused.run();

/** Typed clients of definitions whose names and texts mean something elsewhere: they compile, and name what the definitions name. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runSchemaCommand } from '../commands/in-process.ts';
import { compile, root, temporaryFolder } from './compiled-package.ts';
import { definitionObject, type OddDefinition, oddDefinitions } from './odd-definitions.ts';

const folder = temporaryFolder('odd-names');

const odd = suite('a package of odd definitions');
odd('compiles under the strictest options, and has every resource as it is defined', async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(oddDefinitions, async (definitions) => {
      const place = path.join(folder, `${++count}`);
      writeFileSync(`${place}.json`, JSON.stringify({ kind: 'List', items: definitions.map(definitionObject) }));
      const outcome = await runSchemaCommand(root, 'client', '--out', place, '--definitions', `${place}.json`, '--dialect', 'kubernetes');
      assert.equal(outcome, { status: 0, stdout: '', stderr: '' });
      assert.is(compile(place, '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noImplicitOverride'), '');
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
  writeFileSync(`${place}.json`, JSON.stringify({ kind: 'List', items: definitions.map(definitionObject) }));
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

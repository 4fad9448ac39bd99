/** Kinds of the schemas become definitions that a server takes, and what these do not say is told. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, parseAllDocuments } from 'yaml';
import { UsageError } from '../../../codegen/commands/command.ts';
import { run } from '../../../codegen/commands/crd.ts';
import { run as importCrd } from '../../../codegen/commands/import-crd.ts';
import { versionFindings } from '../../../runtime/custom-resources/version-findings.ts';
import { spec } from '../check/cases/edits.ts';
import { type Json, list, own, type SchemaFiles, type Tree, text, withTree } from '../tree.ts';
import { runSchemaCommand } from './in-process.ts';

interface Outcome {
  readonly documents: readonly Json[];
  readonly told: string;
}

async function written(tree: Tree, ...args: string[]): Promise<Outcome> {
  const out = path.join(tree.root, 'crd.yaml');
  const told: string[] = [];
  const { error } = console;
  console.error = (line: string) => void told.push(line);
  try {
    assert.is(await run(tree.root, [...args, '--out', out]), 0, told.join('\n'));
  } finally {
    console.error = error;
  }
  const documents = parseAllDocuments(readFileSync(out, 'utf8')).map((document) => document.toJS() as Json);
  for (const { spec: definition } of documents) for (const version of definition.versions) assert.equal(versionFindings(version), []);
  return { documents, told: told.join('\n') };
}

const number = (more: Json = {}): Json => text({ type: 'integer', format: 'int32', ...more });
const proto = (fields: string) => (files: SchemaFiles) => {
  files.proto['toys/v1'] = (files.proto['toys/v1'] as string).replace(/message ToySpec \{[^}]*\}/, `message ToySpec {\n${fields}\n}`);
};
const FIELDS = [
  'optional string colour = 1;',
  'repeated Part parts = 2;',
  'optional int32 size = 3;',
  'optional int32 most = 4;',
  'optional string name = 5;',
  'optional string fixed = 6;',
  'optional string one = 7;',
  'optional string other = 8;',
].join('\n');

function toys(files: SchemaFiles): void {
  proto(FIELDS)(files);
  Object.assign(spec(files), {
    colour: text({ enum: ['Red', 'Blue'], 'x-cluster-default': 'Red' }),
    parts: list(own('Part')),
    size: number({ minimum: 1, maximum: 9, 'x-cluster-pointer': true }),
    most: number({ 'x-cluster-pointer': true, 'x-cluster-validations': [{ minimum: 'size' }] }),
    name: text({ 'x-cluster-required': true, 'x-cluster-format': 'dnsLabel' }),
    fixed: text({ 'x-cluster-immutable': 'stays as it is' }),
    one: text({ 'x-cluster-validations': [{ when: { colour: 'Blue' }, forbidden: true, message: 'not for blue ones' }] }),
    other: text({ 'x-cluster-default-when': { when: { colour: 'Red' }, value: 'a' } }),
  });
  spec(files).parts['x-kubernetes-list-type'] = 'map';
  spec(files).parts['x-kubernetes-list-map-keys'] = ['name'];
  files.openapi['toys/v1beta1'].components.schemas.ToySpec = { $ref: '../v1/openapi.yaml#/components/schemas/ToySpec' };
  files.openapi['toys/v1beta1'].components.schemas.Part = { $ref: '../v1/openapi.yaml#/components/schemas/Part' };
  files.proto['toys/v1beta1'] = (files.proto['toys/v1'] as string).replaceAll('test.toys.v1', 'test.toys.v1beta1');
}

const test = suite('crd');
test('writes constraints as keywords and rules, and tells of the others', () =>
  withTree(toys, async (tree) => {
    const { documents, told } = await written(tree, 'toys/v1/Toy', '--group', 'toys.example.com');
    const [definition] = documents;
    assert.is(definition.apiVersion, 'apiextensions.k8s.io/v1');
    assert.is(definition.metadata.name, 'toys.toys.example.com');
    const [version] = definition.spec.versions;
    const { spec: schema } = version.schema.openAPIV3Schema.properties;
    const { colour, size, name, parts } = schema.properties;
    assert.equal([colour.enum, colour.default], [['Red', 'Blue'], 'Red']);
    assert.equal([size.minimum, size.maximum, size.format], [1, 9, 'int32']);
    assert.is(name.maxLength, 63);
    assert.equal(name['x-kubernetes-validations'], [{ rule: "self != ''", reason: 'FieldValueRequired' }]);
    assert.equal(schema.required, ['name']);
    assert.equal(parts['x-kubernetes-list-map-keys'], ['name']);
    const rules = schema['x-kubernetes-validations'].map(({ rule, message, fieldPath }: Json) => [fieldPath, message, rule]);
    assert.equal(rules, [
      ['.most', 'must be greater than or equal to `size`', '!(has(self.most) && has(self.size)) || (self.most >= self.size)'],
      ['.one', 'not for blue ones', '!((has(self.colour) && self.colour == "Blue")) || (!(has(self.one)))'],
      ['.fixed', 'stays as it is', 'has(self.fixed) == has(oldSelf.fixed) && (!(has(self.fixed)) || self.fixed == oldSelf.fixed)'],
    ]);
    assert.match(told, /schemas\/toys\/v1\/openapi\.yaml: Toy spec\.other has defaults that depend on other members/);
    assert.match(told, /is served in toys\/v1beta1 too/);
  }));
const scaled =
  (selector: Json): ((files: SchemaFiles) => void) =>
  (files) => {
    toys(files);
    spec(files).other = selector;
    const [resource] = files.openapi['toys/v1']['x-cluster-resources'];
    const scale = { specReplicas: 'spec.size', statusReplicas: 'status.most', selector: 'spec.other' };
    resource.subresources = [
      { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: ['get', 'patch', 'update'], scale },
    ];
  };
test('writes where the text of a selector is', () =>
  withTree(scaled(text()), async (tree) => {
    const { documents, told } = await written(tree, 'toys/v1/Toy', '--group', 'toys.example.com');
    const { scale } = documents[0].spec.versions[0].subresources;
    assert.is(scale.labelSelectorPath, '.spec.other');
    assert.not.match(told, 'selector');
  }));
test('tells of a selector that is no text', () =>
  withTree(scaled({ description: 'Labels.', type: 'object', additionalProperties: text() }), async (tree) => {
    const { documents, told } = await written(tree, 'toys/v1/Toy', '--group', 'toys.example.com');
    assert.is(documents[0].spec.versions[0].subresources.scale.labelSelectorPath, undefined);
    assert.match(told, 'Toy has a selector that is no text: its scale has none');
  }));
test('refuses what there is not', () =>
  withTree(toys, async (tree) => {
    for (const [args, why] of [
      [['none/v1'], /no group version none\/v1/],
      [['toys/v1/Doll'], /has no resource of the kind Doll/],
      [[], /which GROUP\/VERSION/],
      [['toys/v1', '--dialect', 'other'], /no dialect other/],
    ] as const)
      try {
        await run(tree.root, args);
        assert.unreachable();
      } catch (error) {
        assert.instance(error, UsageError);
        assert.match((error as Error).message, why);
      }
  }));
test('says where its file cannot be', () =>
  withTree(toys, async (tree) => {
    const out = path.join(tree.root, 'none/crd.yaml');
    const { status, stderr } = await runSchemaCommand(tree.root, 'crd', 'toys/v1', '--out', out);
    assert.is(status, 1);
    assert.match(stderr, `cluster-schema crd: ENOENT: no such file or directory, open '${out}'\n`);
  }));
test('tells of a group that no definition may have', async () => {
  const checkout = path.join(import.meta.dirname, '../../..');
  const folder = mkdtempSync(path.join(tmpdir(), 'cluster-crd-'));
  const told = async (...args: string[]) =>
    (await runSchemaCommand(checkout, 'crd', 'core/v1/ConfigMap', '--out', path.join(folder, 'crd.yaml'), ...args)).stderr;
  try {
    assert.match(await told(), 'The group "" is no domain with a dot, as a server wants it: --group names another one.\n');
    assert.not.match(await told('--group', 'maps.example.com'), 'is no domain');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
test('takes out of a kind with very many rules as many as a server would refuse', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cluster-crd-'));
  const { error } = console;
  const told: string[] = [];
  console.error = (line: string) => void told.push(line);
  try {
    const out = path.join(folder, 'crd.yaml');
    assert.is(await run(path.join(import.meta.dirname, '../../..'), ['apps/v1/DaemonSet', '--out', out]), 0);
    const [version] = parse(readFileSync(out, 'utf8')).spec.versions;
    assert.equal(versionFindings(version), []);
    assert.ok(told.some((line) => line.includes('is constrained by a rule that a server would refuse')));
  } finally {
    console.error = error;
    rmSync(folder, { recursive: true, force: true });
  }
});
test('gives an imported definition back as it was', () =>
  withTree(
    () => {},
    async (tree) => {
      const schema = {
        type: 'object',
        required: ['spec'],
        properties: {
          spec: { type: 'object', default: {}, properties: { a: { type: 'string', default: 'b' }, n: { type: 'number', nullable: true } } },
        },
      };
      const column = { name: 'A', type: 'string', description: 'What it is.', priority: 1, jsonPath: '.spec.a' };
      const version = (name: string, more: object = {}) => ({
        name,
        served: true,
        storage: name === 'v1',
        schema: { openAPIV3Schema: schema },
        additionalPrinterColumns: [column, { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }],
        ...more,
      });
      const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n', labelSelectorPath: '.status.s' };
      const definition = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'lamps.lamps.example.com' },
        spec: {
          group: 'lamps.example.com',
          scope: 'Cluster',
          names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp', listKind: 'LampList', shortNames: ['l'], categories: ['all'] },
          versions: [
            version('v1', { subresources: { status: {}, scale }, selectableFields: [{ jsonPath: '.spec.a' }] }),
            version('v1beta1', { deprecated: true, deprecationWarning: 'It goes.' }),
          ],
        },
      };
      const folder = mkdtempSync(path.join(tmpdir(), 'cluster-crd-'));
      const { log } = console;
      console.log = () => {};
      try {
        writeFileSync(path.join(folder, 'lamps.json'), JSON.stringify(definition));
        assert.is(await importCrd(tree.root, [folder]), 0);
      } finally {
        console.log = log;
        rmSync(folder, { recursive: true, force: true });
      }
      const { documents, told } = await written(tree, 'lamps.example.com/v1');
      assert.is(told, '');
      assert.equal(documents, [definition]);
    },
  ));
test.run();

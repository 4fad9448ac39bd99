/** Definitions become schemas that say the same; what schemas cannot state is refused or told, with its file and path. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { formatDiagnostic } from '../../../codegen/check/diagnostic.ts';
import { UsageError } from '../../../codegen/commands/command.ts';
import { run } from '../../../codegen/commands/import-crd.ts';
import { structuralDefinitions } from '../../../codegen/model/structural/definitions.ts';
import { type Json, type Tree, withTree } from '../tree.ts';

interface Outcome {
  readonly code: number;
  readonly printed: string;
}

/** Imports into a tree. @param objects of one file, `crds.json` */
async function imported(tree: Tree, objects: readonly object[], ...args: string[]): Promise<Outcome> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cluster-import-'));
  const printed: string[] = [];
  const { log, error } = console;
  console.log = (text: string) => void printed.push(text);
  console.error = (text: string) => void printed.push(text);
  try {
    const file = path.join(folder, 'crds.json');
    writeFileSync(file, JSON.stringify({ kind: 'List', items: objects }));
    const code = await run(tree.root, [file, ...args]);
    return { code, printed: printed.join('\n').replaceAll(`${folder}/`, '') };
  } finally {
    Object.assign(console, { log, error });
    rmSync(folder, { recursive: true, force: true });
  }
}

const SCHEMA = { type: 'object', properties: { spec: { type: 'object', properties: { colour: { type: 'string' } } } } };
const version = (name: string, schema: object = SCHEMA, more: object = {}): Json => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: schema },
  ...more,
});
const definition = (
  versions: readonly object[] = [version('v1')],
  spec: object = {},
  kind = 'Lamp',
  group = 'lamps.example.com',
): Json => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${kind.toLowerCase()}s.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: `${kind.toLowerCase()}s`, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    versions,
    ...spec,
  },
});

const test = suite('import-crd');
const names = definition().spec.names;
const refusals: readonly [name: string, object: Json, why: RegExp][] = [
  [
    'a webhook that converts',
    definition([version('v1')], { conversion: { strategy: 'Webhook', webhook: {} } }),
    /crds\.json: lamps\.lamps\.example\.com spec\.conversion\.strategy: Webhook/,
  ],
  ['unknown fields everywhere', definition([version('v1')], { preserveUnknownFields: true }), /spec\.preserveUnknownFields: true/],
  ['a list of another name', definition([version('v1')], { names: { ...names, listKind: 'Lights' } }), /spec\.names\.listKind: Lights/],
  ['no served version that is stored', definition([version('v1', SCHEMA, { served: false })]), /spec\.versions\[0\]\.served/],
  ['two stored versions', definition([version('v1'), version('v2', SCHEMA, { storage: true })]), /exactly one version/],
  ['a version of another name', definition([version('v1'), version('stable')]), /spec\.versions\[1\]\.name: stable/],
  ['no schema', definition([version('v1', SCHEMA, { schema: {} })]), /spec\.versions\[0\]\.schema/],
  [
    'a schema that is not structural',
    definition([version('v1', { type: 'object', properties: { a: {} } })]),
    /spec\.versions\[0\]\.schema\.openAPIV3Schema\.properties\[a\]\.type: Required value/,
  ],
  [
    'a rule that does not compile',
    definition([version('v1', { ...SCHEMA, 'x-kubernetes-validations': [{ rule: 'self.none' }] })]),
    /x-kubernetes-validations\[0\]\.rule: .*undefined field 'none'/,
  ],
  [
    'a column without a path',
    definition([version('v1', SCHEMA, { additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: 'a' }] })]),
    /spec\.versions\[0\]\.additionalPrinterColumns\[0\]\.JSONPath/,
  ],
  ['a definition of v1beta1', { ...definition(), apiVersion: 'apiextensions.k8s.io/v1beta1' }, /only of v1/],
];
for (const [name, object, why] of refusals)
  test(`refuses ${name}`, () =>
    withTree(
      () => {},
      async (tree) => {
        const { code, printed } = await imported(tree, [object]);
        assert.is(code, 1, printed);
        assert.match(printed, why);
        assert.match(printed, /Nothing was written/);
      },
    ));
test('tells what it leaves out', () =>
  withTree(
    () => {},
    async (tree) => {
      const object = definition([version('v1'), version('v1alpha1', SCHEMA, { served: false })]);
      object.metadata.labels = { team: 'light' };
      const { code, printed } = await imported(tree, [object]);
      assert.is(code, 0, printed);
      assert.match(printed, /crds\.json: lamps\.lamps\.example\.com spec\.versions\[1\]: v1alpha1 is not served/);
      assert.match(printed, /metadata\.labels\.team: is of the definition/);
    },
  ));
test('does not write what is there, nor into groups of other kinds', () =>
  withTree(
    () => {},
    async (tree) => {
      assert.is((await imported(tree, [definition()])).code, 0);
      for (const [objects, why] of [
        [[definition()], /schemas\/lamps\/v1 is there already/],
        [[definition(undefined, {}, 'Toy', 'toys.cluster.io')], /is a group of the schemas already/],
        [[{ kind: 'ConfigMap' }], /there is no definition/],
      ] as const)
        try {
          await imported(tree, objects);
          assert.unreachable();
        } catch (error) {
          assert.instance(error, UsageError);
          assert.match((error as Error).message, why);
        }
    },
  ));
test('states once what versions have in common, and names folders by groups', () =>
  withTree(
    () => {},
    async (tree) => {
      const older = { type: 'object', properties: { ...SCHEMA.properties, more: { type: 'string' } } };
      const lamp = definition([version('v1'), version('v1beta1', older, { deprecated: true })]);
      const { code, printed } = await imported(tree, [lamp, definition(undefined, {}, 'Toy', 'toys.example.com')], '--in', '1.34');
      assert.is(code, 0, printed);
      const text = (file: string): Json => parse(readFileSync(path.join(tree.root, 'schemas', file), 'utf8'));
      const { Lamp, LampSpec } = text('lamps/v1beta1/openapi.yaml').components.schemas;
      assert.equal(LampSpec, { $ref: '../v1/openapi.yaml#/components/schemas/LampSpec' });
      assert.equal(Lamp['x-cluster-conversion'], { to: { group: 'lamps.example.com', version: 'v1', kind: 'Lamp' } });
      assert.is(Lamp['x-cluster-deprecation-warning'], 'lamps.example.com/v1beta1 Lamp is deprecated; use lamps.example.com/v1 Lamp');
      assert.is(text('toys.example.com/v1/openapi.yaml')['x-cluster-group-version'].group, 'toys.example.com');
    },
  ));

/** Schemas that a definition may have, of few levels. */
const { schema: anySchema } = fc.letrec<{ schema: object; object: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.record(
      { type: fc.constant('string'), maxLength: fc.nat(9), description: fc.constantFrom('A ${text}.', 'One: two #3') },
      { requiredKeys: ['type'] },
    ),
    fc.record({ type: fc.constant('integer'), minimum: fc.integer(), nullable: fc.constant(true) }, { requiredKeys: ['type'] }),
    fc.constant({ 'x-kubernetes-int-or-string': true }),
    fc.constant({ 'x-kubernetes-preserve-unknown-fields': true }),
    fc.constant({ type: 'string', enum: ['a', 'yes', '1'], default: 'a' }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
    tie('object'),
  ),
  object: fc.record(
    {
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom('a', 'spec', 'list', 'a-b', '$ref', 'default', 'properties', '1st'), tie('schema'), {
        maxKeys: 4,
      }),
      default: fc.constant({}),
      not: fc.constant({ required: ['none'] }),
      'x-kubernetes-map-type': fc.constant('atomic'),
    },
    { requiredKeys: ['type', 'properties'] },
  ),
}));

test('loses nothing of a schema', () => {
  const schemas: object[] = JSON.parse(JSON.stringify(fc.sample(anySchema, 40)));
  const objects = schemas.map((spec, index) => definition([version('v1', { type: 'object', properties: { spec } })], {}, `Lamp${index}`));
  return withTree(
    () => {},
    async (tree) => {
      const { code, printed } = await imported(tree, objects);
      assert.is(code, 0, printed);
      const made = structuralDefinitions(await tree.model());
      for (const { spec } of objects) {
        const same = made.find((each) => each.spec.names.kind === spec.names.kind);
        assert.equal(same?.spec.versions[0]?.schema, spec.versions[0].schema);
      }
    },
  );
});
test('takes large definitions', () => {
  const part = (depth: number): object =>
    depth === 0
      ? { type: 'string', description: 'What it is. '.repeat(30) }
      : {
          type: 'object',
          description: `Level ${depth}. `.repeat(20),
          properties: Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`part${index}${depth}`, part(depth - 1)])),
        };
  const object = definition([version('v1', { type: 'object', properties: { spec: part(5) } })]);
  assert.ok(JSON.stringify(object).length > 400_000);
  return withTree(
    () => {},
    async (tree) => {
      const { code, printed } = await imported(tree, [object]);
      assert.is(code, 0, printed);
      const { errors, files } = await tree.generate();
      assert.equal(errors.map(formatDiagnostic), []);
      assert.ok(files.has('lamps/v1/definitions.json'));
    },
  );
});
test.run();

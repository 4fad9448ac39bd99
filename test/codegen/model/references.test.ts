/** Schemas of a version that are references to those of another one. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Model, StructModel } from '../../../codegen/model/model.ts';
import { namedIn } from '../../../codegen/model/uses.ts';
import { list, own, type SchemaFiles, struct, text, withTree } from '../tree.ts';

const V1 = '../v1/openapi.yaml#/components/schemas/';
const ofV1 = ({ openapi }: SchemaFiles) => openapi['toys/v1'].components.schemas;
const ofBeta = ({ openapi }: SchemaFiles) => openapi['toys/v1beta1'].components.schemas;
const addMessage = (files: SchemaFiles, folder: string, message: string): void => {
  files.proto[folder] += `message ${message}\n`;
};
const BETA = 'test.toys.v1beta1';
const beta = (model: Model, name: string): StructModel => model.types.get(`${BETA}.${name}`) as StructModel;
const uses = (model: Model, name: string) => beta(model, name).fields.map((field) => namedIn(field.type));

interface Row {
  readonly name: string;
  readonly edit: (files: SchemaFiles) => void;
  readonly look: (model: Model) => unknown;
  readonly seen: unknown;
}

/** v1beta1 has v1's parts, with numbers of its own. */
function referToPart(files: SchemaFiles): void {
  ofBeta(files).Part = { $ref: `${V1}Part` };
  addMessage(files, 'toys/v1beta1', 'Part {\n  reserved 1;\n  optional string name = 2;\n}');
}

/** v1 has boxes of parts; those of v1beta1 are the same. */
function addBoxes(files: SchemaFiles): void {
  ofV1(files).Box = struct({ parts: list(own('Part')) });
  ofBeta(files).Box = { $ref: `${V1}Box` };
  addMessage(files, 'toys/v1', 'Box {\n  repeated Part parts = 1;\n}');
}

const rows: readonly Row[] = [
  {
    name: 'a type of the version, with the members and the numbers of its own message',
    edit: referToPart,
    look: (model) => {
      const { definition, folder, required, fields } = beta(model, 'Part');
      return [definition, folder, required, fields.map(({ name, number }) => [name, number])];
    },
    seen: [`${BETA}.Part`, 'toys/v1beta1', ['name'], [['name', 2]]],
  },
  {
    name: 'refers to types of its version, where that has them',
    edit: (files) => {
      addBoxes(files);
      referToPart(files);
      addMessage(files, 'toys/v1beta1', 'Box {\n  repeated Part parts = 1;\n}');
    },
    look: (model) => uses(model, 'Box'),
    seen: [`${BETA}.Part`],
  },
  {
    name: 'refers to types of the version that states it, where its own has none',
    edit: (files) => {
      addBoxes(files);
      files.proto['toys/v1beta1'] = (files.proto['toys/v1beta1'] ?? '').replace('import', 'import "toys/v1/types.proto";\nimport');
      addMessage(files, 'toys/v1beta1', 'Box {\n  repeated .test.toys.v1.Part parts = 1;\n}');
    },
    look: (model) => uses(model, 'Box'),
    seen: ['test.toys.v1.Part'],
  },
  {
    name: 'refers to what the version that states it refers to in others',
    edit: () => {},
    look: (model) => uses(model, 'Toy'),
    seen: [undefined, undefined, 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', `${BETA}.ToySpec`],
  },
  {
    name: 'a kind has its own lifecycle and conversion, and all else of the other',
    edit: (files) => {
      ofV1(files).Toy['x-kubernetes-map-type'] = 'atomic';
      ofV1(files).Toy['x-cluster-lifecycle'].introduced = '1.10';
    },
    look: (model) => {
      const { topLevel, list: listKind, mapType, lifecycle, conversion } = beta(model, 'Toy');
      return [topLevel, listKind, mapType, lifecycle, conversion?.version, model.types.get('test.toys.v1.Toy')?.kind];
    },
    seen: [true, 'ToyList', 'atomic', { introduced: '1.0' }, 'v1', 'struct'],
  },
  {
    name: 'what stands beside a reference counts instead',
    edit: (files) => {
      ofV1(files).Toy['x-kubernetes-map-type'] = 'atomic';
      ofBeta(files).Toy['x-kubernetes-map-type'] = 'granular';
    },
    look: (model) => beta(model, 'Toy').mapType,
    seen: 'granular',
  },
  {
    name: 'a reference to a reference',
    edit: (files) => {
      files.openapi['toys/v1alpha1'] = structuredClone(files.openapi['toys/v1beta1']);
      const { 'x-cluster-group-version': groupVersion, components } = files.openapi['toys/v1alpha1'];
      Object.assign(groupVersion, { version: 'v1alpha1', package: 'test.toys.v1alpha1' });
      for (const name of ['Toy', 'ToyList']) components.schemas[name].$ref = `../v1beta1/openapi.yaml#/components/schemas/${name}`;
      components.schemas.ToySpec = struct({ size: text() });
      const proto = files.proto['toys/v1beta1'] ?? '';
      files.proto['toys/v1alpha1'] = proto.replaceAll('v1beta1', 'v1alpha1').replace('string colour', 'string size');
    },
    look: (model) => (model.types.get('test.toys.v1alpha1.Toy') as StructModel).fields.map(({ type }) => namedIn(type)).at(-1),
    seen: 'test.toys.v1alpha1.ToySpec',
  },
];

const references = suite('a schema that is a reference');
for (const { name, edit, look, seen } of rows)
  references(name, () =>
    withTree(edit, async (tree) => {
      assert.equal((await tree.generate()).errors, []);
      assert.equal(look(await tree.model()), seen);
    }),
  );
references('is generated as if it was stated', async () => {
  const generated = (edit: (files: SchemaFiles) => void) => withTree(edit, async (tree) => (await tree.generate()).files);
  const referring = await generated(referToPart);
  const stating = await generated((files) => {
    referToPart(files);
    ofBeta(files).Part = struct({ name: text() }, ['name']);
    ofV1(files).Part = struct({ name: text(), code: text() }, ['name']);
    files.proto['toys/v1'] = (files.proto['toys/v1'] ?? '').replace('string name = 1;', 'string name = 1; optional string code = 2;');
  });
  const file = 'toys/v1beta1/descriptors.ts';
  assert.is(referring.get(file), stating.get(file));
});
references.run();

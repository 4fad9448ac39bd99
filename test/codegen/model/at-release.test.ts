/** The API of other releases than the current one, of schemas that say since when and until when they hold. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FieldModel, GroupVersion, Model, StructModel } from '../../../codegen/model/model.ts';
import { list, own, protoFile, type SchemaFiles, struct, text, withTree } from '../tree.ts';

const V1 = 'toys/v1';
const schemas = ({ openapi }: SchemaFiles) => openapi[V1].components.schemas;
const properties = (files: SchemaFiles) => schemas(files).ToySpec.properties;
const replaceInProto = (files: SchemaFiles, from: string, to: string): void => {
  files.proto[V1] = (files.proto[V1] ?? '').replace(from, to);
};

const groupVersion = (model: Model, folder = V1): GroupVersion | undefined => model.groupVersions.find((each) => each.folder === folder);
const type = (model: Model, name: string): StructModel | undefined => model.types.get(`test.toys.v1.${name}`) as StructModel | undefined;
const colour = (model: Model): FieldModel | undefined => type(model, 'ToySpec')?.fields.find(({ name }) => name === 'colour');
const fieldNames = (model: Model): string[] | undefined => type(model, 'ToySpec')?.fields.map(({ name }) => name);
const resources = (model: Model): string[] | undefined => groupVersion(model)?.resources.map(({ name }) => name);

interface Row {
  readonly name: string;
  readonly edit: (files: SchemaFiles) => void;
  readonly look: (model: Model) => unknown;
  /** what is seen in each release; the current one is 1.32 */
  readonly seen: Readonly<Record<string, unknown>>;
}

const rows: readonly Row[] = [
  {
    name: 'a field is there since its release',
    edit: (files) => (properties(files).colour['x-cluster-since'] = '1.20'),
    look: fieldNames,
    seen: { '1.19': ['parts'], '1.20': ['colour', 'parts'], '1.32': ['colour', 'parts'] },
  },
  {
    name: 'a field to come is not there yet',
    edit: (files) => (properties(files).colour['x-cluster-since'] = '1.33'),
    look: fieldNames,
    seen: { '1.32': ['parts'], '1.33': ['colour', 'parts'] },
  },
  {
    name: 'a field that is gone has its number, which is reserved since then',
    edit: (files) => {
      replaceInProto(files, 'optional string colour = 1; ', 'reserved 1, 3, 4; ');
      Object.assign(properties(files).colour, { 'x-cluster-until': '1.20', 'x-cluster-number': 3 });
    },
    look: (model) => [colour(model)?.number, type(model, 'ToySpec')?.reserved],
    seen: {
      '1.19': [
        3,
        [
          [1, 1],
          [4, 4],
        ],
      ],
      '1.20': [
        undefined,
        [
          [1, 1],
          [3, 3],
          [4, 4],
        ],
      ],
    },
  },
  {
    name: 'a required member is required while it is there',
    edit: (files) => {
      schemas(files).ToySpec.required = ['parts', 'colour'];
      properties(files).colour['x-cluster-since'] = '1.20';
    },
    look: (model) => type(model, 'ToySpec')?.required,
    seen: { '1.19': ['parts'], '1.20': ['parts', 'colour'] },
  },
  {
    name: 'a field of another name takes the number over',
    edit: (files) => {
      properties(files).colour['x-cluster-since'] = '1.20';
      properties(files).color = { ...text(), 'x-cluster-until': '1.20', 'x-cluster-number': 1 };
    },
    look: (model) => type(model, 'ToySpec')?.fields.map(({ name, number }) => [name, number]),
    seen: {
      '1.19': [
        ['parts', 2],
        ['color', 1],
      ],
      '1.20': [
        ['colour', 1],
        ['parts', 2],
      ],
    },
  },
  {
    name: 'a field has the form that it had',
    edit: (files) =>
      Object.assign(properties(files).colour, {
        default: 'Red',
        enum: ['Red'],
        'x-cluster-pointer': true,
        'x-cluster-before': [
          { until: '1.10', type: 'boolean', default: null, 'x-cluster-pointer': null },
          { until: '1.20', default: 'Blue', enum: ['Blue'] },
        ],
      }),
    look: (model) => {
      const { type: use, pointer, default: value } = colour(model) as FieldModel;
      return use.kind === 'primitive' && [use.scalar, use.enum, pointer, value];
    },
    seen: {
      '1.9': ['boolean', undefined, false, undefined],
      '1.10': ['string', ['Blue'], true, 'Blue'],
      '1.19': ['string', ['Blue'], true, 'Blue'],
      '1.20': ['string', ['Red'], true, 'Red'],
    },
  },
  {
    name: 'values of an enum come and go',
    edit: (files) =>
      Object.assign(properties(files).colour, {
        enum: ['Red', 'Blue', 'Green'],
        'x-cluster-enum-since': { Blue: '1.20' },
        'x-cluster-enum-until': { Green: '1.21' },
      }),
    look: (model) => (colour(model)?.type as { enum?: unknown } | undefined)?.enum,
    seen: { '1.19': ['Red', 'Green'], '1.20': ['Red', 'Blue', 'Green'], '1.21': ['Red', 'Blue'] },
  },
  {
    name: 'known values of the elements of a list come and go',
    edit: (files) => {
      const items = { type: 'string', 'x-cluster-constants': ['Red', 'Blue'], 'x-cluster-enum-since': { Blue: '1.20' } };
      properties(files).colour = list(items);
      replaceInProto(files, 'optional string colour', 'repeated string colour');
    },
    look: (model) => (colour(model)?.type as { element?: { constants?: unknown } } | undefined)?.element?.constants,
    seen: { '1.19': ['Red'], '1.20': ['Red', 'Blue'] },
  },
  {
    name: 'a type is there for what refers to it',
    edit: (files) => (properties(files).parts['x-cluster-since'] = '1.20'),
    look: (model) => type(model, 'Part') !== undefined,
    seen: { '1.19': false, '1.20': true },
  },
  {
    name: 'a type that an earlier form alone refers to goes with it',
    edit: (files) => {
      schemas(files).Piece = struct({ name: text() });
      files.proto[V1] += 'message Piece {\n  optional string name = 1;\n}\n';
      properties(files).parts['x-cluster-before'] = [{ until: '1.20', ...list(own('Piece')) }];
    },
    look: (model) => ['Part', 'Piece'].filter((name) => type(model, name) !== undefined),
    seen: { '1.19': ['Piece'], '1.20': ['Part'] },
  },
  {
    name: 'a type that nothing ever refers to is there for itself, unless it says otherwise',
    edit: (files) => {
      schemas(files).Alone = struct({ name: text() });
      schemas(files).Gone = { ...struct({ name: text() }), 'x-cluster-until': '1.20' };
      files.proto[V1] += 'message Alone {\n  optional string name = 1;\n}\nmessage Gone {\n  optional string name = 1;\n}\n';
    },
    look: (model) => ['Alone', 'Gone'].filter((name) => type(model, name) !== undefined),
    seen: { '1.19': ['Alone', 'Gone'], '1.20': ['Alone'] },
  },
  {
    name: 'an inline struct stands in the place of another one',
    edit: (files) => {
      schemas(files).Form = struct({ corners: text() });
      schemas(files).Shape = struct({ edges: text() });
      schemas(files).ToySpec.allOf = [
        { $ref: '#/components/schemas/Shape', 'x-cluster-since': '1.20' },
        { $ref: '#/components/schemas/Form', 'x-cluster-until': '1.20', 'x-cluster-number': 3 },
      ];
      replaceInProto(files, 'Part parts = 2;', 'Part parts = 2; optional Shape shape = 3;');
      files.proto[V1] += 'message Form {\n  optional string corners = 1;\n}\nmessage Shape {\n  optional string edges = 1;\n}\n';
    },
    look: (model) => type(model, 'ToySpec')?.fields.flatMap(({ inline, number, type: use }) => (inline ? [[number, use]] : [])),
    seen: {
      '1.19': [[3, { kind: 'named', definition: 'test.toys.v1.Form' }]],
      '1.20': [[3, { kind: 'named', definition: 'test.toys.v1.Shape' }]],
    },
  },
  {
    name: 'a kind is there since its introduction; removed, it is no longer served',
    edit: (files) => {
      for (const name of ['Toy', 'ToyList']) schemas(files)[name]['x-cluster-lifecycle'] = { introduced: '1.10', removed: '1.20' };
    },
    look: (model) => [type(model, 'Toy') !== undefined, resources(model)],
    seen: { '1.9': [false, undefined], '1.10': [true, ['toys']], '1.19': [true, ['toys']], '1.20': [true, []], '1.32': [true, []] },
  },
  {
    name: 'a resource and its parts may come later than the kind',
    edit: (files) => {
      const [toys] = files.openapi[V1]['x-cluster-resources'];
      toys.since = '1.10';
      toys.subresources = [{ name: 'status', kind: 'Toy', verbs: ['get'], since: '1.20' }];
    },
    look: (model) => groupVersion(model)?.resources.map(({ name, subresources }) => [name, ...subresources.map((each) => each.name)]),
    seen: { '1.9': [], '1.10': [['toys']], '1.20': [['toys', 'status']] },
  },
  {
    name: 'a removed version states what it served by the version that has it still',
    edit: (files) => {
      const { schemas: ofBeta } = files.openapi['toys/v1beta1'].components;
      for (const name of ['Toy', 'ToyList']) ofBeta[name]['x-cluster-lifecycle'] = { introduced: '1.0', removed: '1.20' };
      const [toys] = files.openapi[V1]['x-cluster-resources'];
      Object.assign(toys, { shortNames: ['ty'], since: '1.10', subresources: [{ name: 'status', kind: 'Toy', verbs: ['get'] }] });
      files.openapi['toys/v1beta1']['x-cluster-resources'] = [{ name: 'toys', as: '../v1/openapi.yaml', verbs: ['get', 'create'] }];
    },
    look: (model) =>
      groupVersion(model, 'toys/v1beta1')?.resources.map(({ name, kind, scope, shortNames, verbs, subresources, storage }) => [
        [name, kind, scope, ...shortNames, ...verbs, ...subresources.map((each) => each.name)].join(' '),
        storage?.version,
      ]),
    seen: {
      '1.5': [['toys Toy Namespaced ty get create status', 'v1']],
      '1.19': [['toys Toy Namespaced ty get create status', 'v1']],
      '1.20': [],
    },
  },
  {
    name: 'constraints come and go, at any depth',
    edit: (files) =>
      Object.assign(properties(files).colour, {
        'x-cluster-validations': [
          { minLength: 1, until: '1.20' },
          { when: { colour: ['Red'] }, all: [{ maxLength: 5 }, { maxLength: 3, since: '1.20' }] },
        ],
      }),
    look: (model) => colour(model)?.constraints?.['x-cluster-validations'],
    seen: {
      '1.19': [{ minLength: 1 }, { when: { colour: ['Red'] }, all: [{ maxLength: 5 }] }],
      '1.20': [{ when: { colour: ['Red'] }, all: [{ maxLength: 5 }, { maxLength: 3 }] }],
    },
  },
  {
    name: 'the order of findings names the members that are there',
    edit: (files) => {
      schemas(files).ToySpec['x-cluster-validations'] = ['parts', 'colour', '...'];
      properties(files).colour['x-cluster-since'] = '1.20';
    },
    look: (model) => type(model, 'ToySpec')?.validations,
    seen: { '1.19': ['parts', '...'], '1.20': ['parts', 'colour', '...'] },
  },
  {
    name: 'columns of a table come and go',
    edit: (files) =>
      (schemas(files).Toy['x-cluster-table'] = {
        columns: [
          { name: 'Name', type: 'string', path: '.metadata.name' },
          { name: 'Colour', type: 'string', path: '.spec.colour', since: '1.20' },
        ],
      }),
    look: (model) => type(model, 'Toy')?.table?.columns,
    seen: {
      '1.19': [{ name: 'Name', type: 'string', path: '.metadata.name' }],
      '1.20': [
        { name: 'Name', type: 'string', path: '.metadata.name' },
        { name: 'Colour', type: 'string', path: '.spec.colour' },
      ],
    },
  },
  {
    name: 'a group version goes with all that it has, and was on by default before',
    edit: (files) => {
      for (const name of ['Toy', 'ToyList']) schemas(files)[name]['x-cluster-lifecycle'] = { introduced: '1.0', removed: '1.20' };
      Object.assign(files.openapi[V1]['x-cluster-group-version'], {
        until: '1.21',
        enabledByDefault: false,
        before: [{ until: '1.19', enabledByDefault: true }],
      });
      delete files.openapi['toys/v1beta1'];
      delete files.proto['toys/v1beta1'];
    },
    look: (model) => groupVersion(model)?.enabledByDefault,
    seen: { '1.18': true, '1.19': false, '1.20': false, '1.21': undefined, '1.32': undefined },
  },
  {
    name: 'feature gates have the stages that they had by then',
    edit: (files) => files.featureGates.ToyParts.push({ release: '1.20', stage: 'Beta', default: true }),
    look: (model) => model.featureGates.map(({ name, stages }) => [name, ...stages.map(({ stage }) => stage)]),
    seen: { '1.0': [], '1.1': [['ToyParts', 'Alpha']], '1.20': [['ToyParts', 'Alpha', 'Beta']] },
  },
];

const release = suite('the API of a release');
for (const { name, edit, look, seen } of rows)
  release(name, () =>
    withTree(edit, async (tree) => {
      const { errors } = await tree.generate();
      assert.equal(errors, []);
      const model = await tree.model();
      assert.equal(Object.fromEntries(Object.keys(seen).map((each) => [each, look(model.at(each))])), seen);
    }),
  );
release('is the current one, unless another is asked for', () =>
  withTree(
    (files) => (properties(files).colour['x-cluster-until'] = '1.32'),
    async (tree) => {
      const model = await tree.model();
      assert.is(model.release, '1.32');
      assert.equal(fieldNames(model), ['parts']);
      assert.is(model.at('1.32'), model);
      assert.equal(fieldNames(model.at('1.31').at('1.32')), ['parts']);
    },
  ),
);
release('does not come with what is gone or yet to come into generated files, but for those of earlier releases', () =>
  withTree(
    (files) => {
      files.proto[V1] = protoFile('test.toys.v1', {
        Toy: 'optional .io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1; optional ToySpec spec = 2;',
        ToyList: 'optional .io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta metadata = 1; repeated Toy items = 2;',
        ToySpec: 'reserved 1; repeated Part parts = 2;',
        Part: 'optional string name = 1;',
      });
      Object.assign(properties(files).colour, { 'x-cluster-until': '1.20', 'x-cluster-number': 1 });
      properties(files).parts['x-cluster-since'] = '1.33';
    },
    async (tree) => {
      const { files, errors } = await tree.generate();
      assert.equal(errors, []);
      const text = [...files]
        .flatMap(([file, content]) => (file.startsWith('toys/v1/') && !file.endsWith('/history.ts') ? content : []))
        .join('\n');
      assert.match(text, 'ToySpec');
      assert.not.match(text, /colour|parts|\bPart\b|x-cluster/);
    },
  ),
);
release.run();

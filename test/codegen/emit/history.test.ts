/** `history.ts` of the tree and of group versions: what generated code says of earlier releases. The toys' current release is 1.32, the oldest 1.16. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { document, kind, meta, own, protoFile, type SchemaFiles, struct, text, withTree } from '../tree.ts';

const V1 = 'toys/v1';
const schemas = (files: SchemaFiles) => files.openapi[V1].components.schemas;
const spec = (files: SchemaFiles) => schemas(files).ToySpec.properties;
const toys = (files: SchemaFiles, folder = V1) => files.openapi[folder]['x-cluster-resources'][0];

/** A member more, with its number. */
function addMember(files: SchemaFiles, name: string, property: object): void {
  spec(files)[name] = property;
  files.proto[V1] = (files.proto[V1] as string).replace(
    'optional string colour = 1;',
    `optional string colour = 1; optional string ${name} = 3;`,
  );
}

interface Row {
  readonly name: string;
  readonly edit: (files: SchemaFiles) => void;
  readonly file: string;
  readonly has?: readonly string[];
  readonly lacks?: readonly RegExp[];
}

const rows: readonly Row[] = [
  {
    name: 'a member that came later stands among the others, with its release',
    edit: (files) => addMember(files, 'size', text({ 'x-cluster-since': '1.20', 'x-cluster-default': 'big' })),
    file: `${V1}/history.ts`,
    has: ["'test.toys.v1.ToySpec': {", "{ name: 'colour', type: d.string, number: 1 },", "number: 3, default: 'big', since: '1.20' },"],
  },
  {
    name: 'a member that is gone is there for the releases that had it',
    edit: (files) => {
      files.proto[V1] = (files.proto[V1] as string).replace('optional string colour = 1;', 'reserved 1;');
      Object.assign(spec(files).colour, { 'x-cluster-until': '1.20', 'x-cluster-number': 1 });
    },
    file: `${V1}/history.ts`,
    has: ["{ name: 'colour', type: d.string, number: 1, until: '1.20' },"],
  },
  {
    name: 'a member whose form changed stands there in each form',
    edit: (files) =>
      Object.assign(spec(files).colour, { 'x-cluster-pointer': true, 'x-cluster-before': [{ until: '1.25', 'x-cluster-pointer': false }] }),
    file: `${V1}/history.ts`,
    has: [
      "{ name: 'colour', type: d.string, number: 1, until: '1.25' },",
      "{ name: 'colour', type: d.string, number: 1, go: { pointer: true }, since: '1.25' },",
    ],
  },
  {
    name: 'a default that came later says so, and one that stands beside a member is there with it',
    edit: (files) => {
      addMember(files, 'size', text({ 'x-cluster-since': '1.20', 'x-cluster-default-when': { when: { colour: 'red' }, value: 'big' } }));
      schemas(files).ToySpec['x-cluster-defaults'] = { colour: { value: 'grey', since: '1.18' } };
    },
    file: `${V1}/history.ts`,
    has: ["{ path: 'size', when: { colour: 'red' }, value: 'big', since: '1.20' },", "{ path: 'colour', value: 'grey', since: '1.18' },"],
  },
  {
    name: 'releases that nobody can ask for are not told of',
    edit: (files) => addMember(files, 'size', text({ 'x-cluster-since': '1.16' })),
    file: 'history.ts',
    lacks: [/toys\/v1\/history/],
  },
  {
    name: 'a kind that is gone is there as a whole',
    edit: (files) => {
      Object.assign(schemas(files), {
        Doll: { ...kind({ metadata: meta('ObjectMeta'), spec: own('DollSpec') }), 'x-cluster-until': '1.24' },
        DollSpec: struct({ name: text() }),
      });
      schemas(files).Doll['x-cluster-lifecycle'] = { introduced: '1.17', removed: '1.22' };
      files.openapi[V1]['x-cluster-resources'].push({ name: 'dolls', kind: 'Doll', singular: 'doll', scope: 'Cluster', verbs: ['get'] });
      files.proto[V1] +=
        'message Doll {\n  optional .io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1; optional DollSpec spec = 2;\n}\nmessage DollSpec {\n  optional string name = 1;\n}\n';
    },
    file: `${V1}/history.ts`,
    has: [
      "export const Doll: d.StructType = d.struct('test.toys.v1.Doll'",
      'type: DollSpec, number: 2',
      '    Doll: {',
      "lifecycle: { introduced: '1.17', removed: '1.22' },",
    ],
  },
  {
    name: 'a resource that came later is told of, and what is as it is now is not stated again',
    edit: (files) => (toys(files).since = '1.19'),
    file: 'history.ts',
    has: ["folder: 'toys/v1',", "{ asNow: 'toys', since: '1.19' },"],
  },
  {
    name: 'what a group version had before is told of',
    edit: (files) => (files.openapi['toys/v1beta1']['x-cluster-group-version'].before = [{ until: '1.22', enabledByDefault: true }]),
    file: 'history.ts',
    has: ["before: [{ enabledByDefault: true, until: '1.22' }],", "{ asNow: 'toys' },"],
  },
  {
    name: 'objects were stored in the version that the release before had as well',
    edit: (files) => {
      toys(files).since = '1.19';
      toys(files, 'toys/v1beta1').since = '1.10';
    },
    file: 'history.ts',
    has: ["'toys': [", "{ until: '1.20', group: 'toys.${groupDomain}', version: 'v1beta1', kind: 'Toy' },"],
  },
  {
    name: 'objects were stored in the only version that there was, though it was new',
    edit: (files) => {
      toys(files).since = '1.25';
      toys(files, 'toys/v1beta1').since = '1.24';
    },
    file: 'history.ts',
    has: ["{ until: '1.26', group: 'toys.${groupDomain}', version: 'v1beta1', kind: 'Toy' },"],
  },
  {
    name: 'a group version leads to the histories of those whose types it uses',
    edit: (files) => {
      addMember(files, 'size', text({ 'x-cluster-since': '1.20' }));
      const box = { description: 'A box.', allOf: [{ $ref: '../../toys/v1/openapi.yaml#/components/schemas/ToySpec' }] };
      files.openapi['boxes/v1'] = document(
        'boxes.${groupDomain}',
        'v1',
        'test.boxes.v1',
        [{ name: 'boxes', kind: 'Box', singular: 'box', scope: 'Cluster', verbs: ['get'] }],
        {
          Box: kind({ metadata: meta('ObjectMeta'), spec: box }),
        },
      );
      files.proto['boxes/v1'] = protoFile('test.boxes.v1', {
        Box: 'optional .io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1; optional .test.toys.v1.ToySpec spec = 2;',
      }).replace('import "meta', 'import "toys/v1/types.proto";\nimport "meta');
    },
    file: 'boxes/v1/history.ts',
    has: ["import * as toysV1History from '../../toys/v1/history.ts';", 'uses: [toysV1History.history],'],
  },
];

const test = suite('what is generated of earlier releases');
for (const { name, edit, file, has = [], lacks = [] } of rows)
  test(name, () =>
    withTree(edit, async (tree) => {
      const { files, errors } = await tree.generate();
      assert.equal(errors, []);
      const source = files.get(file) ?? '';
      for (const part of has) assert.ok(source.includes(part), `${part} in\n${source}`);
      for (const part of lacks) assert.not.match(source, part);
    }),
  );
test('is nothing where all was always as it is', () =>
  withTree(
    () => {},
    async (tree) => {
      const { files } = await tree.generate();
      assert.equal(
        [...files.keys()].filter((file) => file.includes('/history')),
        [],
      );
    },
  ));
test.run();

/** What one edit of a schema brings about in all that is generated. */
import { spawnSync } from 'node:child_process';

import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Field, StructType } from '../../runtime/contract/descriptor.ts';
import type { FieldError } from '../../runtime/contract/field-error.ts';
import { createIdentity } from '../../runtime/contract/identity.ts';
import type { Validator } from '../../runtime/contract/kind.ts';
import type { RuleContext } from '../../runtime/contract/kind-rules.ts';
import { compileType, decode } from '../../runtime/schema/codec/codec.ts';
import { own, type SchemaFiles, struct, type Tree, text, withTree } from './tree.ts';

function addSize({ openapi, proto }: SchemaFiles): void {
  const size = { description: 'Size in metres, at least 1.', type: 'integer', format: 'int32' };
  openapi['toys/v1'].components.schemas.ToySpec.properties.size = {
    ...size,
    default: 2,
    minimum: 1,
    maximum: 99,
    'x-cluster-feature-gate': 'ToyParts',
  };
  openapi['toys/v1beta1'].components.schemas.ToySpec.properties.extent = size;
  openapi['toys/v1beta1'].components.schemas.Toy['x-cluster-conversion'].steps = [{ op: 'rename', from: 'spec.extent', to: 'spec.size' }];
  proto['toys/v1'] = (proto['toys/v1'] ?? '').replace('Part parts = 2;', 'Part parts = 2; optional int32 size = 3;');
  proto['toys/v1beta1'] = (proto['toys/v1beta1'] ?? '').replace('string colour = 1;', 'string colour = 1; optional int32 extent = 2;');
}

const field = (type: StructType, name: string): Field | undefined => type.fields.find((each) => each.name === name);
const findings = (validate: Validator, object: object): string[] => {
  const out: FieldError[] = [];
  validate(object, undefined, { text: (template: string) => template } as RuleContext, undefined, out);
  return out.map(({ field, message }) => `${field}: ${message}`);
};
const built = (edit: (files: SchemaFiles) => void, use: (tree: Tree) => Promise<void>) => () =>
  withTree(edit, async (tree) => {
    await tree.build();
    await use(tree);
  });

const added = suite('a field added to a schema');
added(
  'is encoded under its number',
  built(addSize, async (tree) => {
    const { ToySpec } = await tree.import('toys/v1/descriptors.ts');
    assert.is(field(ToySpec, 'size')?.number, 3);
    assert.is(field(ToySpec, 'size')?.featureGate, 'ToyParts');
  }),
);
added(
  'is typed',
  built(addSize, async (tree) => {
    const { files } = await tree.generate();
    assert.match(files.get('toys/v1/types.ts') ?? '', /\/\*\* Size in metres, at least 1\. \*\/\n {2}size\?: number;/);
  }),
);
added(
  'is defaulted',
  built(addSize, async (tree) => {
    const { kinds } = await tree.import('toys/v1/kinds.ts');
    const { identity } = await tree.import('identity.ts');
    const type = compileType(kinds.Toy.type, createIdentity(identity, 'cluster'));
    const { object } = decode(type, { kind: 'Toy', apiVersion: 'toys.cluster.io/v1', spec: { colour: 'red' } }, { defaults: true });
    assert.equal((object as { spec: unknown }).spec, { colour: 'red', size: 2 });
  }),
);
added(
  'is defaulted where a neighbour or a feature gate says so',
  built(
    (files) => {
      addSize(files);
      const { size } = files.openapi['toys/v1'].components.schemas.ToySpec.properties;
      delete size.default;
      size['x-cluster-default-when'] = [
        { when: { colour: ['red', 'blue'] }, value: 3 },
        { gate: 'ToyParts', value: 4 },
      ];
    },
    async (tree) => {
      const { kinds } = await tree.import('toys/v1/kinds.ts');
      const { identity } = await tree.import('identity.ts');
      const type = compileType(kinds.Toy.type, createIdentity(identity, 'cluster'));
      const size = (colour: string, gates: readonly string[]): unknown => {
        const options = { defaults: true, featureEnabled: (gate: string) => gates.includes(gate) };
        return (decode(type, { spec: { colour } }, options).object as { spec: { size?: number } }).spec.size;
      };
      assert.equal([size('red', []), size('green', ['ToyParts']), size('green', [])], [3, 4, undefined]);
    },
  ),
);
added(
  'is validated',
  built(addSize, async (tree) => {
    const { validators } = (await tree.import('toys/v1/kinds.ts')).kinds.Toy;
    assert.equal(findings(validators.object, { spec: { size: 99 } }), []);
    assert.equal(findings(validators.object, { spec: { size: 100 } }), [
      '.spec.size: Invalid value: 100: must be between 1 and 99, inclusive',
    ]);
    assert.is((await tree.import('toys/v1beta1/kinds.ts')).kinds.Toy.validators, undefined);
  }),
);
added(
  'is converted',
  built(addSize, async (tree) => {
    const { conversion } = (await tree.import('toys/v1beta1/kinds.ts')).kinds.Toy;
    assert.equal(conversion, {
      group: 'toys.${groupDomain}',
      version: 'v1',
      kind: 'Toy',
      steps: [{ op: 'rename', from: 'spec.extent', to: 'spec.size' }],
    });
  }),
);
added(
  'is published',
  built(addSize, async (tree) => {
    const { files } = await tree.generate();
    const { schemas } = JSON.parse(files.get('toys/v1/openapi.json') ?? '').components;
    const { type, format, description, default: published } = schemas['test.toys.v1.ToySpec'].properties.size;
    assert.equal(
      { type, format, description, published },
      { type: 'integer', format: 'int32', description: 'Size in metres, at least 1.', published: 2 },
    );
  }),
);
added('changes the schema hash of the kinds that hold it, and of no other', async () => {
  const hashes = (edit: (files: SchemaFiles) => void): Promise<Record<string, number>> =>
    withTree(edit, async (tree) => {
      await tree.build();
      const { kinds } = await tree.import('toys/v1/kinds.ts');
      return { toy: kinds.Toy.schemaHash, list: kinds.ToyList.schemaHash, other: await other(tree) };
    });
  const other = async (tree: Tree): Promise<number> => (await tree.import('toys/v1beta1/kinds.ts')).kinds.ToyList.schemaHash;
  const onlyV1 = (files: SchemaFiles): void => {
    files.openapi['toys/v1'].components.schemas.ToySpec.properties.colour.default = 'red';
  };
  const [before, after] = [await hashes(() => {}), await hashes(onlyV1)];
  assert.is.not(before.toy, after.toy);
  assert.is.not(before.list, after.list);
  assert.is(before.other, after.other);
});
added.run();

const inline = suite('an inline struct');
const withInline = ({ openapi, proto }: SchemaFiles): void => {
  const { schemas } = openapi['toys/v1'].components;
  schemas.Shape = { ...struct({ corners: text({ maxLength: 4 }) }) };
  schemas.ToySpec.allOf = [{ $ref: '#/components/schemas/Shape' }];
  proto['toys/v1'] = `${proto['toys/v1']}\nmessage Shape {\n  optional string corners = 1;\n}\n`.replace(
    'string colour = 1;',
    'string colour = 1; optional Shape form = 3;',
  );
};
inline(
  'stands where the message has its field, under that name and number',
  built(withInline, async (tree) => {
    const { ToySpec } = await tree.import('toys/v1/descriptors.ts');
    assert.equal(
      ToySpec.fields.map(({ name, number, go }: Field) => [name, number, go?.inline]),
      [
        ['colour', 1, undefined],
        ['form', 3, true],
        ['parts', 2, undefined],
      ],
    );
    const { files } = await tree.generate();
    assert.match(files.get('toys/v1/types.ts') ?? '', 'export interface ToySpec extends Shape {');
  }),
);
inline(
  'is validated in its place; lengths are counted in bytes',
  built(withInline, async (tree) => {
    const { object } = (await tree.import('toys/v1/kinds.ts')).kinds.Toy.validators;
    assert.equal(findings(object, { spec: { corners: '🙂' } }), []);
    assert.equal(findings(object, { spec: { corners: '🙂🙂' } }), ['.spec.corners: Too long: may not be more than 4 bytes']);
  }),
);
inline.run();

const constraints = suite('constraints');
constraints(
  'are found in lists, maps, circles and other group versions, each function once',
  built(
    ({ openapi, proto }) => {
      const { schemas } = openapi['toys/v1'].components;
      Object.assign(schemas.Part.properties.name, { 'x-cluster-required': true, pattern: '[a-z]+' });
      schemas.Part.properties.inner = { ...own('Part'), 'x-cluster-pointer': true };
      const elsewhere = '../../toys/v1/openapi.yaml#/components/schemas/Part';
      delete openapi['toys/v1beta1'].components.schemas.Toy['x-cluster-conversion'];
      openapi['toys/v1beta1']['x-cluster-resources'][0].storage = { prefix: 'older' };
      openapi['toys/v1beta1'].components.schemas.ToySpec.properties.byName = {
        description: 'Parts by name.',
        type: 'object',
        additionalProperties: { $ref: elsewhere },
      };
      proto['toys/v1'] = (proto['toys/v1'] ?? '').replace('string name = 1;', 'string name = 1; optional Part inner = 2;');
      proto['toys/v1beta1'] = (proto['toys/v1beta1'] ?? '')
        .replace('import "meta', 'import "toys/v1/types.proto";\nimport "meta')
        .replace('string colour = 1;', 'string colour = 1; map<string, .test.toys.v1.Part> byName = 2;');
    },
    async (tree) => {
      const stored = (await tree.import('toys/v1/kinds.ts')).kinds.Toy.validators.object;
      const wrong = { name: 'A', inner: { name: 'b', inner: { inner: { name: 'c' } } } };
      const found = (path: string): string[] => [
        `${path}.name: Invalid value: "A": must match the regex [a-z]+`,
        `${path}.inner.inner.name: Required value`,
      ];
      assert.equal(findings(stored, { spec: { parts: [{ name: 'a' }, wrong] } }), found('.spec.parts[1]'));
      const older = (await tree.import('toys/v1beta1/kinds.ts')).kinds.Toy.validators.object;
      assert.equal(findings(older, { spec: { byName: { 'x/y': wrong } } }), found('.spec.byName[x/y]'));
      const { files } = await tree.generate();
      assert.not.match(files.get('toys/v1beta1/validators.ts') ?? '', 'a-z');
    },
  ),
);
constraints.run();

const awkward = suite('awkward schemas');
const AWKWARD = 'Ends */ here, `and` ${groupDomain} "there"\nand \'here\' \\.';
awkward(
  'are generated as TypeScript that compiles',
  built(
    ({ openapi, proto }) => {
      const { schemas } = openapi['toys/v1'].components;
      const names = ['default', 'class', 'continue', '$ref', 'x-kubernetes-part', 'constructor', 'toString', 'a b', 'validate10'];
      for (const name of names) schemas.Part.properties[name] = text({ description: AWKWARD, default: AWKWARD, enum: [AWKWARD] });
      schemas.Part.properties.closed = text({ enum: ["it's", 'back\\slash'] });
      schemas.Event = struct({ list: { description: 'Names of the contract.', type: 'array', items: { type: 'string' } } });
      const fields = ['default', 'class', 'continue', 'ref', 'xKubernetesPart', 'constructor', 'toString', 'aB', 'validate10', 'closed'];
      proto['toys/v1'] = `${proto['toys/v1']}\nmessage Event {\n  repeated string list = 1;\n}\n`.replace(
        'string name = 1;',
        `string name = 1;${fields.map((each, index) => ` optional string ${each} = ${index + 2};`).join('')}`,
      );
    },
    async (tree) => {
      const { Part } = await tree.import('toys/v1/descriptors.ts');
      assert.is(field(Part, '$ref')?.number, 5);
      assert.is(field(Part, 'constructor')?.default, AWKWARD);
      const { kinds } = await tree.import('toys/v1/kinds.ts');
      assert.equal(findings(kinds.Toy.validators.object, { spec: { parts: [{ default: AWKWARD }] } }), []);
      assert.is(findings(kinds.Toy.validators.object, { spec: { parts: [{ default: 'another' }] } }).length, 1);
      typeCheck(tree);
    },
  ),
);
awkward.run();

/** With the settings of the project, over all that is generated. */
function typeCheck(tree: Tree): void {
  const project = path.join(import.meta.dirname, '../..');
  const include = [path.join(tree.root, 'generated')];
  tree.write(
    'tsconfig.json',
    JSON.stringify({
      extends: path.join(project, 'tsconfig.json'),
      include,
      compilerOptions: { typeRoots: [path.join(project, 'node_modules/@types')] },
    }),
  );
  const { status, stdout } = spawnSync(path.join(project, 'node_modules/.bin/tsc'), ['--noEmit', '-p', tree.root], { encoding: 'utf8' });
  assert.is(status, 0, stdout);
}

const files = suite('a group version of files');
const asFiles = (f: SchemaFiles): void => {
  const document = f.openapi['toys/v1beta1'];
  document['x-cluster-group-version'].files = true;
  delete document['x-cluster-resources'];
  delete document.components.schemas.ToyList;
  Object.assign(document.components.schemas.Toy, { 'x-cluster-file': { unnamed: true } });
  document.components.schemas.Toy['x-cluster-conversion'].loses = [];
  delete f.proto['toys/v1beta1'];
};
files(
  'has kinds of its own list, without numbers, paths and tables',
  built(asFiles, async (tree) => {
    const { fileGroupVersions } = await tree.import('files.ts');
    assert.equal(
      fileGroupVersions.map(({ version, kinds }: { version: string; kinds: unknown }) => ({ version, kinds })),
      [{ version: 'v1beta1', kinds: [{ name: 'Toy', unnamed: true }] }],
    );
    const { Toy } = await tree.import('toys/v1beta1/descriptors.ts');
    assert.ok(Toy.fields.every(({ number }: Field) => number === undefined));
    const { files: generated } = await tree.generate();
    assert.equal(
      [...generated.keys()].filter((name) => name.startsWith('toys/v1beta1/')).map((name) => name.slice('toys/v1beta1/'.length)),
      ['conversions.ts', 'descriptors.ts', 'kinds.ts', 'types.ts'],
    );
    assert.not.match(generated.get('routes.ts') ?? '', /toys\/v1beta1/);
  }),
);
files.run();

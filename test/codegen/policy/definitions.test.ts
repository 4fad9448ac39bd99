/** Definitions of custom kinds against earlier ones: each difference is told once, with its severity, and what is allowed is not. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { compareDefinitions } from '../../../codegen/policy/definitions/compare-definitions.ts';
import { readDefinitionFile } from '../../../codegen/policy/definitions/definition.ts';
import { FindingList } from '../../../codegen/policy/finding.ts';
import type { Json } from '../tree.ts';

function version(name: string, more: Json = {}): Json {
  return {
    name,
    served: true,
    storage: name === 'v1',
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: {
              size: { type: 'integer', format: 'int32', minimum: 1, maximum: 9 },
              mode: { type: 'string', enum: ['A', 'B'], default: 'A' },
              ports: {
                type: 'array',
                maxItems: 3,
                'x-kubernetes-list-type': 'map',
                'x-kubernetes-list-map-keys': ['name'],
                items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
              },
              labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 9 } },
              code: { type: 'string', pattern: '^a', nullable: true, 'x-kubernetes-validations': [{ rule: 'self != "b"', message: 'no' }] },
              port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
              either: { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
              free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: { type: 'string' } } },
            },
          },
        },
      },
    },
    subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
    selectableFields: [{ jsonPath: '.spec.mode' }],
    additionalPrinterColumns: [
      { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
      { name: 'Mode', type: 'string', jsonPath: '.spec.mode' },
    ],
    ...more,
  };
}

function definition(edit: (spec: Json, definition: Json) => void, versions: Json[]): Json {
  const value: Json = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'toys.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Toy', plural: 'toys', singular: 'toy', listKind: 'ToyList', shortNames: ['ty'], categories: ['all'] },
      conversion: { strategy: 'Webhook' },
      versions: structuredClone(versions),
    },
  };
  edit(value.spec, value);
  return value;
}

interface Row {
  readonly name: string;
  readonly edit: (spec: Json, definition: Json) => void;
  /** `code element`, errors and warnings */
  readonly expected: readonly string[];
  readonly earlier?: (spec: Json, definition: Json) => void;
}

const spec = (of: Json): Json => of.versions[0].schema.openAPIV3Schema.properties.spec;
const property = (of: Json, name: string): Json => spec(of).properties[name];
const at = (code: string, field: string): string => `${code} toys.example.com v1 spec.${field}`;

const names: readonly Row[] = [
  { name: 'the same', edit: () => {}, expected: [] },
  {
    name: 'names of objects that must be shorter, and begin otherwise',
    edit: (s) =>
      (s.versions[0].schema.openAPIV3Schema.properties.metadata = {
        type: 'object',
        properties: { name: { type: 'string', maxLength: 9 }, generateName: { type: 'string', pattern: '^toy' } },
      }),
    expected: ['CP119 toys.example.com v1 metadata.name', 'CP119 toys.example.com v1 metadata.generateName'],
  },
  {
    name: 'names of objects that may be longer again',
    edit: (s) => (s.versions[0].schema.openAPIV3Schema.properties.metadata = { type: 'object' }),
    expected: ['CP131 toys.example.com v1 metadata.name'],
    earlier: (s) =>
      (s.versions[0].schema.openAPIV3Schema.properties.metadata = {
        type: 'object',
        properties: { name: { type: 'string', maxLength: 9 } },
      }),
  },
  { name: 'another scope', edit: (s) => (s.scope = 'Cluster'), expected: ['CP102 toys.example.com scope'] },
  {
    name: 'other names',
    edit: (s) => Object.assign(s.names, { kind: 'Doll', singular: 'doll' }),
    expected: ['CP102 toys.example.com kind', 'CP102 toys.example.com singular'],
  },
  {
    name: 'a short name and a category that are gone',
    edit: (s) => Object.assign(s.names, { shortNames: [], categories: [] }),
    expected: ['CP105 toys.example.com short name ty', 'CP105 toys.example.com category all'],
  },
  { name: 'another definition', edit: (_s, d) => (d.metadata.name = 'dolls.example.com'), expected: ['CP101 toys.example.com'] },
  {
    name: 'a subresource that is gone',
    edit: (s) => delete s.versions[0].subresources.status,
    expected: ['CP104 toys.example.com v1 subresource status'],
  },
  {
    name: 'a scale of other fields',
    edit: (s) => (s.versions[0].subresources.scale.specReplicasPath = '.spec.count'),
    expected: ['CP108 toys.example.com v1 subresource scale'],
  },
  {
    name: 'a field that nobody can select by',
    edit: (s) => delete s.versions[0].selectableFields,
    expected: ['CP106 toys.example.com v1 field .spec.mode'],
  },
  {
    name: 'columns that moved',
    edit: (s) => s.versions[0].additionalPrinterColumns.reverse(),
    expected: ['CP109 toys.example.com v1 column Mode'],
  },
  {
    name: 'a column behind the others',
    edit: (s) => s.versions[0].additionalPrinterColumns.push({ name: 'Code', type: 'string', jsonPath: '.spec.code' }),
    expected: [],
  },
];

const fields: readonly Row[] = [
  { name: 'a field that is gone', edit: (s) => delete spec(s).properties.size, expected: [at('CP110', 'size')] },
  {
    name: 'a field of an element that is gone',
    edit: (s) => delete property(s, 'ports').items.properties.name,
    expected: [at('CP110', 'ports[].name')],
  },
  { name: 'a field that is gone and kept', edit: (s) => delete property(s, 'free').properties.known, expected: [] },
  {
    name: 'a new field where any was kept',
    edit: (s) => (property(s, 'free').properties.fresh = { type: 'string' }),
    expected: [at('CP119', 'free.fresh')],
  },
  {
    name: 'a new field of any value where any was kept',
    edit: (s) => (property(s, 'free').properties.fresh = { description: 'Anything.', 'x-kubernetes-preserve-unknown-fields': true }),
    expected: [],
  },
  { name: 'a new field', edit: (s) => (spec(s).properties.fresh = { type: 'string' }), expected: [] },
  { name: 'another type', edit: (s) => (property(s, 'size').type = 'string'), expected: [at('CP111', 'size')] },
  { name: 'another format', edit: (s) => (property(s, 'size').format = 'int64'), expected: [at('CP111', 'size')] },
  {
    name: 'no number or text any more',
    edit: (s) => delete property(s, 'port')['x-kubernetes-int-or-string'],
    expected: [at('CP111', 'port')],
  },
  { name: 'a value that is gone', edit: (s) => property(s, 'mode').enum.pop(), expected: [at('CP115', 'mode')] },
  { name: 'a value that is new', edit: (s) => property(s, 'mode').enum.push('C'), expected: [at('CP131', 'mode')] },
  { name: 'values where there were none', edit: (s) => (property(s, 'code').enum = ['ab']), expected: [at('CP116', 'code')] },
  { name: 'any value', edit: (s) => delete property(s, 'mode').enum, expected: [at('CP131', 'mode')] },
  { name: 'another default', edit: (s) => (property(s, 'mode').default = 'B'), expected: [at('CP117', 'mode')] },
  { name: 'no default any more', edit: (s) => delete property(s, 'mode').default, expected: [at('CP117', 'mode')] },
  { name: 'a default where there was none', edit: (s) => (property(s, 'size').default = 1), expected: [at('CP117', 'size')] },
  { name: 'null that is refused', edit: (s) => delete property(s, 'code').nullable, expected: [at('CP132', 'code')] },
  { name: 'null that is taken', edit: (s) => (property(s, 'size').nullable = true), expected: [at('CP131', 'size')] },
  { name: 'a required field', edit: (s) => (spec(s).required = ['size']), expected: ['CP118 toys.example.com v1 spec'] },
  { name: 'a required field with a default', edit: (s) => (spec(s).required = ['mode']), expected: ['CP133 toys.example.com v1 spec'] },
  {
    name: 'unknown fields that are dropped',
    edit: (s) => delete property(s, 'free')['x-kubernetes-preserve-unknown-fields'],
    expected: [at('CP119', 'free')],
  },
  {
    name: 'unknown fields that are kept',
    edit: (s) => (spec(s)['x-kubernetes-preserve-unknown-fields'] = true),
    expected: ['CP131 toys.example.com v1 spec'],
  },
  { name: 'another list type', edit: (s) => (property(s, 'ports')['x-kubernetes-list-type'] = 'atomic'), expected: [at('CP120', 'ports')] },
  { name: 'another description', edit: (s) => (property(s, 'size').description = 'new'), expected: [at('CP130', 'size')] },
];

const limits: readonly Row[] = [
  ...(
    [
      ['size', { maximum: 8 }, { maximum: 10 }],
      ['size', { minimum: 2 }, { minimum: 0 }],
      ['ports', { maxItems: 2 }, { maxItems: undefined }],
      ['ports', { minItems: 1 }, undefined],
      ['labels', { minProperties: 1 }, undefined],
      ['code', { maxLength: 9 }, undefined],
      ['code', { pattern: '^b' }, { pattern: undefined }],
      ['size', { exclusiveMaximum: true }, undefined],
      ['size', { multipleOf: 2 }, undefined],
      ['ports', { uniqueItems: true }, undefined],
      ['code', { not: { enum: ['a'] } }, undefined],
    ] as const
  ).flatMap(([name, tighter, looser]): Row[] => [
    { name: `${name} ${JSON.stringify(tighter)}`, edit: (s) => Object.assign(property(s, name), tighter), expected: [at('CP119', name)] },
    looser === undefined
      ? {
          name: `${name} without ${JSON.stringify(tighter)}`,
          earlier: (s) => Object.assign(property(s, name), tighter),
          edit: (s) => delete property(s, name)[Object.keys(tighter)[0] as string],
          expected: [at('CP131', name)],
        }
      : {
          name: `${name} ${Object.keys(looser)} ${Object.values(looser)}`,
          edit: (s) => Object.assign(property(s, name), looser),
          expected: [at('CP131', name)],
        },
  ]),
  {
    name: 'shorter values of a map',
    edit: (s) => (property(s, 'labels').additionalProperties.maxLength = 8),
    expected: [at('CP119', 'labels.*')],
  },
  { name: 'no values of a map', edit: (s) => delete property(s, 'labels').additionalProperties, expected: [at('CP119', 'labels')] },
  {
    name: 'a rule that is new',
    edit: (s) => property(s, 'code')['x-kubernetes-validations'].push({ rule: 'self != "c"' }),
    expected: [at('CP119', 'code')],
  },
  { name: 'a rule that is gone', edit: (s) => delete property(s, 'code')['x-kubernetes-validations'], expected: [at('CP131', 'code')] },
  {
    name: 'a rule that refuses for another reason',
    edit: (s) => (property(s, 'code')['x-kubernetes-validations'][0].reason = 'FieldValueForbidden'),
    expected: [at('CP134', 'code')],
  },
  {
    name: 'a rule that states the usual reason',
    edit: (s) => (property(s, 'code')['x-kubernetes-validations'][0].reason = 'FieldValueInvalid'),
    expected: [],
  },
  { name: 'a rule in other words', edit: (s) => (property(s, 'code')['x-kubernetes-validations'][0].message = 'never'), expected: [] },
  { name: 'an alternative that is gone', edit: (s) => property(s, 'port').anyOf.pop(), expected: [at('CP119', 'port')] },
  { name: 'an alternative that is new', edit: (s) => property(s, 'port').anyOf.push({ type: 'boolean' }), expected: [at('CP131', 'port')] },
  { name: 'no alternatives any more', edit: (s) => delete property(s, 'port').anyOf, expected: [at('CP131', 'port')] },
  {
    name: 'alternatives where there were none',
    edit: (s) => (property(s, 'code').anyOf = [{ pattern: 'b$' }]),
    expected: [at('CP119', 'code')],
  },
  {
    name: 'another alternative of which one must fit',
    edit: (s) => property(s, 'either').oneOf.push({ required: ['c'] }),
    expected: [at('CP119', 'either')],
  },
  { name: 'one more of all', edit: (s) => (property(s, 'code').allOf = [{ pattern: 'b$' }]), expected: [at('CP119', 'code')] },
  {
    name: 'all that is wrong',
    edit: (s) => Object.assign(property(s, 'size'), { minimum: 2, maximum: 8, default: 3 }),
    expected: [at('CP117', 'size'), at('CP119', 'size'), at('CP119', 'size')],
  },
];

const two = (s: Json): void => void s.versions.push(version('v1beta1'));
const beta = (s: Json): Json => s.versions[1];
const versions: readonly Row[] = [
  { name: 'a version that is new', edit: (s) => s.versions.push(version('v2')), expected: [] },
  {
    name: 'a stable version that is not served',
    edit: (s) => Object.assign(s.versions[0], { served: false }),
    expected: ['CP401 toys.example.com v1'],
    earlier: two,
  },
  {
    name: 'a stable version that is gone',
    edit: (s) => s.versions.splice(1, 1),
    expected: ['CP401 toys.example.com v2'],
    earlier: (s) => s.versions.push(version('v2')),
  },
  {
    name: 'a beta version that is not deprecated',
    edit: (s) => (beta(s).served = false),
    expected: ['CP402 toys.example.com v1beta1'],
    earlier: two,
  },
  {
    name: 'a beta version that is deprecated',
    edit: (s) => (beta(s).served = false),
    expected: [],
    earlier: (s) => {
      two(s);
      beta(s).deprecated = true;
    },
  },
  { name: 'an alpha version', edit: (s) => s.versions.pop(), expected: [], earlier: (s) => s.versions.push(version('v1alpha1')) },
  {
    name: 'a stored version that is gone',
    edit: (s) => s.versions.splice(1, 1),
    expected: ['CP412 toys.example.com v1alpha1'],
    earlier: (s, d) => {
      s.versions.push(version('v1alpha1'));
      d.status = { storedVersions: ['v1', 'v1alpha1'] };
    },
  },
  {
    name: 'a storage version that is new',
    edit: (s) => {
      s.versions[0].storage = false;
      s.versions.push(version('v2', { storage: true }));
    },
    expected: ['CP410 toys.example.com storage'],
  },
  {
    name: 'a storage version that was served',
    edit: (s) => {
      s.versions[0].storage = false;
      s.versions[1].storage = true;
    },
    expected: [],
    earlier: (s) => s.versions.push(version('v2')),
  },
  {
    name: 'a stable version that only a beta one can replace',
    edit: (s) => (s.versions[0].deprecated = true),
    expected: ['CP301 toys.example.com v1'],
    earlier: two,
  },
  {
    name: 'a version that is not served',
    edit: (s) => delete beta(s).schema.openAPIV3Schema.properties.spec.properties.size,
    expected: [],
    earlier: (s) => {
      two(s);
      beta(s).served = false;
    },
  },
  {
    name: 'an alpha version is served to all',
    edit: (s) => delete s.versions[1].schema.openAPIV3Schema.properties.spec.properties.size,
    expected: ['CP110 toys.example.com v1alpha1 spec.size'],
    earlier: (s) => s.versions.push(version('v1alpha1')),
  },
  {
    name: 'a field that the stored version drops',
    edit: (s) => {
      delete s.conversion;
      beta(s).schema.openAPIV3Schema.properties.spec.properties.more = { type: 'string' };
    },
    expected: ['CP201 toys.example.com v1beta1 spec.more'],
    earlier: two,
  },
  {
    name: 'a value that the other version refuses',
    edit: (s) => {
      delete s.conversion;
      beta(s).schema.openAPIV3Schema.properties.spec.properties.mode.enum.push('C');
    },
    expected: ['CP131 toys.example.com v1beta1 spec.mode', 'CP202 toys.example.com v1beta1 spec.mode'],
    earlier: two,
  },
  {
    name: 'a field that a webhook converts',
    edit: (s) => (beta(s).schema.openAPIV3Schema.properties.spec.properties.more = { type: 'string' }),
    expected: [],
    earlier: two,
  },
];

const suiteOf = suite('definitions of custom kinds');
suiteOf.before((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'cluster-definitions-'));
});
suiteOf.after(({ folder }) => rmSync(folder, { recursive: true }));
for (const { name, edit, expected, earlier = () => {} } of [...names, ...fields, ...limits, ...versions])
  suiteOf(name, ({ folder }) => {
    const read = (file: string, value: Json) => {
      writeFileSync(path.join(folder, file), stringify(value));
      return readDefinitionFile(path.join(folder, file));
    };
    const before = read('a.yaml', definition(earlier, [version('v1')]));
    const after = read(
      'b.yaml',
      definition(
        (s, d) => {
          earlier(s, d);
          edit(s, d);
        },
        [version('v1')],
      ),
    );
    const list = new FindingList();
    compareDefinitions(before, after, list);
    assert.equal(list.findings.map(({ code, element }) => `${code} ${element}`).sort(), [...expected].sort());
  });
suiteOf('of lists and of several documents are found by their names', ({ folder }) => {
  const file = path.join(folder, 'many.yaml');
  const items = ['a', 'b'].map((name) => definition((_s, d) => (d.metadata.name = name), [version('v1')]));
  writeFileSync(
    file,
    `${stringify({ kind: 'List', items })}---\n${stringify({ kind: 'ConfigMap' })}---\n${stringify(definition(() => {}, []))}`,
  );
  assert.equal(
    readDefinitionFile(file).map(({ name }) => name),
    ['a', 'b', 'toys.example.com'],
  );
});
suiteOf('are missed where there are none', ({ folder }) => {
  const file = path.join(folder, 'none.yaml');
  for (const text of ['', 'kind: ConfigMap', 'a: [']) {
    writeFileSync(file, text);
    assert.throws(() => readDefinitionFile(file));
  }
});
suiteOf.run();

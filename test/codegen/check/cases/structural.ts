/** Group versions of structural schemas. */
import type { Json, SchemaFiles } from '../../tree.ts';
import type { Row } from './edits.ts';

const FILE = 'schemas/lamps/v1/openapi.yaml';
const LAMP = 'components.schemas.Lamp';
const LIFECYCLE = { introduced: '1.20' };

/** One kind, as `import-crd` writes it. */
export function lamps(schema: object, more: Readonly<Record<string, object>> = {}, marks: object = {}): Json {
  return {
    openapi: '3.0.3',
    info: { title: 'lamps/v1', version: 'v1' },
    'x-cluster-group-version': { group: 'lamps.example.com', version: 'v1', package: 'com.example.lamps.v1', structural: true },
    'x-cluster-resources': [
      { name: 'lamps', kind: 'Lamp', singular: 'lamp', scope: 'Namespaced', verbs: ['create', 'get', 'list', 'watch', 'delete'] },
    ],
    paths: {},
    components: {
      schemas: {
        Lamp: {
          type: 'object',
          description: 'A lamp.',
          'x-cluster-kind': true,
          'x-cluster-lifecycle': LIFECYCLE,
          ...marks,
          properties: { spec: schema },
        },
        LampList: {
          type: 'object',
          description: 'Lamps.',
          'x-cluster-kind': true,
          'x-cluster-lifecycle': LIFECYCLE,
          required: ['items'],
          properties: {
            metadata: { description: 'Metadata.', allOf: [{ $ref: '../../meta/v1/openapi.yaml#/components/schemas/ListMeta' }] },
            items: { description: 'Lamps.', type: 'array', items: { $ref: '#/components/schemas/Lamp' }, 'x-cluster-always': true },
          },
        },
        ...more,
      },
    },
  };
}

const stated =
  (schema: object, more?: Readonly<Record<string, object>>, marks?: object) =>
  (files: SchemaFiles): void => {
    files.openapi['lamps/v1'] = lamps(schema, more, marks);
  };

export const structuralCases: readonly Row[] = [
  ['structural schema that is not structural', 'CS105', FILE, LAMP, stated({ type: 'object', properties: { colour: { maxLength: 3 } } })],
  [
    'default that does not fit a structural schema',
    'CS105',
    FILE,
    LAMP,
    stated({ type: 'object', properties: { n: { type: 'integer', default: 'a' } } }),
  ],
  [
    'rule that does not compile',
    'CS105',
    FILE,
    LAMP,
    stated({ type: 'object', 'x-kubernetes-validations': [{ rule: 'self.none == 1' }], properties: { n: { type: 'integer' } } }),
  ],
  [
    'structural schema that holds itself',
    'CS025',
    FILE,
    'components.schemas.Part',
    stated(
      { $ref: '#/components/schemas/Part' },
      { Part: { type: 'object', properties: { part: { $ref: '#/components/schemas/Part' } } } },
    ),
  ],
  [
    'keyword that structural schemas do not have',
    'CS011',
    FILE,
    LAMP,
    stated({ type: 'object' }, {}, { discriminator: { propertyName: 'a' } }),
  ],
  [
    'constraint of other kinds in a structural schema',
    'CS012',
    FILE,
    `${LAMP}.properties.spec`,
    stated({ type: 'object', 'x-cluster-required': true }),
  ],
  [
    'column of a structural kind that counts',
    'CS057',
    FILE,
    `${LAMP}.x-cluster-table`,
    stated({ type: 'object' }, {}, { 'x-cluster-table': { columns: [{ name: 'Parts', count: '.spec.parts' }] } }),
  ],
  [
    'protobuf file of structural kinds',
    'CS060',
    'schemas/lamps/v1/types.proto',
    '',
    (files) => {
      stated({ type: 'object' })(files);
      files.proto['lamps/v1'] = 'syntax = "proto2";\npackage com.example.lamps.v1;\n';
    },
  ],
];

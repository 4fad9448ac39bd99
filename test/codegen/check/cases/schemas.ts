import { type Json, list, own, type SchemaFiles, struct, text } from '../../tree.ts';
import { mapOf, proto, type Row, SPEC, schemas, spec, table, toys, V1 } from './edits.ts';

const BETA = 'schemas/toys/v1beta1/openapi.yaml';
const SCHEMAS = 'components.schemas';
const ofBeta = (files: SchemaFiles): Json => files.openapi['toys/v1beta1'].components.schemas;

export const schemasCases: readonly Row[] = [
  [
    'a reference to no schema of another version',
    'CS010',
    BETA,
    `${SCHEMAS}.Toy`,
    (f) => (ofBeta(f).Toy.$ref = '../v2/openapi.yaml#/components/schemas/Toy'),
  ],
  [
    'references that lead to each other',
    'CS010',
    BETA,
    `${SCHEMAS}.Toy`,
    (f) => (schemas(f).Toy = { $ref: '../v1beta1/openapi.yaml#/components/schemas/Toy' }),
  ],
  ['a keyword beside a reference', 'CS011', BETA, `${SCHEMAS}.Toy`, (f) => (ofBeta(f).Toy.required = ['spec'])],
  ['a reference without a lifecycle of its own', 'CS055', BETA, `${SCHEMAS}.Toy`, (f) => delete ofBeta(f).Toy['x-cluster-lifecycle']],
  [
    'a copy of another version, worded otherwise',
    'CS085',
    BETA,
    `${SCHEMAS}.Part`,
    (f) => {
      ofBeta(f).Part = { ...struct({ name: { ...text(), description: 'Its name.' } }, ['name']) };
      f.proto['toys/v1beta1'] += 'message Part {\n  optional string name = 1;\n}\n';
    },
  ],
  ['a reference to nothing', 'CS010', V1, `${SPEC}.properties.parts.items.allOf.0`, (f) => (spec(f).parts = list(own('Prat')))],
  [
    'a reference to a document that is not there',
    'CS010',
    V1,
    `${SPEC}.properties.parts.items`,
    (f) => (spec(f).parts = list({ $ref: '../v9/openapi.yaml#/components/schemas/Part' })),
  ],
  ['a reference to what is no schema', 'CS010', V1, `${SPEC}.properties.parts.items`, (f) => (spec(f).parts = list({ $ref: '#/info' }))],
  [
    'an earlier form that refers to nothing',
    'CS010',
    V1,
    `${SPEC}.properties.parts.x-cluster-before.0.items`,
    (f) => (spec(f).parts['x-cluster-before'] = [{ until: '1.1', type: 'array', items: { $ref: '#/components/schemas/Prat' } }]),
  ],
  [
    'an inline reference to nothing',
    'CS010',
    V1,
    `${SPEC}.allOf.0`,
    (f) => (schemas(f).ToySpec.allOf = [{ $ref: '#/components/schemas/Prat' }]),
  ],
  ['an integer without format', 'CS011', V1, `${SPEC}.properties.colour`, (f) => (spec(f).colour = text({ type: 'integer' }))],
  ['a constraint beside the type', 'CS011', V1, `${SPEC}.properties.colour`, (f) => (spec(f).colour.not = {})],
  ['a keyword on a struct', 'CS011', V1, SPEC, (f) => (schemas(f).ToySpec.minProperties = 1)],
  ['an unknown key on a property', 'CS012', V1, `${SPEC}.properties.colour`, (f) => (spec(f).colour['x-cluster-pionter'] = true)],
  ['an unknown key on a schema', 'CS012', V1, SPEC, (f) => (schemas(f).ToySpec['x-cluster-pointer'] = true)],
  ['an unknown key on a resource', 'CS012', V1, 'x-cluster-resources.0', (f) => (toys(f).plural = 'toys')],
  ['an unknown key on a document', 'CS012', V1, '', (f) => (f.openapi['toys/v1']['x-cluster-group'] = 'toys')],
  ['a verb that there is not', 'CS013', V1, 'x-cluster-resources.0.verbs.1', (f) => (toys(f).verbs = ['get', 'put'])],
  ['a flag that is text', 'CS013', V1, `${SPEC}.properties.colour.x-cluster-always`, (f) => (spec(f).colour['x-cluster-always'] = 'yes')],
  ['a release date of a wrong form', 'CS013', 'schemas/releases.yaml', 'releases.1.2', (f) => (f.releases.releases['1.2'] = 'March 2016')],
  ['no description', 'CS014', V1, `${SPEC}.properties.colour`, (f) => delete spec(f).colour.description],
  [
    'a definition of two types',
    'CS015',
    V1,
    'components.schemas.Part',
    (f) => (schemas(f).Part['x-cluster-definition'] = 'test.toys.v1.Toy'),
  ],
  ['a type in lower case', 'CS016', V1, 'components.schemas.part', (f) => (schemas(f).part = struct({ name: text() }))],
  ['a type that hides a global', 'CS016', V1, 'components.schemas.Object', (f) => (schemas(f).Object = struct({ name: text() }))],
  ['two properties of one protobuf name', 'CS017', V1, `${SPEC}.properties.co-lour`, (f) => (spec(f)['co-lour'] = text())],
  ['two types that differ in case', 'CS017', V1, 'components.schemas.PART', (f) => (schemas(f).PART = struct({ name: text() }))],
  ['a kind with a property kind', 'CS017', V1, 'components.schemas.Toy.properties.kind', (f) => (schemas(f).Toy.properties.kind = text())],
  [
    'two columns of one name',
    'CS017',
    V1,
    'components.schemas.Toy.x-cluster-table',
    (f) => (schemas(f).Toy['x-cluster-table'] = table('.spec', '.spec')),
  ],
  [
    'a short name that is a name',
    'CS017',
    V1,
    'x-cluster-resources.dolls',
    (f) => f.openapi['toys/v1']['x-cluster-resources'].push({ ...toys(f), name: 'dolls', singular: 'doll', shortNames: ['toy'] }),
  ],
  ['an unknown placeholder', 'CS018', V1, `${SPEC}.properties.colour.description`, (f) => (spec(f).colour.description = 'See ${domain}.')],
  ['a default of another type', 'CS019', V1, `${SPEC}.properties.colour`, (f) => (spec(f).colour.default = 3)],
  [
    'a default outside the enum',
    'CS019',
    V1,
    `${SPEC}.properties.colour`,
    (f) => Object.assign(spec(f).colour, { enum: ['red'], 'x-cluster-default': 'blue' }),
  ],
  [
    'two defaults',
    'CS019',
    V1,
    `${SPEC}.properties.colour`,
    (f) => Object.assign(spec(f).colour, { default: 'a', 'x-cluster-default': 'b' }),
  ],
  ['a required name without property', 'CS020', V1, SPEC, (f) => (schemas(f).ToySpec.required = ['size'])],
  ['a map key without member', 'CS021', V1, `${SPEC}.properties.parts`, (f) => mapOf(f, 'id')],
  [
    'a map key that may be absent',
    'CS021',
    V1,
    `${SPEC}.properties.parts`,
    (f) => {
      mapOf(f, 'name');
      schemas(f).Part = struct({ name: text({ 'x-cluster-pointer': true }) });
    },
  ],
  ['a list of type map without keys', 'CS021', V1, `${SPEC}.properties.parts`, (f) => (spec(f).parts['x-kubernetes-list-type'] = 'map')],
  [
    'a list of type map without keys, in a map',
    'CS021',
    V1,
    `${SPEC}.properties.more`,
    (f) => {
      const { description: _description, ...parts } = spec(f).parts;
      spec(f).more = { description: 'More.', type: 'object', additionalProperties: { ...parts, 'x-kubernetes-list-type': 'map' } };
    },
  ],
  [
    'a list type on texts of a list',
    'CS023',
    V1,
    `${SPEC}.properties.more`,
    (f) => (spec(f).more = { description: 'More.', type: 'array', items: { type: 'string', 'x-kubernetes-list-type': 'atomic' } }),
  ],
  ['a merge key without member', 'CS022', V1, `${SPEC}.properties.parts`, (f) => (spec(f).parts['x-kubernetes-patch-merge-key'] = 'id')],
  [
    'a field of Go after one that there is not',
    'CS045',
    V1,
    `${SPEC}.properties.colour`,
    (f) => (spec(f).colour['x-cluster-go'] = { after: 'size' }),
  ],
  ['a list type on a text', 'CS023', V1, `${SPEC}.properties.colour`, (f) => (spec(f).colour['x-kubernetes-list-type'] = 'set')],
  [
    'a patch strategy on a text',
    'CS023',
    V1,
    `${SPEC}.properties.colour`,
    (f) => (spec(f).colour['x-kubernetes-patch-strategy'] = 'merge'),
  ],
  [
    'an unknown constraint',
    'CS013',
    V1,
    `${SPEC}.properties.colour.x-cluster-validations.0`,
    (f) => (spec(f).colour['x-cluster-validations'] = [{ longest: 3 }]),
  ],
  [
    'a constraint that says nothing',
    'CS024',
    V1,
    `${SPEC}.properties.colour`,
    (f) => (spec(f).colour['x-cluster-validations'] = [{ message: 'wrong' }]),
  ],
  [
    'a value that is unique among none',
    'CS024',
    V1,
    `${SPEC}.properties.colour`,
    (f) => (spec(f).colour['x-cluster-validations'] = [{ unique: true }]),
  ],
  [
    'a constraint on updates of the status that is not the kind’s',
    'CS024',
    V1,
    `${SPEC}.properties.colour`,
    (f) => (spec(f).colour['x-cluster-validations'] = [{ forbidden: true, on: 'status', message: 'no' }]),
  ],
  [
    'a union by a member that there is not',
    'CS024',
    V1,
    `${SPEC}.x-cluster-validations.0`,
    (f) => {
      const union = { discriminator: 'colours', members: { Red: 'parts' }, none: 'must be there', several: 'must not be there' };
      f.openapi['toys/v1'].components.schemas.ToySpec['x-cluster-validations'] = [{ union }];
    },
  ],
  ['a format that there is not', 'CS024', V1, SPEC, (f) => (spec(f).colour['x-cluster-format'] = 'rgb')],
  ['a pattern that is none', 'CS024', V1, SPEC, (f) => (spec(f).colour.pattern = '(')],
  ['lengths that none has', 'CS024', V1, SPEC, (f) => Object.assign(spec(f).colour, { minLength: 3, maxLength: 2 })],
  [
    'a range in which nothing is',
    'CS024',
    V1,
    SPEC,
    (f) => {
      proto(f, 'string colour = 1;', 'string colour = 1; optional int32 size = 3;');
      spec(f).size = { type: 'integer', format: 'int32', minimum: 3, maximum: 2, description: 'Its size.' };
    },
  ],
  [
    'durations of which none is',
    'CS024',
    V1,
    SPEC,
    (f) => (spec(f).colour['x-cluster-validations'] = [{ span: ['2s', '1s'], message: 'wrong' }]),
  ],
  [
    'numbers of elements that no list has',
    'CS024',
    V1,
    SPEC,
    (f) => (spec(f).parts['x-cluster-validations'] = [{ minItems: 2 }, { maxItems: 1 }]),
  ],
  ['a set of structs', 'CS023', V1, `${SPEC}.properties.parts`, (f) => (spec(f).parts['x-kubernetes-list-type'] = 'set')],
  [
    'a constraint of a member that there is not',
    'CS024',
    V1,
    `${SPEC}.x-cluster-validations.0`,
    (f) => (schemas(f).ToySpec['x-cluster-validations'] = ['size']),
  ],
  [
    'a condition on a member that there is not',
    'CS024',
    V1,
    `${SPEC}.properties.colour`,
    (f) => (spec(f).colour['x-cluster-validations'] = [{ forbidden: true, message: 'no', when: { size: 1 } }]),
  ],
  [
    'a neighbour that there is not',
    'CS024',
    V1,
    `${SPEC}.properties.colour`,
    (f) => (spec(f).colour['x-cluster-validations'] = [{ minimum: 'size' }]),
  ],
  [
    'a predicate without a file',
    'CS070',
    V1,
    SPEC,
    (f) => (schemas(f).ToySpec['x-cluster-validations'] = [{ at: 'colour', holds: 'toys/toy#isBright', message: 'must be bright' }]),
  ],
  ['a rule without a file', 'CS070', V1, SPEC, (f) => (schemas(f).ToySpec['x-cluster-validations'] = [{ rule: 'toys/toy#colours' }])],
  [
    'a struct in itself',
    'CS025',
    V1,
    'components.schemas.Part',
    (f) => {
      schemas(f).Part.properties.inner = own('Part');
      proto(f, 'string name = 1;', 'string name = 1; optional Part inner = 2;');
    },
  ],
];

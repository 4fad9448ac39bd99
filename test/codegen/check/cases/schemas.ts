import { list, own, struct, text } from '../../tree.ts';
import { mapOf, proto, type Row, SPEC, schemas, spec, table, toys, V1 } from './edits.ts';

export const schemasCases: readonly Row[] = [
  ['a reference to nothing', 'CS010', V1, `${SPEC}.properties.parts.items`, (f) => (spec(f).parts = list(own('Prat')))],
  [
    'an inline reference to nothing',
    'CS010',
    V1,
    `${SPEC}.allOf.0`,
    (f) => (schemas(f).ToySpec.allOf = [{ $ref: '#/components/schemas/Prat' }]),
  ],
  ['an integer without format', 'CS011', V1, `${SPEC}.properties.colour`, (f) => (spec(f).colour = text({ type: 'integer' }))],
  ['a constraint beside the type', 'CS011', V1, `${SPEC}.properties.colour`, (f) => (spec(f).colour.maxLength = 3)],
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
  ['a merge key without member', 'CS022', V1, `${SPEC}.properties.parts`, (f) => (spec(f).parts['x-kubernetes-patch-merge-key'] = 'id')],
  ['a list type on a text', 'CS023', V1, `${SPEC}.properties.colour`, (f) => (spec(f).colour['x-kubernetes-list-type'] = 'set')],
  [
    'a patch strategy on a text',
    'CS023',
    V1,
    `${SPEC}.properties.colour`,
    (f) => (spec(f).colour['x-kubernetes-patch-strategy'] = 'merge'),
  ],
  ['an unknown constraint', 'CS024', V1, `${SPEC}.properties.colour`, (f) => (spec(f).colour['x-cluster-validation'] = { longest: 3 })],
  [
    'a constraint of a wrong form',
    'CS024',
    V1,
    `${SPEC}.properties.colour`,
    (f) => (spec(f).colour['x-cluster-validation'] = { maxLength: 'long' }),
  ],
  [
    'a constraint that needs a library',
    'CS024',
    V1,
    `${SPEC}.properties.parts`,
    (f) => (spec(f).parts['x-cluster-validation'] = { uniqueItems: true }),
  ],
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

import type { Json, SchemaFiles } from '../../tree.ts';
import { converted, proto, type Row, schemas, status, table, toys, V1 } from './edits.ts';

const files = (f: SchemaFiles): Json => {
  f.openapi['toys/v1beta1']['x-cluster-group-version'].files = true;
  return f.openapi['toys/v1beta1'];
};
const TOY = 'components.schemas.Toy';
const BETA = 'schemas/toys/v1beta1/openapi.yaml';

export const resourcesCases: readonly Row[] = [
  [
    'a resource as that of a version that has none',
    'CS010',
    'schemas/toys/v1beta1/openapi.yaml',
    'x-cluster-resources.toys.as',
    (f) => (f.openapi['toys/v1beta1']['x-cluster-resources'] = [{ name: 'toys', as: '../../meta/v1/openapi.yaml' }]),
  ],
  ['a resource that says too little', 'CS013', V1, 'x-cluster-resources.0', (f) => delete toys(f).scope],
  ['a protobuf file of kinds of files', 'CS060', 'schemas/toys/v1beta1/types.proto', '', files],
  ['resources of kinds of files', 'CS060', BETA, 'x-cluster-resources', files],
  [
    'a table of a kind of files',
    'CS060',
    BETA,
    'components.schemas.Toy.x-cluster-table',
    (f) => (files(f).components.schemas.Toy['x-cluster-table'] = table('.spec')),
  ],
  [
    'what is particular about files on a kind of the API',
    'CS060',
    V1,
    'components.schemas.Toy.x-cluster-file',
    (f) => (schemas(f).Toy['x-cluster-file'] = { unnamed: true }),
  ],
  ['no group version', 'CS040', V1, '', (f) => delete f.openapi['toys/v1']['x-cluster-group-version']],
  [
    'a version that is not the folder',
    'CS040',
    V1,
    'x-cluster-group-version.version',
    (f) => (f.openapi['toys/v1']['x-cluster-group-version'].version = 'v2'),
  ],
  [
    'a group version in two folders',
    'CS041',
    V1,
    'x-cluster-group-version',
    (f) => (f.openapi['toys/v1']['x-cluster-group-version'].group = 'meta.${groupDomain}'),
  ],
  ['a resource of no kind', 'CS042', V1, 'x-cluster-resources.toys', (f) => (toys(f).kind = 'Doll')],
  ['a resource of a type that is no kind', 'CS042', V1, 'x-cluster-resources.toys', (f) => (toys(f).kind = 'Part')],
  ['a storage of no kind', 'CS042', V1, 'x-cluster-resources.toys.storage', (f) => (toys(f).storage = { version: 'v3' })],
  [
    'a subresource of no kind',
    'CS042',
    V1,
    'x-cluster-resources.toys.play',
    (f) => (toys(f).subresources = [{ name: 'play', kind: 'Play', verbs: ['create'], handler: 'exec' }]),
  ],
  ['a subresource twice', 'CS043', V1, 'x-cluster-resources.toys', (f) => (toys(f).subresources = [status, status])],
  ['a resource twice', 'CS043', V1, 'x-cluster-resources.toys', (f) => f.openapi['toys/v1']['x-cluster-resources'].push(toys(f))],
  ['a resource that only creates, without handler', 'CS044', V1, 'x-cluster-resources.toys', (f) => (toys(f).verbs = ['create'])],
  [
    'a subresource without handler',
    'CS044',
    V1,
    'x-cluster-resources.toys.play',
    (f) => (toys(f).subresources = [{ ...status, name: 'play', kind: 'Part' }]),
  ],
  ['a generation of no member', 'CS045', V1, 'x-cluster-resources.toys.generation', (f) => (toys(f).generation = ['spec.size'])],
  [
    'a selectable field of no member',
    'CS045',
    V1,
    'x-cluster-resources.toys.selectableFields',
    (f) => (toys(f).selectableFields = ['spec.size']),
  ],
  [
    'an indexed field that is not selectable',
    'CS069',
    V1,
    'x-cluster-resources.toys.indexedFields',
    (f) => (toys(f).indexedFields = ['spec.colour']),
  ],
  [
    'an alias of what is not selectable',
    'CS069',
    V1,
    'x-cluster-resources.toys.selectableAliases',
    (f) => (toys(f).selectableAliases = { 'spec.color': 'spec.colour' }),
  ],
  [
    'replicas of no member',
    'CS045',
    V1,
    'x-cluster-resources.toys.scale',
    (f) =>
      (toys(f).subresources = [
        { ...status, name: 'scale', scale: { specReplicas: '.spec.size', statusReplicas: '.spec.colour', selector: '' } },
      ]),
  ],
  [
    'a conversion step of no member',
    'CS045',
    'schemas/toys/v1beta1/openapi.yaml',
    'components.schemas.Toy.x-cluster-conversion.steps.0',
    (f) => converted(f).steps.push({ op: 'rename', from: 'spec.colour', to: 'spec.color' }),
  ],
  [
    'another version without conversion',
    'CS046',
    'schemas/toys/v1beta1/openapi.yaml',
    'x-cluster-resources.toys.storage',
    (f) => delete f.openapi['toys/v1beta1'].components.schemas.Toy['x-cluster-conversion'],
  ],
  ['a version in etcd that there is not', 'CS042', V1, 'x-cluster-resources.toys.storage', (f) => (toys(f).storage = { jsonInEtcd: 'v9' })],
  [
    'a conversion to no kind',
    'CS047',
    'schemas/toys/v1beta1/openapi.yaml',
    'x-cluster-resources.toys.storage',
    (f) => (converted(f).to.kind = 'ToyList'),
  ],
  [
    'a conversion of the hub',
    'CS047',
    V1,
    'x-cluster-resources.toys.storage',
    (f) => (schemas(f).Toy['x-cluster-conversion'] = { to: { group: 'toys.${groupDomain}', version: 'v1beta1', kind: 'Toy' } }),
  ],
  ['rules in upper case', 'CS048', V1, `${TOY}.x-cluster-rules`, (f) => (schemas(f).Toy['x-cluster-rules'] = 'Toys/Toy')],
  ['rules that no file has', 'CS070', V1, `${TOY}.x-cluster-rules`, (f) => (schemas(f).Toy['x-cluster-rules'] = 'toys/toy')],
  [
    'rules in a file that has a conversion alone',
    'CS070',
    V1,
    `${TOY}.x-cluster-rules`,
    (f) => {
      schemas(f).Toy['x-cluster-rules'] = 'toys/toy';
      f.raw['runtime/kinds/toys/toy.ts'] = 'export const conversion = {};\n';
    },
  ],
  [
    'a conversion that no file has',
    'CS070',
    BETA,
    `${TOY}.x-cluster-conversion.function`,
    (f) => (converted(f).function = 'toys/toy-v1beta1'),
  ],
  ['a resource whose handler is not there', 'CS070', V1, 'x-cluster-resources.toys', (f) => (toys(f).handler = 'toys/toy')],
  [
    'a subresource whose handler is not there',
    'CS070',
    V1,
    'x-cluster-resources.toys.play',
    (f) => (toys(f).subresources = [{ ...status, name: 'play', handler: 'play' }]),
  ],
  [
    'rules that no schema names',
    'CS071',
    'runtime/kinds/toys/toy.ts',
    'rules',
    (f) => (f.raw['runtime/kinds/toys/toy.ts'] = 'export const rules = {};\n'),
  ],
  [
    'a conversion that no schema names beside rules that one does',
    'CS071',
    'runtime/kinds/toys/toy.ts',
    'conversion',
    (f) => {
      schemas(f).Toy['x-cluster-rules'] = 'toys/toy';
      f.raw['runtime/kinds/toys/toy.ts'] = 'export function rules() {}\nexport const conversion = {};\n';
    },
  ],
  [
    'no list kind',
    'CS049',
    V1,
    'x-cluster-resources.toys',
    (f) => {
      delete schemas(f).ToyList;
      proto(f, /message ToyList [^}]*}/.exec(f.proto['toys/v1'] ?? '')?.[0] ?? '', '');
    },
  ],
];

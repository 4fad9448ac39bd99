import { PROTO, proto, type Row, SPEC, schemas, V1 } from './edits.ts';

export const readingCases: readonly Row[] = [
  ['wrong YAML', 'CS001', V1, '', (f) => (f.raw[V1] = 'openapi: [')],
  ['wrong YAML beside the documents', 'CS001', 'schemas/identity.yaml', '', (f) => (f.raw['schemas/identity.yaml'] = 'names: [')],
  ['an empty document', 'CS002', V1, '', (f) => (f.raw[V1] = '')],
  ['an empty protobuf file', 'CS002', PROTO, '', (f) => (f.raw[PROTO] = '\n')],
  ['a document without schemas', 'CS002', V1, 'components.schemas', (f) => (f.openapi['toys/v1'].components.schemas = {})],
  ['an empty table', 'CS002', 'schemas/releases.yaml', '', (f) => (f.raw['schemas/releases.yaml'] = '# nothing\n')],
  ['a document that is not OpenAPI', 'CS003', V1, `${SPEC}.required`, (f) => (schemas(f).ToySpec.required = 'colour')],
  ['a protobuf file of wrong syntax', 'CS004', PROTO, '', (f) => proto(f, 'message Part {', 'massage Part {')],
  ['a protobuf file of unknown types', 'CS004', PROTO, 'ToySpec.parts', (f) => proto(f, 'repeated Part parts', 'repeated Prat parts')],
  ['a protobuf file that imports what is not there', 'CS004', PROTO, '', (f) => proto(f, 'import "meta', 'import "mata')],
  [
    'a protobuf file that does not import what it uses',
    'CS004',
    PROTO,
    'Toy.metadata',
    (f) => proto(f, 'import "meta/v1/types.proto";', ''),
  ],
  ['a group version without protobuf file', 'CS005', PROTO, '', (f) => delete f.proto['toys/v1']],
];

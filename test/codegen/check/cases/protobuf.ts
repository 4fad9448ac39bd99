import { struct, text } from '../../tree.ts';
import { PROTO, proto, type Row, SPEC, schemas, spec, V1 } from './edits.ts';

export const protobufCases: readonly Row[] = [
  ['a property without field', 'CS030', V1, `${SPEC}.properties.size`, (f) => (spec(f).size = text())],
  [
    'a field without property',
    'CS031',
    PROTO,
    'ToySpec.size',
    (f) => proto(f, 'string colour = 1;', 'string colour = 1; optional int32 size = 3;'),
  ],
  [
    'a text that is a number in protobuf',
    'CS032',
    V1,
    `${SPEC}.properties.colour`,
    (f) => proto(f, 'string colour = 1;', 'int32 colour = 1;'),
  ],
  ['a list that is single in protobuf', 'CS032', V1, `${SPEC}.properties.parts`, (f) => proto(f, 'repeated Part', 'optional Part')],
  ['another message', 'CS032', V1, `${SPEC}.properties.parts`, (f) => proto(f, 'repeated Part', 'repeated Toy')],
  ['a number used twice', 'CS033', PROTO, 'ToySpec.parts', (f) => proto(f, 'parts = 2', 'parts = 1')],
  [
    'a reserved number',
    'CS034',
    PROTO,
    'ToySpec.parts',
    (f) => proto(f, 'optional string colour', 'reserved 2 to 4; optional string colour'),
  ],
  [
    'a reserved name',
    'CS034',
    PROTO,
    'ToySpec.parts',
    (f) => proto(f, 'optional string colour', 'reserved "parts"; optional string colour'),
  ],
  ['a number that is skipped', 'CS035', PROTO, 'ToySpec', (f) => proto(f, 'parts = 2', 'parts = 3')],
  ['a message without schema', 'CS036', PROTO, 'Wheel', (f) => (f.proto['toys/v1'] += '\nmessage Wheel {\n}\n')],
  ['a schema without message', 'CS037', V1, 'components.schemas.Wheel', (f) => (schemas(f).Wheel = struct({ name: text() }))],
  [
    'an inline struct without field',
    'CS038',
    V1,
    `${SPEC}.allOf.0`,
    (f) => (schemas(f).ToySpec.allOf = [{ $ref: '#/components/schemas/Part' }]),
  ],
  ['another package', 'CS039', PROTO, 'package', (f) => (f.openapi['toys/v1']['x-cluster-group-version'].package = 'test.toys.v2')],
];

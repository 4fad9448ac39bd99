import { Ajv } from 'ajv';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SchemaValidator } from '../../runtime/contract/kind.ts';
import { schemaErrors } from '../../runtime/schema/validation.ts';
import { widget } from './types.ts';

const validation = suite('schemaErrors');

const name = { type: 'string', minLength: 1, maxLength: 3, pattern: '^[a-z]+$' };
const schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    metadata: { type: 'object', properties: { labels: { type: 'object', additionalProperties: { maxLength: 2 } } } },
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer', minimum: 0, maximum: 9 },
        weight: { exclusiveMinimum: 0, exclusiveMaximum: 1 },
        domain: { enum: ['b', 'a'] },
        rules: { type: 'array', minItems: 1, maxItems: 2 },
        containers: {
          items: { required: ['name'], properties: { name, ports: { items: { properties: { containerPort: { maximum: 65535 } } } } } },
        },
      },
    },
  },
};
const validator = new Ajv({ allErrors: true, strict: false }).compile(schema) as unknown as SchemaValidator;

const rows: readonly [name: string, object: object, field: string, reason: string, message: string][] = [
  ['required', {}, 'spec', 'FieldValueRequired', 'Required value'],
  ['minimum', { spec: { replicas: -1 } }, 'spec.replicas', 'FieldValueInvalid', 'Invalid value: -1: must be greater than or equal to 0'],
  ['maximum', { spec: { replicas: 10 } }, 'spec.replicas', 'FieldValueInvalid', 'Invalid value: 10: must be less than or equal to 9'],
  ['exclusive minimum', { spec: { weight: 0 } }, 'spec.weight', 'FieldValueInvalid', 'Invalid value: 0: must be greater than 0'],
  ['exclusive maximum', { spec: { weight: 1 } }, 'spec.weight', 'FieldValueInvalid', 'Invalid value: 1: must be less than 1'],
  ['enum', { spec: { domain: 'c' } }, 'spec.domain', 'FieldValueNotSupported', 'Unsupported value: "c": supported values: "a", "b"'],
  ['too few', { spec: { rules: [] } }, 'spec.rules', 'FieldValueRequired', 'Required value'],
  ['too many', { spec: { rules: ['a', 'b', 'c'] } }, 'spec.rules', 'FieldValueTooMany', 'Too many: 3: must have at most 2 items'],
  ['too short', { spec: { containers: [{ name: 'a' }, { name: '' }] } }, 'spec.containers[1].name', 'FieldValueRequired', 'Required value'],
  [
    'too long',
    { spec: { containers: [{ name: 'abcd' }] } },
    'spec.containers[0].name',
    'FieldValueTooLong',
    'Too long: may not be more than 3 bytes',
  ],
  ['in a list', { spec: { containers: [{}] } }, 'spec.containers[0].name', 'FieldValueRequired', 'Required value'],
  [
    'in lists',
    { spec: { containers: [{ name: 'a', ports: [{}, { containerPort: 65536 }] }] } },
    'spec.containers[0].ports[1].containerPort',
    'FieldValueInvalid',
    'Invalid value: 65536: must be less than or equal to 65535',
  ],
  [
    'in a map',
    { spec: {}, metadata: { labels: { 'a.b/c~d': 'xyz' } } },
    'metadata.labels[a.b/c~d]',
    'FieldValueTooLong',
    'Too long: may not be more than 2 bytes',
  ],
  [
    'under a plain key',
    { spec: {}, metadata: { labels: { app: 'xyz' } } },
    'metadata.labels[app]',
    'FieldValueTooLong',
    'Too long: may not be more than 2 bytes',
  ],
  ['type', { spec: { replicas: 'x' } }, 'spec.replicas', 'FieldValueTypeInvalid', 'Invalid value: "x": must be of type integer'],
];
for (const [row, object, field, reason, message] of rows) {
  validation(row, () => assert.equal(schemaErrors(validator, object, widget)[0], { reason, field, message }));
}

validation('nothing is wrong', () => assert.equal(schemaErrors(validator, { spec: { replicas: 1 } }, widget), []));

validation('all that is wrong', () => {
  const errors = schemaErrors(validator, { spec: { replicas: -1, containers: [{ name: 'ABCD' }] } }, widget);
  assert.equal(
    errors.map(({ field }) => field),
    ['spec.replicas', 'spec.containers[0].name', 'spec.containers[0].name'],
  );
});

validation('without a type a key is told by its look', () => {
  const object = { spec: {}, metadata: { labels: { 'a/b': 'xyz' } } };
  assert.is(schemaErrors(validator, object)[0]?.field, 'metadata.labels[a/b]');
});

validation.run();

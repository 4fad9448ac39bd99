import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FieldError } from '../../runtime/contract/field-error.ts';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { customValidators } from '../../runtime/custom-resources/validators.ts';
import type { CustomSchema } from '../../runtime/structural-schema/custom-schema.ts';
import { ruleContext } from '../kinds/context.ts';

const GATE = 'CRDValidationRatcheting';
const schema: CustomSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', maximum: 3 },
        name: { type: 'string', 'x-kubernetes-validations': [{ rule: "self != 'x'", message: 'is taken' }] },
        other: { type: 'string' },
      },
    },
    status: { type: 'object', properties: { size: { type: 'integer', maximum: 3 } } },
  },
} as CustomSchema;
const of = (other: string): ApiObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Lamp',
  metadata: { name: 'a' },
  spec: { size: 4, name: 'x', other },
  status: { size: 4 },
});

const rows: [string, 'object' | 'status', string[], string[]][] = [
  ['what was wrong before and stays is told of without the gate', 'object', [], ['spec.name', 'spec.size', 'status.size']],
  ['what was wrong before and stays is not told of with the gate', 'object', [GATE], []],
  ['a status that stays wrong is told of without the gate', 'status', [], ['spec.name', 'status.size']],
  ['a status that stays wrong is not told of with the gate', 'status', [GATE], []],
];
for (const [name, part, gates, expected] of rows)
  test(name, () => {
    const out: FieldError[] = [];
    customValidators(schema)[part]?.(of('new'), of('old'), ruleContext(...gates), undefined, out);
    assert.equal(out.map(({ field }) => field).sort(), expected);
  });

test.run();

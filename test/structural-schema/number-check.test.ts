/** Numbers are held against limits and enumerated values as Go holds them: integers of 64 bits without fractions, doubles as they are. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rawNumber } from '../../runtime/schema/scalar/raw-number.ts';
import type { CustomSchema } from '../../runtime/structural-schema/custom-schema.ts';
import { SchemaCheck } from '../../runtime/structural-schema/schema-check.ts';

const test = suite('numbers of custom resources');

const BEYOND = rawNumber('9007199254740993');
const NUMBER = { type: 'number' };
const INTEGER = { type: 'integer' };
const EITHER = { 'x-kubernetes-int-or-string': true };
const limit = (text: string): number => rawNumber(text) as unknown as number;

const rows: readonly [name: string, schema: CustomSchema, value: unknown, told: string | undefined][] = [
  [
    'an integer above a limit with a fraction',
    { ...NUMBER, maximum: 2.5 },
    3,
    'Invalid value: 3:  in body should be less than or equal to 2',
  ],
  ['a double above the same limit', { ...NUMBER, maximum: 2.5 }, 2.75, 'Invalid value: 2.75:  in body should be less than or equal to 2.5'],
  ['zero under a limit that is a fraction', { ...NUMBER, minimum: 0.5 }, 0, undefined],
  ['a double under it', { ...NUMBER, minimum: 0.5 }, 0.25, 'Invalid value: 0.25:  in body should be greater than or equal to 0.5'],
  [
    'zero at an excluded fraction',
    { ...NUMBER, minimum: 1e-6, exclusiveMinimum: true },
    0,
    'Invalid value: 0:  in body should be greater than 0',
  ],
  ['a limit that no integer reaches', { ...NUMBER, minimum: 1e21 }, 5, undefined],
  ['large doubles', { ...NUMBER, maximum: 1e6 }, 1234567.5, 'Invalid value: 1.2345675e+06:  in body should be less than or equal to 1e+06'],
  ['large integers', { ...NUMBER, maximum: 1e6 }, 1234567, 'Invalid value: 1234567:  in body should be less than or equal to 1000000'],
  [
    'digits that a limit cannot have',
    { ...INTEGER, maximum: limit('9007199254740993') },
    BEYOND,
    'Invalid value: 9007199254740993:  in body should be less than or equal to 9007199254740992',
  ],
  ['an integer beyond 2^53 below its limit', { ...INTEGER, maximum: 2 ** 60 }, BEYOND, undefined],
  ['a multiple that has no exact double', { ...NUMBER, multipleOf: 0.1 }, 0.3, undefined],
  ['no multiple', { ...NUMBER, multipleOf: 0.1 }, 0.25, 'Invalid value: 0.25:  in body should be a multiple of 0.1'],
  [
    'an integer and a factor below one',
    { ...NUMBER, multipleOf: 0.5 },
    1,
    'Invalid value: 0: factor MultipleOf declared for  must be positive: 0',
  ],
  ['an integer and a factor with a fraction', { ...NUMBER, multipleOf: 1.5 }, 2, undefined],
  [
    'an odd integer beyond 2^53',
    { ...INTEGER, multipleOf: 2 },
    BEYOND,
    'Invalid value: 9007199254740993:  in body should be a multiple of 2',
  ],
  [
    'an integer and a factor beyond 2^53',
    { ...INTEGER, multipleOf: 2 ** 60 },
    5,
    'Invalid value: 5:  in body should be a multiple of 1152921504606846976',
  ],
  ['more than a multiple can be', { ...NUMBER, multipleOf: 3 }, 3e21, 'Invalid value: 3e+21:  in body should be a multiple of 3'],
  [
    'all limits at once',
    { ...NUMBER, multipleOf: 3, maximum: 1, minimum: 9 },
    4,
    'Invalid value: 4:  in body should be a multiple of 3; Invalid value: 4:  in body should be greater than or equal to 9; Invalid value: 4:  in body should be less than or equal to 1',
  ],
  ['a text beside limits of numbers', { ...EITHER, maximum: 1 }, '5', undefined],
  ['a double that counts as whole', INTEGER, 3.000000001, undefined],
  ['a double that does not', INTEGER, 3.0001, 'Invalid value: "number":  in body must be of type integer: "number"'],
  [
    'a double below zero that counts as whole above it',
    INTEGER,
    -3.000000001,
    'Invalid value: "number":  in body must be of type integer: "number"',
  ],
  ['a double beyond integers', INTEGER, 1e21, 'Invalid value: "number":  in body must be of type integer: "number"'],
  ['a fraction among enumerated integers', { ...NUMBER, enum: [1, 2] }, 1.5, undefined],
  ['a number beside them', { ...NUMBER, enum: [1, 2] }, 3.5, 'Unsupported value: 3.5: supported values: "1", "2"'],
  ['an integer among enumerated doubles', { ...NUMBER, enum: [1.5] }, 1, 'Unsupported value: 1: supported values: "1.5"'],
  ['the number of an enumerated character', { ...EITHER, enum: ['A'] }, 65, undefined],
  ['the number of another', { ...EITHER, enum: ['A'] }, 66, 'Unsupported value: 66: supported values: "A"'],
  ['a number that is no character', { ...EITHER, enum: ['\ufffd'] }, -1, undefined],
  ['the first surrogate, which is no character', { ...EITHER, enum: ['\ufffd'] }, 0xd800, undefined],
  ['the last surrogate', { ...EITHER, enum: ['\ufffd'] }, 0xdfff, undefined],
  [
    'objects beside enumerated ones',
    { type: 'object', enum: [{ a: 1 }] },
    { a: 2 },
    'Unsupported value: map[string]interface {}{"a":2}: supported values: "{\\"a\\":1}"',
  ],
];

for (const [name, schema, value, told] of rows)
  test(name, () => {
    const findings = new SchemaCheck(schema).findings(value, undefined);
    assert.is(findings.length === 0 ? undefined : findings.map(({ message }) => message).join('; '), told);
  });

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formProblem } from '../../../codegen/read/form-problem.ts';

const test = suite('what breaks a form');

const rows: readonly (readonly [name: string, finding: Parameters<typeof formProblem>[0], text: string])[] = [
  [
    'names the key that is too much',
    { keyword: 'additionalProperties', params: { additionalProperty: 'minimun' }, message: 'must NOT have additional properties' },
    'must NOT have additional properties: minimun',
  ],
  [
    'lists the values that are allowed',
    { keyword: 'enum', params: { allowedValues: ['string', 'integer', 3] }, message: 'must be equal to one of the allowed values' },
    'must be equal to one of the allowed values: string, integer, 3',
  ],
  ['has the words of the validator else', { keyword: 'type', params: { type: 'string' }, message: 'must be string' }, 'must be string'],
  ['names the keyword where there are none', { keyword: 'type', params: {} }, 'breaks type'],
];
for (const [name, finding, text] of rows) test(name, () => assert.is(formProblem(finding), text));

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { settleManagedFields } from '../../../runtime/admission/request/admitted-managed-fields.ts';

const test = suite('managedFields after admission');

const ENTRY = {
  manager: 'm',
  operation: 'Update',
  apiVersion: 'v1',
  time: '2020-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': {} },
};
const WARNING =
  '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ';

interface Row {
  readonly name: string;
  readonly after: object[] | undefined;
  readonly left: object[] | undefined;
  readonly problem?: string;
}
const ROWS: readonly Row[] = [
  { name: 'the same once more', after: [{ ...ENTRY }], left: [ENTRY] },
  {
    name: 'another set',
    after: [{ ...ENTRY, fieldsV1: { 'f:b': {}, 'f:a': {}, 'x:other': {} } }],
    left: [{ ...ENTRY, fieldsV1: { 'f:a': {}, 'f:b': {} } }],
  },
  { name: 'no entry', after: [], left: undefined },
  { name: 'nothing', after: undefined, left: undefined },
  {
    name: 'one that is empty',
    after: [{}],
    left: [ENTRY],
    problem: 'operation must be `Apply` or `Update`',
  },
  {
    name: 'two mistakes, of which the first is told',
    after: [{ ...ENTRY, operation: 'x', fieldsType: 'y' }],
    left: [ENTRY],
    problem: 'operation must be `Apply` or `Update`',
  },
  {
    name: 'another type',
    after: [{ ...ENTRY, fieldsType: 'y' }],
    left: [ENTRY],
    problem: 'invalid fieldsType "y" in managed fields entry 0',
  },
  { name: 'no version', after: [{ ...ENTRY, apiVersion: '' }], left: [ENTRY], problem: 'apiVersion must not be empty' },
  {
    name: 'no type in the second',
    after: [ENTRY, { ...ENTRY, fieldsType: '' }],
    left: [ENTRY],
    problem: 'missing fieldsType in managed fields entry 1',
  },
];
for (const { name, after, left, problem } of ROWS)
  test(name, () => {
    const before = [ENTRY];
    const object = { kind: 'K', apiVersion: 'v1', metadata: { name: 'x', ...(after && { managedFields: after }) } };
    const warning = settleManagedFields(object, before);
    assert.is(warning, problem && `${WARNING}${problem}`);
    assert.equal(object.metadata.managedFields, left);
  });

test.run();

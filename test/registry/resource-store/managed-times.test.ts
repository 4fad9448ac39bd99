import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { entriesOfText } from '../../../runtime/apply/managed-entries.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { changesAnything } from '../../../runtime/registry/resource-store/managed-times.ts';

const entry = (time: string, field = 'f:a'): object => ({ manager: 'm', operation: 'Update', time, fieldsV1: { [field]: {} } });
/** As it is read from the store. */
const stored = (time: string): object =>
  entriesOfText(`[{"manager":"m","operation":"Update","time":"${time}","fieldsType":"FieldsV1","fieldsV1":{"f:a":{}}}]`)[0] as object;
const object = (managedFields: unknown[] | undefined, members: object = {}, metadata: object = {}): ApiObject => ({
  kind: 'X',
  apiVersion: 'v1',
  metadata: { name: 'a', ...(managedFields && { managedFields }), ...metadata },
  spec: { a: 1 },
  ...members,
});

const test = suite('writes that change nothing');

for (const { name, sent, old, changes } of [
  { name: 'the same', sent: object(undefined), old: object(undefined), changes: false },
  { name: 'absent members', sent: object(undefined, { status: undefined }), old: object(undefined, { data: undefined }), changes: false },
  { name: 'times of owners', sent: object([entry('2')]), old: object([entry('1')]), changes: false },
  { name: 'times of owners that were stored', sent: object([stored('2')]), old: object([stored('1')]), changes: false },
  { name: 'other fields of an owner', sent: object([entry('2', 'f:b')]), old: object([entry('1')]), changes: true },
  { name: 'an owner more', sent: object([entry('1'), entry('1')]), old: object([entry('1')]), changes: true },
  { name: 'no owners', sent: object(undefined), old: object([entry('1')]), changes: true },
  { name: 'a label', sent: object([entry('2')], {}, { labels: { a: 'b' } }), old: object([entry('1')]), changes: true },
  { name: 'an annotation less', sent: object(undefined), old: object(undefined, {}, { annotations: { a: 'b' } }), changes: true },
  { name: 'the spec', sent: object([entry('2')], { spec: { a: 2 } }), old: object([entry('1')]), changes: true },
  { name: 'a member more', sent: object(undefined, { status: {} }), old: object(undefined), changes: true },
])
  test(`${name}: ${changes ? 'a change' : 'none'}`, () => {
    const [given, before] = [sent.metadata.managedFields, old.metadata.managedFields];
    assert.is(changesAnything(sent, old), changes);
    assert.is(sent.metadata.managedFields, changes ? given : before, 'times stay with what is unchanged');
  });

test.run();

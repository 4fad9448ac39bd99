import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isOwnedOrDeleting, readOwnership, readUid } from '../../../runtime/controllers/garbage-collector/ownership.ts';
import { encodeStoredObject, StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { fillRevision } from '../../../runtime/storage/storage.ts';

const test = suite('ownership');

const stored = (metadata: object): StoredObject => {
  const object = {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'x', namespace: 'n', uid: 'own', ...metadata },
    data: { '"uid":"': 'x' },
  };
  const { bytes, revisionOffset } = encodeStoredObject(object, 1, []);
  fillRevision(bytes, revisionOffset, 42);
  return new StoredObject(bytes);
};
/** Earlier releases did not say in the header that an object has no owners. */
function ofEarlierRelease({ bytes }: StoredObject): StoredObject {
  const old = Buffer.from(bytes);
  old[1] = (old[1] as number) & 1;
  return new StoredObject(old);
}
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'owner' };
const deletionTimestamp = '2026-01-01T00:00:00Z';
const TRAP = '"uid":"trap","ownerReferences":[],"managedFields":[';

const rows: readonly [name: string, metadata: object, interesting: boolean, owners: number, finalizers: readonly string[]][] = [
  ['nothing', {}, false, 0, []],
  ['finalizers alone', { finalizers: ['e.com/f'] }, false, 0, ['e.com/f']],
  ['owners', { ownerReferences: [owner] }, true, 1, []],
  ['deletion', { deletionTimestamp, finalizers: ['orphan'] }, true, 0, ['orphan']],
  ['members that are text', { annotations: { a: TRAP }, labels: { b: 'c' } }, false, 0, []],
  ['text beside owners', { generateName: 'x-', annotations: { a: TRAP }, ownerReferences: [owner] }, true, 1, []],
  ['managed fields', { ownerReferences: [owner], managedFields: [{ manager: 'm', fieldsV1: { 'f:metadata': {} } }] }, true, 1, []],
  [
    'managed fields before the rest',
    { managedFields: [{ manager: 'm', fieldsV1: { 'f:metadata': {} } }], deletionTimestamp, finalizers: ['orphan'] },
    true,
    0,
    ['orphan'],
  ],
];
for (const [name, metadata, interesting, owners, finalizers] of rows)
  test(name, () => {
    const object = stored(metadata);
    assert.is(isOwnedOrDeleting(object), interesting);
    assert.is(isOwnedOrDeleting(ofEarlierRelease(object)), interesting);
    assert.is(readUid(object), 'own');
    const ownership = readOwnership(object);
    assert.is(ownership.uid, 'own');
    assert.is(ownership.resourceVersion, '42');
    assert.is(ownership.deleting, 'deletionTimestamp' in metadata);
    assert.is(ownership.owners.length, owners);
    assert.equal(ownership.finalizers, finalizers);
  });

test.run();

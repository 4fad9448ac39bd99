/** What is read of other servers' objects about their owners and their deletion, whatever such a server sends. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isOwned, ownedObject, ownedObjects } from '../../runtime/aggregation/owned-objects.ts';

const test = suite('who owns the objects of another server');
const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: '1' };
const PLAIN = { namespace: 'n', name: 'a', uid: '2', resourceVersion: '3', deleting: false, grace: 0, owners: [], finalizers: [] };
const METADATA = { namespace: 'n', name: 'a', uid: '2', resourceVersion: '3' };

const rows: [name: string, metadata: object, read: object, isTold: boolean][] = [
  ['without owners', {}, {}, false],
  ['with an owner', { ownerReferences: [OWNER] }, { owners: [OWNER] }, true],
  ['with a finalizer', { finalizers: ['x'] }, { finalizers: ['x'] }, false],
  [
    'that is going',
    { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 5, finalizers: ['orphan'] },
    { deleting: true, grace: 5, finalizers: ['orphan'] },
    true,
  ],
  ['of the cluster', { namespace: undefined }, { namespace: '' }, false],
  ['with owners that are none', { ownerReferences: [{ ...OWNER, uid: 1 }, 'x', null] }, {}, false],
  [
    'with members of wrong types',
    { ownerReferences: {}, finalizers: [1], deletionTimestamp: 1, deletionGracePeriodSeconds: 'x' },
    {},
    false,
  ],
];
for (const [name, metadata, read, isTold] of rows)
  test(`of an object ${name}`, () => {
    const object = ownedObject({ metadata: { ...METADATA, ...metadata } });
    assert.equal(object, { ...PLAIN, ...read });
    assert.is(object !== undefined && isOwned(object), isTold);
  });

test('of what is no object', () => {
  for (const value of [null, 'x', [], {}, { metadata: [] }]) assert.is(ownedObject(value), undefined, JSON.stringify(value));
});

test('of a page are those that are owned or going', () => {
  const items = [null, { metadata: METADATA }, { metadata: { ...METADATA, ownerReferences: [OWNER] } }];
  const body = Buffer.from(JSON.stringify({ metadata: { resourceVersion: '7', continue: 'more' }, items }));
  assert.equal(ownedObjects({ body }), { objects: [{ ...PLAIN, owners: [OWNER] }], resourceVersion: '7', next: 'more' });
  assert.equal(ownedObjects({ body: Buffer.from('{"items":1}') }), { objects: [], resourceVersion: '', next: '' });
  assert.throws(() => ownedObjects({ body: Buffer.from('[]') }), 'no object');
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ObjectMeta } from '../../../runtime/contract/object.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../../runtime/kinds/metadata/object-meta.ts';
import { dropDuplicateOwners } from '../../../runtime/kinds/metadata/owner-references.ts';
import { lines } from '../context.ts';

const test = suite('object metadata');

const options = { namespaced: true, nameFormat: 'dnsSubdomain' } as const;
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '1' };

const rows: [string, ObjectMeta, string[]][] = [
  ['a good one', { name: 'a', namespace: 'b', labels: { c: 'd' }, finalizers: ['e.com/f'], ownerReferences: [owner] }, []],
  ['no name', { namespace: 'b' }, ['metadata.name: Required value: name or generateName is required']],
  ['no namespace', { name: 'a' }, ['metadata.namespace: Required value']],
  [
    'a finalizer without a domain',
    { name: 'a', namespace: 'b', finalizers: ['x'] },
    ['metadata.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified'],
  ],
  ['standard finalizers', { name: 'a', namespace: 'b', finalizers: ['kubernetes', 'orphan'] }, []],
  [
    'two ways to deal with dependents',
    { name: 'a', namespace: 'b', finalizers: ['orphan', 'foregroundDeletion'] },
    [
      'metadata.finalizers: Invalid value: []string{"orphan", "foregroundDeletion"}: finalizer orphan and foregroundDeletion cannot be both set',
    ],
  ],
  [
    'a negative generation',
    { name: 'a', namespace: 'b', generation: -1 },
    ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'owners without a version, a kind, a name and a uid',
    { name: 'a', namespace: 'b', ownerReferences: [{ apiVersion: 'a/b/c', kind: '', name: '', uid: '' }] },
    [
      'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": kind must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": name must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": uid must not be empty',
    ],
  ],
];
for (const [name, metadata, expected] of rows)
  test(`validates ${name}`, () => assert.equal(lines(validateObjectMeta(metadata, options)), expected));

test('two controllers, and an event as an owner', () => {
  const two = validateObjectMeta(
    {
      name: 'a',
      namespace: 'b',
      ownerReferences: [
        { ...owner, controller: true },
        { ...owner, name: 'c', controller: true },
      ],
    },
    options,
  );
  assert.ok(two[0]?.message.includes('Only one reference can have Controller set to true'));
  const event = validateObjectMeta({ name: 'a', namespace: 'b', ownerReferences: [{ ...owner, kind: 'Event', name: '\u0001' }] }, options);
  assert.ok(event[0]?.message.endsWith('is disallowed from being an owner'));
  assert.ok(
    event[0]?.message.startsWith('Invalid value: v1.OwnerReference{APIVersion:"v1", Kind:"Event", Name:"\\x01"'),
    'in the notation of Go',
  );
  assert.ok(event[0]?.message.includes(', Controller:(*bool)(nil), BlockOwnerDeletion:(*bool)(nil)}: /v1, Kind=Event'));
  assert.match(two[0]?.message ?? '', /^Invalid value: \[\]v1\.OwnerReference\{v1\.OwnerReference\{.*Controller:\(\*bool\)\(0xc/);
});

test('a cluster-scoped object has no namespace', () =>
  assert.equal(lines(validateObjectMeta({ name: 'a', namespace: 'b' }, { ...options, namespaced: false })), [
    'metadata.namespace: Forbidden: not allowed on this type',
  ]));

const stored: ObjectMeta = { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '1', generation: 2 };

const changes: [string, ObjectMeta, ObjectMeta, string[]][] = [
  ['nothing', stored, stored, []],
  ['another uid', { ...stored, uid: 'v' }, stored, ['metadata.uid: Invalid value: "v": field is immutable']],
  ['an older generation', { ...stored, generation: 1 }, stored, ['metadata.generation: Invalid value: 1: must not be decremented']],
  [
    'times of a deletion',
    { ...stored, deletionTimestamp: '2001-02-03T04:05:06Z', deletionGracePeriodSeconds: 7 },
    stored,
    [
      'metadata.deletionTimestamp: Invalid value: 2001-02-03 04:05:06 +0000 UTC: field is immutable',
      'metadata.deletionGracePeriodSeconds: Invalid value: 7: field is immutable',
    ],
  ],
  [
    'a new finalizer of a deleted object',
    { ...stored, deletionTimestamp: 't', finalizers: ['a/b', 'c/d', 'c/\u0001'] },
    { ...stored, deletionTimestamp: 't', finalizers: ['a/b'] },
    [
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c/\\x01", "c/d"}',
    ],
  ],
];
for (const [name, metadata, old, expected] of changes)
  test(`a change: ${name}`, () => assert.equal(lines(validateObjectMetaUpdate(metadata, old, false)), expected));

test('owners that say the same are kept once', () => {
  const metadata: ObjectMeta = { ownerReferences: [owner, { ...owner }, { ...owner, controller: true }] };
  assert.ok(dropDuplicateOwners(metadata, 'sent')?.endsWith('duplicate UID(s) observed: 1'));
  assert.equal(metadata.ownerReferences, [owner, { ...owner, controller: true }]);
  assert.is(dropDuplicateOwners(metadata, 'admitted'), undefined);
  assert.is(dropDuplicateOwners({}, 'sent'), undefined);
});

test.run();

/** What objects say of the servers, and what follows of it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { entriesOf, withEntries, withEntry } from '../../../runtime/controllers/storage-versions/server-entries.ts';

const test = suite('entries of servers in storage versions');

const EARLY = Date.UTC(2026, 0, 1);
const LATE = Date.UTC(2026, 0, 2);
const text = (now: number): string => new Date(now).toISOString().replace('.000', '');

const object = (generation?: number): ApiObject => ({
  apiVersion: 'internal.apiserver.k8s.io/v1alpha1',
  kind: 'StorageVersion',
  metadata: { name: 'core.pods', ...(generation && { generation }) },
  spec: {},
  status: {},
});
const entry = (apiServerID: string, encodingVersion = 'v1') => ({
  apiServerID,
  encodingVersion,
  decodableVersions: ['v1', 'v2'],
  servedVersions: ['v1'],
});
const ids = (of: ApiObject): unknown[] => entriesOf(of).map(({ apiServerID }) => apiServerID);
const SET = {
  type: 'AllEncodingVersionsEqual',
  status: 'True',
  reason: 'CommonEncodingVersionSet',
  message: 'Common encoding version set',
};
const UNSET = {
  type: 'AllEncodingVersionsEqual',
  status: 'False',
  reason: 'CommonEncodingVersionUnset',
  message: 'Common encoding version unset',
};

test('the first entry', () => {
  const { status } = withEntry(object(), entry('a'), EARLY);
  assert.equal(status, {
    storageVersions: [entry('a')],
    commonEncodingVersion: 'v1',
    conditions: [{ ...SET, lastTransitionTime: text(EARLY) }],
  });
});
test('another server that stores the same changes nothing else', () => {
  const { status } = withEntry(withEntry(object(), entry('a'), EARLY), entry('b'), LATE);
  assert.equal([status.commonEncodingVersion, status.conditions], ['v1', [{ ...SET, lastTransitionTime: text(EARLY) }]]);
});
test('one that stores something else: there is nothing in common', () => {
  const { status } = withEntry(withEntry(object(), entry('a'), EARLY), entry('b', 'v2'), LATE);
  assert.not('commonEncodingVersion' in status);
  assert.equal(status.conditions, [{ ...UNSET, lastTransitionTime: text(LATE) }]);
});
test('an entry takes the place of the one before', () => {
  const both = withEntry(withEntry(object(), entry('a'), EARLY), entry('b'), EARLY);
  const changed = withEntry(both, entry('a', 'v2'), LATE);
  assert.equal(ids(changed), ['a', 'b']);
  assert.is(entriesOf(changed)[0]?.encodingVersion, 'v2');
  assert.equal(ids(both), ['a', 'b']);
  assert.is(entriesOf(both)[0]?.encodingVersion, 'v1');
});
test('another common version is a transition, though the condition holds before and after', () => {
  const { status } = withEntry(withEntry(object(), entry('a'), EARLY), entry('a', 'v2'), LATE);
  assert.equal([status.commonEncodingVersion, status.conditions], ['v2', [{ ...SET, lastTransitionTime: text(LATE) }]]);
});
test('the condition is about the generation, and other conditions stay', () => {
  const other = { type: 'Other', status: 'True', reason: 'a', message: 'b' };
  const { status } = withEntry({ ...object(3), status: { conditions: [other] } }, entry('a'), EARLY);
  assert.equal(status.conditions, [other, { ...SET, observedGeneration: 3, lastTransitionTime: text(EARLY) }]);
  const { status: later } = withEntry({ ...object(), status }, entry('a'), LATE);
  assert.equal(later.conditions, [other, { ...SET, lastTransitionTime: text(EARLY) }]);
});
test('what is left of several', () => {
  const both = withEntry(withEntry(object(), entry('a'), EARLY), entry('b', 'v2'), EARLY);
  const { status } = withEntries(both, entriesOf(both).slice(1), LATE);
  assert.equal([status.commonEncodingVersion, status.conditions], ['v2', [{ ...SET, lastTransitionTime: text(LATE) }]]);
});

test.run();

/** Entries of managers: which are understood, in which order they stand, and how many there may be. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  capped,
  changedEntries,
  isReset,
  managedFieldsOf,
  managersOf,
  readSentManagers,
  readStoredManagers,
} from '../../runtime/apply/managers.ts';

const test = suite('managers of fields');

const ENTRY = { manager: 'a', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:a': {} } };
const entry = (parts: object): object => ({ ...ENTRY, ...parts });
const without = (name: keyof typeof ENTRY): object => Object.fromEntries(Object.entries(ENTRY).filter(([each]) => each !== name));

const refused: readonly [name: string, entry: object, message: string][] = [
  ['another operation', entry({ operation: 'Create' }), 'operation must be `Apply` or `Update`'],
  ['no operation', without('operation'), 'operation must be `Apply` or `Update`'],
  ['no version', entry({ apiVersion: '' }), 'apiVersion must not be empty'],
  ['no type of fields', without('fieldsType'), 'missing fieldsType in managed fields entry 1'],
  ['another type of fields', entry({ fieldsType: 'a"b' }), 'invalid fieldsType "a\\"b" in managed fields entry 1'],
];
for (const [name, wrong, message] of refused) {
  test(`a plugin may not leave ${name}`, () =>
    assert.throws(
      () => changedEntries([ENTRY, wrong]),
      (error: Error) => error.message === message,
    ));
  test(`entries with ${name} are not understood`, () => assert.is(readSentManagers([ENTRY, wrong]), undefined));
}

test('sets that cannot be read are not understood', () => {
  const wrong = entry({ fieldsV1: { 'k:[': {} } });
  assert.throws(() => changedEntries([wrong]), /^error decoding set: /);
  assert.is(readSentManagers([wrong]), undefined);
});

test('entries are told apart by all but their times and fields, and those of applies by their versions neither', () => {
  const count = (...entries: object[]) => readSentManagers(entries)?.size;
  assert.is(count(ENTRY, entry({ time: '2020-01-01T00:00:00Z', fieldsV1: {} })), 1);
  for (const other of [{ manager: 'b' }, { operation: 'Apply' }, { apiVersion: 'v2' }, { subresource: 'status' }, { manager: '' }])
    assert.is(count(ENTRY, entry(other)), 2, JSON.stringify(other));
  assert.is(count(entry({ operation: 'Apply' }), entry({ operation: 'Apply', apiVersion: 'v2' })), 1);
});

test('entries stand by operation, time, name, version and subresource, and leave out what is empty', () => {
  const time = '2020-01-01T00:00:00Z';
  const sorted = [
    entry({ operation: 'Apply', manager: 'z', time: '2021-01-01T00:00:00Z' }),
    without('manager'),
    entry({ manager: 'z' }),
    entry({ time }),
    entry({ time, subresource: 'scale' }),
    entry({ time, subresource: 'status' }),
    entry({ time, apiVersion: 'v2' }),
    entry({ time, manager: 'b' }),
  ];
  assert.equal(managedFieldsOf(readSentManagers(sorted.toReversed()) ?? managersOf([])), sorted);
  assert.equal(managedFieldsOf(readStoredManagers(sorted.toReversed())), sorted);
  assert.is(managedFieldsOf(managersOf([])), undefined);
  assert.is(readStoredManagers(undefined).size, 0);
});

const resets: readonly [name: string, entries: readonly unknown[] | undefined, isReset: boolean][] = [
  ['no list', undefined, false],
  ['an empty list', [], true],
  ['an empty entry', [{}], true],
  ['an entry', [ENTRY], false],
  ['two empty entries', [{}, {}], false],
];
for (const [name, entries, expected] of resets)
  test(`what asks to forget all owners: ${name}`, () => assert.is(isReset(entries), expected));

const updaters = (count: number, parts: (index: number) => object = () => ({})): object[] =>
  Array.from({ length: count }, (_, index) =>
    entry({ manager: `m${index}`, time: `2020-01-01T00:00:${10 + index}Z`, fieldsV1: { [`f:${index}`]: {} }, ...parts(index) }),
  );
const kept = (entries: readonly object[]) =>
  (managedFieldsOf(capped(readStoredManagers(entries))) as (typeof ENTRY & { time: string })[]).map(
    ({ manager, apiVersion, time, fieldsV1 }) => `${manager} ${apiVersion} ${time.slice(-3, -1)} ${Object.keys(fieldsV1)}`,
  );

test('ten managers of updates stay as they are, beside any number of those that apply', () => {
  assert.is(kept([...updaters(10), ...updaters(12, () => ({ operation: 'Apply' }))]).length, 22);
});

test('of more the oldest become one, which is as old as the last of them', () => {
  const all = kept(updaters(12).toReversed());
  assert.is(all.length, 10);
  assert.equal(all.slice(0, 2), ['ancient-changes v1 12 f:0,f:1,f:2', 'm3 v1 13 f:3']);
});

test('the oldest become one for each version, and their subresources are forgotten', () => {
  const all = kept(updaters(12, (index) => ({ apiVersion: `v${1 + (index % 2)}`, subresource: 'status' })));
  assert.equal(all.slice(0, 3), ['ancient-changes v1 12 f:0,f:2', 'ancient-changes v2 13 f:1,f:3', 'm4 v1 14 f:4']);
  assert.is(all.length, 10);
});

test('a version with one old manager keeps it', () => {
  const all = kept(updaters(11, (index) => (index === 0 ? { apiVersion: 'v2' } : {})));
  assert.equal(all.slice(0, 3), ['m0 v2 10 f:0', 'ancient-changes v1 12 f:1,f:2', 'm3 v1 13 f:3']);
});

test('older ones join those that have become one before', () => {
  const once = updaters(11, (index) => (index === 0 ? { manager: 'ancient-changes' } : {}));
  assert.equal(kept(once).slice(0, 2), ['ancient-changes v1 11 f:0,f:1', 'm2 v1 12 f:2']);
});

test.run();

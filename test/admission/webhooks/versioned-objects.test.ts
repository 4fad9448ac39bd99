/** What webhooks are shown of an object is its JSON, though who owns which fields is there as text. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AdmissionAttributes } from '../../../runtime/admission/request/attributes.ts';
import { VersionedObjects } from '../../../runtime/admission/webhooks/versioned-objects.ts';
import { entriesOfText, entryText } from '../../../runtime/apply/managed-entries.ts';

const KIND = { group: '', version: 'v1', kind: 'ConfigMap' };
const kind: Record<string, unknown> = { ...KIND };
kind.hub = kind;

async function shown(object: object | undefined): Promise<unknown> {
  const versions = new VersionedObjects({ kind, object, old: undefined } as unknown as AdmissionAttributes);
  const { objectText, oldText } = await versions.of(KIND);
  assert.is(oldText, 'null');
  return JSON.parse(objectText);
}

const entry = { manager: 'a "b"', operation: 'Update', apiVersion: 'v1', time: '2026-01-01T00:00:00Z', fieldsType: 'FieldsV1' };
const fieldsV1 = { 'f:data': { '.': {}, 'f:ü': {} } };
/** as this server makes them: with their text */
const written = () =>
  [
    { ...entry, fieldsV1 },
    { ...entry, fieldsV1, subresource: 'status' },
  ].map((each) => {
    entryText(each);
    return each;
  });
const stored = () => entriesOfText(`[${written().map(entryText).join(',')}]`);

const rows: [name: string, object: () => object | undefined][] = [
  ['nothing', () => undefined],
  ['no metadata', () => ({ kind: 'PodExecOptions', stdin: true })],
  ['nobody who owns fields', () => ({ kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'ü' } })],
  ['an empty list of owners', () => ({ metadata: { name: 'a', managedFields: [] }, data: {} })],
  ['owners alone', () => ({ metadata: { managedFields: written() } })],
  [
    'owners as they are written',
    () => ({ kind: 'ConfigMap', metadata: { name: 'a', managedFields: written(), labels: {} }, data: { a: 'b' } }),
  ],
  ['owners as they are stored', () => ({ kind: 'ConfigMap', metadata: { name: 'a', managedFields: stored() }, 'a"b': [1, null] })],
  ['owners that a client has made up', () => ({ metadata: { name: 'a', managedFields: [{ ...entry, fieldsV1 }, { manager: 'x' }] } })],
  ['what is no list of owners', () => ({ metadata: { name: 'a', managedFields: null } })],
  ['members that are not there', () => ({ metadata: { name: 'a', uid: undefined, managedFields: stored() }, data: undefined })],
];

const test = suite('objects that webhooks are shown');
for (const [name, object] of rows)
  test(`with ${name}`, async () => {
    const given = object();
    assert.equal(await shown(given), JSON.parse(JSON.stringify(given ?? null)));
  });
test.run();

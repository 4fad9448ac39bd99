import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Masking, maskBody, observe, readBody } from './observation.ts';
import { mark, valueAt } from './pointers.ts';
import { Variables } from './variables.ts';

const UID = '0a1b2c3d-1111-2222-3333-444455556666';

function masking(more: Partial<Masking> = {}, kept: Record<string, string> = {}): Masking {
  const variables = new Variables('c123456789', new Map([['fingerprint.bob', 'ab'.repeat(32)]]));
  for (const [name, value] of Object.entries(kept)) variables.keep(name, value);
  return { variables, managedFields: false, ignore: [], ...more };
}

const bodies = suite('what differs from run to run');
const rows: [name: string, value: unknown, shown: unknown, masking?: Masking][] = [
  ['uids and resource versions', { uid: UID, resourceVersion: '12' }, { uid: '<uid>', resourceVersion: '<rv>' }],
  ['an empty resource version stays', { resourceVersion: '' }, { resourceVersion: '' }],
  [
    'times of members',
    { creationTimestamp: '2026-01-01T00:00:00Z', eventTime: 'x' },
    { creationTimestamp: '<time>', eventTime: '<eventTime>' },
  ],
  ['null stays', { creationTimestamp: null }, { creationTimestamp: null }],
  ['times and uids inside of texts', [`at 2026-01-01T00:00:00.5+01:00 by ${UID}`], ['at <time> by <uid>']],
  ['addresses', { clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7'] }, { clusterIP: '<ip>', clusterIPs: ['<ip>'] }],
  ['a service without an address says so', { clusterIP: 'None' }, { clusterIP: 'None' }],
  ['ports that are chosen', { nodePort: 30_001, port: 80 }, { nodePort: '<port>', port: 80 }],
  ['names of the conversation', { name: 'a-c123456789', namespace: 'conf-c123456789' }, { name: 'a-{{u}}', namespace: 'conf-{{u}}' }],
  ['what was kept, as a whole', { name: '7' }, { name: '{{seven}}' }, masking({}, { seven: '7' })],
  ['what was kept goes before a placeholder', { uid: UID }, { uid: '{{id}}' }, masking({}, { id: UID })],
  [
    'short texts and numbers inside of others stay',
    { a: 'x7', b: 'y1234567' },
    { a: 'x7', b: 'y1234567' },
    masking({}, { s: '7', n: '1234567' }),
  ],
  ['what all conversations know', [`X509SHA256=${'ab'.repeat(32)}`], ['X509SHA256={{fingerprint.bob}}']],
  ['who manages fields is left out', { metadata: { name: 'a', managedFields: [] } }, { metadata: { name: 'a' } }],
  ['or kept', { managedFields: [{ time: 'x' }] }, { managedFields: [{ time: '<time>' }] }, masking({ managedFields: true })],
  [
    'what is ignored',
    { a: { b: 1, c: 2 }, d: [{ e: 1 }] },
    { a: { b: '<ignored>', c: 2 }, d: [{ e: '<ignored>' }] },
    masking({ ignore: ['/a/b', '/d/*/e', '/x'] }),
  ],
];
for (const [name, value, shown, how = masking()] of rows) bodies(name, () => assert.equal(maskBody(value, how), shown));
bodies.run();

const answers = suite('answers');
const typed = (type: string, text: string) => ({ headers: { 'content-type': type }, bytes: Buffer.from(text) });
const read: [name: string, type: string, text: string, value: unknown][] = [
  ['JSON', 'application/json; charset=utf-8', '{"a":1}', { a: 1 }],
  ['a form of JSON', 'application/apply-patch+json', '[]', []],
  ['JSON that is none', 'application/json', '', { '<unparsable>': '' }],
  ['text', 'text/plain', 'ok', 'ok'],
  ['protobuf', 'application/vnd.kubernetes.protobuf', 'k8s\0rest', { '<protobuf>': '6b387300', length: '<some>' }],
  ['protobuf that ends with its prefix', 'application/vnd.kubernetes.protobuf', 'k8s\0', { '<protobuf>': '6b387300', length: 0 }],
];
for (const [name, type, text, value] of read) answers(name, () => assert.equal(readBody(typed(type, text)), value));
answers('have the headers that clients act on', () => {
  const headers = { 'content-type': 'text/plain', date: 'today', location: '/a-c123456789' };
  assert.equal(observe({ status: 200, headers, bytes: Buffer.from('') }, masking()), {
    status: 200,
    headers: { 'content-type': 'text/plain', location: '/a-{{u}}' },
    body: '',
  });
});
answers.run();

const pointers = suite('JSON pointers');
const value = { a: [{ 'x/y': 1 }], '~': 2 };
const places: [pointer: string, found: unknown][] = [
  ['', value],
  ['/a/0/x~1y', 1],
  ['/~0', 2],
  ['/a/1/x', undefined],
  ['/b/c/d', undefined],
];
for (const [pointer, found] of places) pointers(`"${pointer}"`, () => assert.equal(valueAt(value, pointer), found));
pointers('mark what is there and add nothing', () => {
  const marked = { a: [{ b: 1 }, { c: 2 }], d: {} };
  for (const pointer of ['/a/*/b', '/d/e', '/f', '']) mark(marked, pointer, '!');
  assert.equal(marked, { a: [{ b: '!' }, { c: 2 }], d: {} });
});
pointers.run();

const variables = suite('variables');
variables('are filled in', () => assert.is(masking({}, { a: 'b' }).variables.fill('{{ns}}/{{a}}/{{u}}'), 'conf-c123456789/b/c123456789'));
variables('that nothing was kept by are refused', () => assert.throws(() => masking().variables.fill('{{a}}'), /nothing was kept as a$/));
variables.run();

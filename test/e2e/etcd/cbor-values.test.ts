/** Custom resources in etcd in CBOR, as a kube-apiserver has them behind its feature gate: one server writes it, another one reads it without the gate. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeCborDocument } from '../../../runtime/schema/cbor/encode.ts';
import { readCbor } from '../../harness/cbor.ts';
import { encryptionConfiguration, encryptionKey, writePrivately } from '../../harness/encryption.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { answered, eventually, putValue, startOver, stopAll, valueAt } from './over-etcd.ts';

const test = suite('CBOR in etcd');

const etcd = await startEtcd();
const store = etcd.client();
const open = await startOver(etcd, ['--feature-gates=CBORServingAndStorage=true']);
const closed = await startOver(etcd);
test.after(async () => {
  store.close();
  await stopAll(etcd, open, closed);
});

const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const keyOf = (name: string): string => `/registry/example.com/widgets/default/${name}`;
const widget = (name: string, spec: object): object => ({ kind: 'Widget', apiVersion: 'example.com/v1', metadata: { name }, spec });
const MARK = 'd9d9f7';
const beginning = async (name: string): Promise<string | undefined> =>
  (await valueAt(store, keyOf(name)))?.value.subarray(0, 3).toString('hex');

test.before(async () => {
  const schema = { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } };
  const names = { plural: 'widgets', kind: 'Widget' };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  await answered(
    201,
    open.client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'widgets.example.com' },
      spec: { group: 'example.com', scope: 'Namespaced', names, versions },
    }),
  );
  for (const { client } of [open, closed])
    await eventually(
      () => client.get(WIDGETS),
      ({ status }) => status === 200,
    );
});

test('what one server has written another one reads, changes, and writes in its own form', async () => {
  const spec = { size: 3, ratio: 0.5, big: 9_007_199_254_740_991, deep: [{ a: null }] };
  const made = await answered(201, open.client.post(WIDGETS, widget('a', spec)));
  assert.is(await beginning('a'), MARK);
  const { value } = (await valueAt(store, keyOf('a'))) ?? {};
  assert.equal(readCbor(value as Buffer).spec, spec);
  assert.is(readCbor(value as Buffer).metadata.resourceVersion, undefined);
  assert.equal(await answered(200, closed.client.get(`${WIDGETS}/a`)), made);
  const { items } = await answered(200, closed.client.get(WIDGETS));
  assert.equal(items, [made]);
  await answered(200, closed.client.put(`${WIDGETS}/a`, { ...made, spec: { ...spec, size: 4 } }));
  assert.is(await beginning('a'), Buffer.from('{"a').toString('hex'));
  const back = await eventually(
    () => open.client.get(`${WIDGETS}/a`),
    ({ body }) => body.spec.size === 4,
  );
  // a write that changes nothing changes the form
  await answered(200, open.client.put(`${WIDGETS}/a`, back.body));
  assert.is(await beginning('a'), MARK);
});

test('what others have put there is watched', async () => {
  const { metadata } = await answered(200, closed.client.get(`${WIDGETS}?limit=1`));
  const watch = await closed.client.watch(`${WIDGETS}?watch=1&resourceVersion=${metadata.resourceVersion}`);
  const theirs = {
    ...widget('theirs', { size: 1 }),
    metadata: { name: 'theirs', namespace: 'default', uid: 'u', creationTimestamp: '2024-02-29T12:00:00Z' },
  };
  await putValue(store, keyOf('theirs'), encodeCborDocument(theirs));
  const { type, object } = await watch.next();
  watch.close();
  assert.is(type, 'ADDED');
  assert.equal(object.spec, { size: 1 });
});

const theirs = (name: string, spec: object): object => ({
  ...widget(name, spec),
  metadata: { name, namespace: 'default', uid: 'u', creationTimestamp: '2024-02-29T12:00:00Z', generation: 1 },
});

test('numbers of others are shown as JSON has them, and what changes nothing writes nothing', async () => {
  // {"ratio": 2.0, "any": [1.5, 1e300, -1.0]}
  const spec = Buffer.from('a2' + '45726174696f' + 'f94000' + '43616e79' + '83f93e00fb7e37e43c8800759cf9bc00', 'hex');
  const value = encodeCborDocument(theirs('numbers', { here: true }));
  const here = encodeCborDocument({ here: true }).subarray(MARK.length / 2);
  const at = value.indexOf(here);
  await putValue(store, keyOf('numbers'), Buffer.concat([value.subarray(0, at), spec, value.subarray(at + here.length)]));
  const { body, text } = await eventually(
    () => open.client.get(`${WIDGETS}/numbers`),
    ({ status }) => status === 200,
  );
  assert.ok(text.includes('"spec":{"any":[1.5,1e+300,-1],"ratio":2}'), text);
  const again = await answered(200, open.client.put(`${WIDGETS}/numbers`, body));
  assert.is(again.metadata.resourceVersion, body.metadata.resourceVersion);
  assert.is((await answered(200, closed.client.get(`${WIDGETS}/numbers`))).spec.ratio, 2);
});

test('what nobody could read again is JSON, and stays as it is', async () => {
  let deep: unknown = 1;
  for (let i = 0; i < 100; i++) deep = [deep];
  for (const [name, spec] of [
    ['deep', { deep }],
    ['long', { long: Array.from({ length: 2000 }, (_, i) => i) }],
  ] as const) {
    const made = await answered(201, open.client.post(WIDGETS, widget(name, spec)));
    assert.is(await beginning(name), Buffer.from('{"k').toString('hex'));
    assert.equal(await answered(200, open.client.put(`${WIDGETS}/${name}`, made)), made);
    const { bytes } = await open.client.get(`${WIDGETS}/${name}`, { accept: 'application/cbor' });
    assert.equal(readCbor(bytes), made);
  }
});

test('encrypted, and read by who begins anew after the writer was killed, with the gate the other way', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cbor-encryption-'));
  const file = path.join(folder, 'encryption.json');
  const provider = { aescbc: { keys: [encryptionKey('key1', 1)] } };
  writePrivately(file, encryptionConfiguration('kubernetes', ['widgets.example.com'], provider, { identity: {} }));
  const flags = [`--encryption-provider-config=${file}`];
  const gate = '--feature-gates=CBORServingAndStorage=true';
  const writer = await startOver(etcd, [...flags, gate, '--workers=2']);
  await answered(201, writer.client.post(WIDGETS, widget('secret', { text: 'plain-content' })));
  const { value } = (await valueAt(store, keyOf('secret'))) ?? {};
  assert.is(value?.subarray(0, 24).toString('latin1'), 'k8s:enc:aescbc:v1:key1:'.padEnd(24, value?.toString('latin1', 23, 24)));
  assert.not.ok(value?.includes('plain-content'));
  const before = await answered(200, writer.client.get(WIDGETS));
  writer.client.close();
  await writer.server.kill();
  const reader = await startOver(etcd, flags);
  const listed = await eventually(
    () => reader.client.get(WIDGETS),
    ({ status }) => status === 200,
  );
  assert.equal(listed.body.items, before.items);
  // in either form, encrypted or not
  const watch = await reader.client.watch(`${WIDGETS}?watch=1`);
  for (const item of before.items) assert.equal((await watch.next()).object, item);
  watch.close();
  reader.client.close();
  await reader.server.stop();
  rmSync(folder, { recursive: true, force: true });
});

test.run();

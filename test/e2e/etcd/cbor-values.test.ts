/** Custom resources in etcd in CBOR, as a kube-apiserver has them behind its feature gate: one server writes it, another one reads it without the gate. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeCborDocument } from '../../../runtime/schema/cbor/encode.ts';
import { readCbor } from '../../harness/cbor.ts';
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
  assert.is(await beginning('a'), Buffer.from('{"k').toString('hex'));
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

test.run();

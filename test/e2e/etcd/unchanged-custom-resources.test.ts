/** Custom resources that a server finds in etcd when it starts: an update that changes nothing writes those alone that would be stored otherwise now. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../harness/client.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { answered, eventually, putValue, type ServerOver, startOver, stopAll, valueAt } from './over-etcd.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GROUP = 'found.example';
const PATH = `/apis/${GROUP}/v1/finds`;
const keyOf = (name: string): string => `/registry/${GROUP}/finds/${name}`;

const spec = {
  type: 'object',
  properties: {
    by: { type: 'string', default: 'schema' },
    port: { 'x-kubernetes-int-or-string': true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    long: { type: 'string' },
  },
};
const version = (name: string, storage: boolean): object => ({
  name,
  storage,
  served: true,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
});
const DEFINITION = {
  metadata: { name: `finds.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Cluster',
    names: { plural: 'finds', singular: 'find', kind: 'Find', listKind: 'FindList' },
    versions: [version('v1', true), version('v1beta1', false)],
  },
};
const find = (name: string, members: object, apiVersion = 'v1'): object => ({
  apiVersion: `${GROUP}/${apiVersion}`,
  kind: 'Find',
  metadata: { name, labels: { b: '1', a: '2' }, finalizers: ['found.example/kept'] },
  spec: members,
});

const test = suite('custom resources in etcd that an update leaves as they are');
const etcd = await startEtcd();
const store = etcd.client();
let over: ServerOver | undefined;
test.after(async () => {
  store.close();
  await stopAll(etcd, over);
});

/** Starts a server, after the one before has stopped. */
async function restart(flags: readonly string[]): Promise<ServerOver> {
  over?.client.close();
  await over?.server.stop();
  over = await startOver(etcd, flags);
  return over;
}

/** What an update with just what is read does to the object. */
async function unchangedUpdate({ client }: ServerOver, name: string): Promise<'written' | 'left'> {
  const { body: old } = await eventually(
    () => client.get(`${PATH}/${name}`),
    ({ status }) => status === 200,
  );
  const updated: Json = await answered(200, client.put(`${PATH}/${name}`, old));
  assert.equal(
    { ...updated, metadata: { ...updated.metadata, resourceVersion: undefined } },
    { ...old, metadata: { ...old.metadata, resourceVersion: undefined } },
  );
  const found = await valueAt(store, keyOf(name));
  assert.is(String(found?.modRevision), updated.metadata.resourceVersion);
  return updated.metadata.resourceVersion === old.metadata.resourceVersion ? 'left' : 'written';
}

const WRITTEN_HERE: readonly (readonly [string, object])[] = [
  ['plain', { port: '5%' }],
  ['free', { free: { z: [1, 1.5, {}, []], a: { b: null } } }],
  ['long', { long: 'x'.repeat(300_000) }],
];

for (const flags of [[], ['--feature-gates=CBORServingAndStorage=true']]) {
  test(`what the server before has written stays ${flags.join()}`, async () => {
    const { client } = await restart(flags);
    const defined = await client.get(`${DEFINITIONS}/finds.${GROUP}`);
    if (defined.status === 404) await answered(201, client.post(DEFINITIONS, DEFINITION));
    await eventually(
      () => client.get(PATH),
      ({ status }) => status === 200,
    );
    const names = WRITTEN_HERE.map(([name]) => `${name}-${flags.length}`);
    for (const [at, [, members]] of WRITTEN_HERE.entries()) await answered(201, client.post(PATH, find(names[at] as string, members)));
    const next = await restart(flags);
    for (const name of names) assert.is(await unchangedUpdate(next, name), 'left', name);
  });
}

const WRITTEN_BY_OTHERS: readonly (readonly [string, object, 'written' | 'left'])[] = [
  ['complete', find('complete', { by: 'them' }), 'left'],
  ['without-a-default', find('without-a-default', {}), 'written'],
  ['with-what-nobody-knows', find('with-what-nobody-knows', { by: 'them', other: 1 }), 'written'],
  ['of-another-version', find('of-another-version', { by: 'them' }, 'v1beta1'), 'written'],
];

test('what others have put there is written once, if it would be stored otherwise now', async () => {
  for (const [name, object] of WRITTEN_BY_OTHERS) {
    const { metadata, ...rest } = object as Json;
    const given = { ...metadata, uid: '5c4a1f0e-0d5b-4a3e-9d53-3a1d0b0f5c11', creationTimestamp: '2024-02-29T12:00:00Z', generation: 1 };
    await putValue(store, keyOf(name), Buffer.from(JSON.stringify({ ...rest, metadata: given })));
  }
  const next = await restart([]);
  for (const [name, , does] of WRITTEN_BY_OTHERS) {
    assert.is(await unchangedUpdate(next, name), does, name);
    assert.is(await unchangedUpdate(next, name), 'left', `${name}, again`);
  }
});

test.run();

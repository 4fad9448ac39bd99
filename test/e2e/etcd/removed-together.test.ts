/** Keys that others remove together, in one transaction or with a lease: each of the objects is gone for whoever follows it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../harness/client.ts';
import { startEtcd } from '../../harness/etcd.ts';
import type { Watch, WatchEvent } from '../../harness/watch.ts';
import { answered, configMap, startOver, stopAll, valueAt } from './over-etcd.ts';

const test = suite('keys of etcd that go together');

const etcd = await startEtcd();
const store = etcd.client();
const [one, two] = await Promise.all([startOver(etcd, ['--controllers=-*']), startOver(etcd, ['--workers=2', '--controllers=-*'])]);
const { client } = one;
test.after(async () => {
  store.close();
  await stopAll(etcd, one, two);
});

const PATHS = ['default', 'kube-public'].map((namespace) => `/api/v1/namespaces/${namespace}/configmaps`) as [string, string];
const KEY = '/registry/configmaps/';
const COUNT = 40;
/** Both servers keep an object there that says whom they trust, and change it behind their starts. */
const OTHERS = 'fieldSelector=metadata.namespace!%3Dkube-system';

const isOfSet = ({ metadata }: Json): boolean => metadata.namespace !== 'kube-system';

const take = async (watch: Watch, count: number): Promise<WatchEvent[]> => {
  const events: WatchEvent[] = [];
  while (events.length < count) events.push(await watch.next());
  return events;
};
const told = ({ type, object: { metadata } }: WatchEvent): string => `${type} ${metadata.namespace}/${metadata.name}`;

async function made(prefix: string): Promise<{ keys: string[]; from: string }> {
  const all = Array.from({ length: COUNT }, (_, i) => `${prefix}-${String(i).padStart(2, '0')}`);
  const bodies = await Promise.all(
    all.flatMap((name) => PATHS.map((path) => answered(201, client.post(path, configMap(name, { of: prefix }))))),
  );
  const keys = bodies.map(({ metadata }) => `${KEY}${metadata.namespace}/${metadata.name}`);
  return { keys: keys.sort(), from: (await answered(200, client.get(PATHS[0]))).metadata.resourceVersion };
}

async function assertGone(
  { keys, from }: { readonly keys: readonly string[]; readonly from: string },
  remove: () => Promise<unknown>,
): Promise<void> {
  const watchers = [one.client, two.client, two.client];
  const watches = await Promise.all([
    ...watchers.map((each) => each.watch(`/api/v1/configmaps?watch=1&${OTHERS}&resourceVersion=${from}`)),
    one.client.watch(`${PATHS[0]}?watch=1&resourceVersion=${from}`),
  ]);
  await remove();
  const wanted = keys.map((key) => `DELETED ${key.slice(KEY.length)}`);
  for (const [i, watch] of watches.entries()) {
    const expected = i < watchers.length ? wanted : wanted.filter((each) => each.startsWith('DELETED default/'));
    const events = await take(watch, expected.length);
    assert.equal(events.map(told).sort(), expected);
    // they went at one revision, which is behind all that was before
    const revisions = new Set(events.map(({ object }) => object.metadata.resourceVersion));
    assert.is(revisions.size, 1);
    assert.ok(Number([...revisions][0]) > Number(from));
    for (const { object } of events) assert.ok(object.data.of);
    watch.close();
  }
  for (const each of watchers) for (const path of PATHS) assert.equal((await answered(200, each.get(path))).items, []);
  // whoever comes later from before is told of them too
  const late = await two.client.watch(`/api/v1/configmaps?watch=1&${OTHERS}&resourceVersion=${from}`);
  assert.equal((await take(late, keys.length)).map(told).sort(), wanted);
  late.close();
}

test('in one transaction', async () => {
  const set = await made('t');
  await assertGone(set, () =>
    store.transaction({ compare: [], success: set.keys.map((key) => ({ op: 'delete' as const, key })), failure: [] }),
  );
});

test('as a range', async () => {
  const set = await made('r');
  await assertGone(set, () =>
    store.transaction({ compare: [], success: [{ op: 'delete', key: KEY, end: `${KEY.slice(0, -1)}0` }], failure: [] }),
  );
});

test('with the lease that they are put with', async () => {
  const set = await made('l');
  const { id } = await store.grantLease(60);
  const puts = await Promise.all(
    set.keys.map(async (key) => ({ op: 'put' as const, key, value: (await valueAt(store, key))?.value as Buffer, lease: id })),
  );
  await store.transaction({ compare: [], success: puts, failure: [] });
  const from = (await answered(200, client.get(PATHS[0]))).metadata.resourceVersion;
  await assertGone({ keys: set.keys, from }, () => store.revokeLease(id));
});

test('changes that others make together come together', async () => {
  const set = await made('c');
  const keys = set.keys.slice(0, 4);
  const swapped = await Promise.all(
    keys.map(async (key) => ({ op: 'put' as const, key, value: (await valueAt(store, key))?.value as Buffer })),
  );
  const watch = await client.watch(`/api/v1/configmaps?watch=1&${OTHERS}&resourceVersion=${set.from}`);
  const removed = set.keys.slice(4, 6).map((key) => ({ op: 'delete' as const, key }));
  const { revision } = await store.transaction({ compare: [], success: [...swapped, ...removed], failure: [] });
  const events = await take(watch, 6);
  assert.equal(new Set(events.map(({ object }) => object.metadata.resourceVersion)), new Set([String(revision)]));
  assert.equal(events.filter(({ type }) => type === 'MODIFIED').length, 4);
  // a list at that revision has all of it
  const list = await answered(200, two.client.get(`/api/v1/configmaps?resourceVersion=${revision}&resourceVersionMatch=Exact`));
  assert.is(list.items.filter(isOfSet).length, set.keys.length - 2);
  // each is itself in every form, though all of them share a revision, and of lists that are under way together
  const left = set.keys.filter((_, i) => i < 4 || i > 5).map((key) => key.slice(KEY.length));
  const namesOf = (objects: Json[]): string[] => objects.filter(isOfSet).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  for (let round = 0; round < 3; round++)
    await Promise.all(
      [one.client, two.client, one.client].map(async (each) => {
        assert.equal(namesOf((await answered(200, each.get('/api/v1/configmaps'))).items), left);
        const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
        const table = await each.get('/api/v1/configmaps', { accept });
        assert.equal(namesOf(table.body.rows.map(({ object }: Json) => object)), left);
        assert.equal(
          table.body.rows.filter(({ object }: Json) => isOfSet(object)).map(({ cells }: Json) => cells[0]),
          left.map((key) => key.split('/')[1]),
        );
        const protobuf = await each.get('/api/v1/configmaps', { accept: 'application/vnd.kubernetes.protobuf' });
        for (const name of left) assert.ok(protobuf.bytes.includes(name.split('/')[1] as string), name);
      }),
    );
  watch.close();
});

test('nothing was a fault of a server', () => {
  for (const { server } of [one, two]) assert.equal(server.faults(), []);
});

test.run();

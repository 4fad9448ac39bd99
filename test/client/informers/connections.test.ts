/** Informers and watches over connections that are cut, fall silent, or are read slowly: nothing is missed, nothing is told twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConfigMap, configmaps } from '../../../generated/client/core/v1/index.ts';
import { createClient, type Informer, informer, isGone, WatchStalled } from '../../../generated/client/index.ts';
import { startServer } from '../../../runtime/embedded/start-server.ts';
import { serverAndClient } from '../client-of.ts';
import { type CuttingProxy, cuttingProxy } from '../cutting-proxy.ts';

const OBJECTS = 3_000;
const CUT_EVERY = 100;
const CUTS_FOR = 5_000;
const labels = { of: 'test' };

/** What a handler was told of one object, such as `ADDED 5`. */
type Told = Map<string, string[]>;

async function until(condition: () => boolean | Promise<boolean>, what: () => unknown): Promise<void> {
  const end = performance.now() + 120_000;
  while (!(await condition())) {
    assert.ok(performance.now() < end, `it takes too long: ${JSON.stringify(what())}`);
    await sleep(10);
  }
}

const test = suite('a client over bad connections');

/** Versions of what is in the informer, by key. */
const versionsIn = (informed: Informer<ConfigMap>): Map<string, string | undefined> =>
  new Map([...informed.values()].map(({ metadata }) => [`${metadata.namespace}/${metadata.name}`, metadata.resourceVersion]));

const prepared = await startServer({ dialect: 'kubernetes' });
{
  const client = createClient(prepared.clientConfig, { dialect: 'kubernetes' });
  const maps = client.resource(configmaps).in('default');
  await Promise.all(
    Array.from({ length: OBJECTS }, (_, index) =>
      maps.create({ metadata: { name: `map-${index}`, labels }, data: { index: String(index) } }),
    ),
  );
  client.close();
}
test.after(() => void prepared.stop());

const rows: [name: string, streaming: boolean, syncsFirst: boolean][] = [
  ['of a streaming list', true, true],
  ['of pages', false, true],
  ['that it has never seen before', true, false],
];
for (const [name, streaming, syncsFirst] of rows)
  test(`follows ${OBJECTS} objects ${name} while all connections are cut every ${CUT_EVERY} ms`, async () => {
    await using server = await prepared.fork();
    const client = createClient(server.clientConfig, { dialect: 'kubernetes' });
    const maps = client.resource(configmaps).in('default');
    const way = await cuttingProxy(Number(new URL(server.url).port));
    const cutClient = createClient({ ...server.clientConfig, server: `https://127.0.0.1:${way.port}` }, { dialect: 'kubernetes' });
    const informed = informer(cutClient.resource(configmaps).in('default'), { labels, streaming });
    const told: Told = new Map();
    const errors: unknown[] = [];
    let syncedAt: string | undefined;
    informed.onError((error) => errors.push(error));
    informed.on(({ key, type, object }) => {
      const before = told.get(key);
      const now = `${type} ${object.metadata.resourceVersion}`;
      if (before === undefined) told.set(key, [now]);
      else before.push(now);
    });
    const synced = informed
      .start()
      .synced()
      .then(() => {
        syncedAt = informed.resourceVersion;
      });
    if (syncsFirst) await synced;
    let cuts = 0;
    const cutter = setInterval(() => (cuts += way.cut()), CUT_EVERY);

    // every write that the server has acknowledged, in its order
    const writes: [key: string, what: string, version: string][] = [];
    const end = performance.now() + CUTS_FOR;
    const fewest = syncsFirst ? 20 : 5;
    // a busy machine has fewer of them in that time
    for (let turn = 0; performance.now() < end || cuts <= fewest || writes.length <= 20; turn++) {
      const name = `map-${(turn * 7) % OBJECTS}`;
      const key = `default/${name}`;
      const { metadata } = await maps.mergePatch(name, { data: { turn: String(turn) } });
      writes.push([key, 'MODIFIED', metadata.resourceVersion]);
      if (turn % 10 === 0)
        writes.push([
          `default/new-${turn}`,
          'ADDED',
          (await maps.create({ metadata: { name: `new-${turn}`, labels } })).metadata.resourceVersion,
        ]);
      if (turn % 20 === 10) {
        await maps.delete(`new-${turn - 10}`);
        writes.push([`default/new-${turn - 10}`, 'DELETED', '']);
      }
      await sleep(5);
    }
    clearInterval(cutter);
    const list = await maps.list({ labels });
    const wanted = new Map(list.items.map(({ metadata }) => [`default/${metadata.name}`, metadata.resourceVersion]));
    await until(
      () => informed.isSynced && Number(informed.resourceVersion) >= Number(writes.findLast(([, , version]) => version !== '')?.[2]),
      () => informed.resourceVersion,
    );
    await until(
      () => informed.size === wanted.size,
      () => [informed.size, wanted.size],
    );
    await informed.stop();
    for (const each of [cutClient, client]) each.close();
    way.close();

    assert.ok(cuts > fewest, `${cuts} cuts`);
    assert.ok(errors.length > 0 && writes.length > 20);
    assert.equal(versionsIn(informed), wanted);
    for (const [key, changes] of told) {
      const versions = changes.map((change) => Number(change.split(' ')[1]));
      assert.ok(changes[0]?.startsWith('ADDED'), `${key}: ${changes}`);
      // what a list no longer has was deleted at a version that nobody told of: it is told with the one that was known
      const isOlder = (version: number, index: number): boolean =>
        index > 0 && version < (versions[index - 1] as number) + (changes[index]?.startsWith('DELETED') ? 0 : 1);
      assert.not.ok(versions.some(isOlder), `${key}: ${changes}`);
      assert.ok(
        changes.slice(1).every((change) => !change.startsWith('ADDED')),
        `${key}: ${changes}`,
      );
    }
    const all = new Set([...told].flatMap(([key, changes]) => changes.map((change) => `${key} ${change}`)));
    const missed = writes.filter(
      ([key, what, version]) => version !== '' && Number(version) > Number(syncedAt) && !all.has(`${key} ${what} ${version}`),
    );
    assert.equal(missed, []);
    const gone = writes.filter(([, what]) => what === 'DELETED').map(([key]) => key);
    assert.equal(
      gone.filter((key) => told.has(key) && !told.get(key)?.at(-1)?.startsWith('DELETED')),
      [],
    );
  });

test('begins again where the server no longer keeps what it has missed, and tells what has changed once', async () => {
  await using context = await serverAndClient('kubernetes', { flags: { 'history-window': '1s' } });
  const { client, server } = context;
  const maps = client.resource(configmaps).in('default');
  const write = (name: string, turn: number) => maps.update({ metadata: { name, labels }, data: { turn: String(turn) } });
  for (const name of ['kept', 'changed', 'deleted', 'replaced']) await maps.create({ metadata: { name, labels } });
  const way = await cuttingProxy(Number(new URL(server.url).port));
  const cutClient = createClient({ ...server.clientConfig, server: `https://127.0.0.1:${way.port}` }, { dialect: 'kubernetes' });
  const informed = informer(cutClient.resource(configmaps).in('default'), { labels });
  const errors: unknown[] = [];
  const told: string[] = [];
  informed.onError((error) => errors.push(error));
  await informed.start().synced();
  await informed.on(({ type, key }) => told.push(`${type} ${key}`)).synced();
  told.length = 0;
  way.shut();
  await maps.delete('deleted');
  await maps.delete('replaced');
  await maps.create({ metadata: { name: 'replaced', labels } });
  await maps.create({ metadata: { name: 'added', labels } });
  // until the server has dropped the version that the informer has seen last
  let turn = 0;
  await until(
    async () => {
      await write('changed', turn++);
      await sleep(100);
      const old = maps.watch({ resourceVersion: informed.resourceVersion as string, signal: AbortSignal.timeout(5_000) });
      return old.next().then(
        () => false,
        (error) => isGone(error),
      );
    },
    () => turn,
  );
  way.open();
  await until(
    () => informed.get('changed', 'default')?.data?.turn === String(turn - 1),
    () => errors.map(String),
  );
  assert.ok(errors.some(isGone));
  assert.equal(told.sort(), [
    'ADDED default/added',
    'ADDED default/replaced',
    'DELETED default/deleted',
    'DELETED default/replaced',
    'MODIFIED default/changed',
  ]);
  await informed.stop();
  cutClient.close();
  way.close();
});

test('finds a connection through which nothing comes any more', async () => {
  await using context = await serverAndClient();
  const { client, server } = context;
  const maps = client.resource(configmaps).in('default');
  const way: CuttingProxy = await cuttingProxy(Number(new URL(server.url).port));
  const silencedClient = createClient({ ...server.clientConfig, server: `https://127.0.0.1:${way.port}` }, { dialect: 'kubernetes' });
  const informed = informer(silencedClient.resource(configmaps).in('default'), { labels, idleTimeout: 500 });
  const errors: unknown[] = [];
  informed.onError((error) => errors.push(error));
  await informed.start().synced();
  way.silence();
  await maps.create({ metadata: { name: 'one', labels } });
  await until(
    () => informed.has('default/one'),
    () => errors.map(String),
  );
  assert.instance(errors[0], WatchStalled);
  await informed.stop();
  silencedClient.close();
  way.close();
});

test('misses nothing that it reads too slowly for the server', async () => {
  await using context = await serverAndClient();
  const maps = context.client.resource(configmaps).in('default');
  const { metadata } = await maps.create({ metadata: { name: 'one', labels }, data: { turn: '' } });
  const interruptions: unknown[] = [];
  const changes = maps.watch({ labels, resourceVersion: metadata.resourceVersion, onInterrupted: (error) => interruptions.push(error) });
  const first = changes.next();
  // more than all buffers on the way take, so that the server has to wait, and ends the watch
  const size = 60;
  const text = 'x'.repeat(500_000);
  for (let turn = 0; turn < size; turn++) await maps.update({ metadata: { name: 'one', labels }, data: { turn: String(turn), text } });
  const ended = async (): Promise<boolean> =>
    /^apiserver_terminated_watchers_total\{.*\} [1-9]/m.test(await (await context.client.fetch('/metrics')).text());
  await until(ended, () => 'the server does not end the watch');
  const seen = [(await first).value.object.data?.turn];
  while (seen.length < size) seen.push((await changes.next()).value.object.data?.turn);
  assert.equal(
    seen,
    Array.from({ length: size }, (_, turn) => String(turn)),
  );
  assert.ok(interruptions.length > 0, 'the server did not end the watch');
  await changes.return(undefined as never);
});
test.run();

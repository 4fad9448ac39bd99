/** etcd goes away and comes back while clients write: they are told so, nothing that was acknowledged is lost, and watches go on without a gap. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Answer, Json } from '../../harness/client.ts';
import { startEtcd } from '../../harness/etcd.ts';
import type { Watch, WatchEvent } from '../../harness/watch.ts';
import { answered, configMap, eventually, startOver, stopAll } from './over-etcd.ts';

const test = suite('etcd goes away and comes back');

const etcd = await startEtcd({ unsafeNoFsync: false });
/** Calls of etcd take a quarter of what requests may at most. */
const SOON = ['--request-timeout=8s', '--etcd-healthcheck-timeout=500ms', '--etcd-readycheck-timeout=500ms'];
const over = await startOver(etcd, ['--controllers=-*', ...SOON]);
const { client, server } = over;
test.after(() => stopAll(etcd, over));

const CONFIGMAPS = '/api/v1/namespaces/kube-public/configmaps';

/** What an answer says of a store that is away. */
function assertTold({ status, body, text }: Answer): void {
  assert.ok(status === 503 || status === 504, `${status} ${text}`);
  assert.is(body.reason, status === 503 ? 'ServiceUnavailable' : 'Timeout');
  assert.match(body.message, /the store (?:cannot be reached|has not answered)/);
  assert.match(body.message, /etcd/);
}

const isWell = async (): Promise<boolean> => (await client.get('/readyz')).status === 200;

async function follow(watch: Watch, until: (event: WatchEvent) => boolean): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  for (;;) {
    const event = await watch.next(30_000);
    assert.not.equal(event.type, 'ERROR', JSON.stringify(event.object));
    if (event.type !== 'BOOKMARK') events.push(event);
    if (until(event)) return events;
  }
}

test('requests say that etcd is away, reads of any version go on, and health checks tell', async () => {
  const made = await answered(201, client.post(CONFIGMAPS, configMap('before', { a: 'b' })));
  const { metadata } = await answered(200, client.get(CONFIGMAPS));
  const watch = await client.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${metadata.resourceVersion}`);
  await etcd.kill();
  const refused = [
    client.post(CONFIGMAPS, configMap('during')),
    client.patch(`${CONFIGMAPS}/before`, { data: { c: 'd' } }),
    client.put(`${CONFIGMAPS}/before`, { ...made, data: {} }),
    client.delete(`${CONFIGMAPS}/before`),
    client.get(`${CONFIGMAPS}/before`),
    client.get(CONFIGMAPS),
  ];
  for (const answer of await Promise.all(refused)) assertTold(answer);
  assert.equal((await answered(200, client.get(`${CONFIGMAPS}/before?resourceVersion=0`))).metadata, made.metadata);
  assert.ok((await answered(200, client.get(`${CONFIGMAPS}?resourceVersion=0`))).items.length >= 1);
  const more = await client.watch(`${CONFIGMAPS}?watch=1&resourceVersion=0`);
  assert.is((await more.until(({ object }) => object.metadata.name === 'before')).type, 'ADDED');

  for (const [path, checks] of [
    ['/readyz', ['etcd', 'etcd-readiness']],
    ['/livez', ['etcd']],
    ['/healthz', ['etcd']],
  ] as const) {
    const { text, status } = await eventually(
      () => client.get(path),
      (answer) => answer.status === 500,
    );
    assert.is(status, 500);
    for (const check of checks) assert.match(text, new RegExp(`^\\[-\\]${check} failed: reason withheld$`, 'm'));
    assert.match(text, /^\[\+\]ping ok$/m);
    assert.match(text, new RegExp(`^${path.slice(1)} check failed$`, 'm'));
    assert.is((await client.get(`${path}/etcd`)).status, 500);
    assert.is((await client.get(`${path}/ping`)).status, 200);
    assert.is((await client.get(`${path}?exclude=etcd&exclude=etcd-readiness`)).status, 200);
  }
  assert.not.ok(watch.ended);
  await etcd.start();
  await eventually(isWell, (well) => well, 20_000);
  const after = await answered(201, client.post(CONFIGMAPS, configMap('after')));
  const events = await follow(watch, ({ object }) => object.metadata.name === 'after');
  assert.is(events.at(-1)?.object.metadata.resourceVersion, after.metadata.resourceVersion);
  assert.is((await more.until(({ object }) => object.metadata.name === 'after')).type, 'ADDED');
  watch.close();
  more.close();
  // controllers tell of their own work that waits
  assert.not.match(server.log(), /a request failed|a watch failed/);
});

test('no write that was acknowledged is lost, and watches tell of all', async () => {
  const path = CONFIGMAPS.replace('kube-public', 'default');
  const { metadata } = await answered(200, client.get(path));
  const watch = await client.watch(`${path}?watch=1&resourceVersion=${metadata.resourceVersion}`);
  const acknowledged = new Map<string, string>();
  let refused = 0;
  let isOver = false;
  const write = async (who: number): Promise<void> => {
    for (let i = 0; !isOver; i++) {
      const name = `w-${who}-${i}`;
      const answer = await client.post(path, configMap(name, { i: String(i) }));
      if (answer.status === 201) acknowledged.set(name, answer.body.metadata.resourceVersion);
      else {
        assertTold(answer);
        refused++;
        await sleep(20);
      }
    }
  };
  const writers = Array.from({ length: 4 }, (_, who) => write(who));
  // one is refused where it is under way at the kill
  for (let round = 0; round < 3 || (refused === 0 && round < 20); round++) {
    const enough = acknowledged.size + 10;
    await eventually(
      async () => acknowledged.size,
      (size) => size >= enough,
    );
    await sleep(500);
    await etcd.kill();
    await sleep(400);
    await etcd.start();
  }
  await eventually(isWell, (well) => well, 20_000);
  await sleep(500);
  isOver = true;
  await Promise.all(writers);
  assert.ok(acknowledged.size > 20 && refused > 0, `${acknowledged.size} writes were acknowledged, ${refused} refused`);
  const last = await eventually(
    () => client.post(path, configMap('the-last')),
    ({ status }) => status === 201,
  );
  const events = await follow(watch, ({ object }) => object.metadata.name === 'the-last');
  watch.close();
  const told = new Map(events.map(({ object }) => [object.metadata.name, object.metadata.resourceVersion]));
  const list = await answered(200, client.get(path));
  const there = new Map<string, string>(list.items.map(({ metadata: { name, resourceVersion } }: Json) => [name, resourceVersion]));
  for (const [name, revision] of acknowledged) {
    assert.is(there.get(name), revision, name);
    assert.is(told.get(name), revision, `the watch tells of ${name}`);
  }
  // of what was not acknowledged the list and the watch say the same
  for (const [name, revision] of told) assert.is(there.get(name), revision, name);
  const revisions = events.map(({ object }) => Number(object.metadata.resourceVersion));
  assert.equal(
    revisions,
    [...revisions].sort((a, b) => a - b),
  );
  assert.is(told.get('the-last'), last.body.metadata.resourceVersion);
  // controllers tell of their own work that waits
  assert.not.match(server.log(), /a request failed|a watch failed/);
});

test('an etcd that hangs is told of too', async () => {
  const underWay = Array.from({ length: 40 }, (_, i) => client.post(CONFIGMAPS, configMap(`under-way-${i}`)));
  await underWay[0];
  await etcd.hang();
  const { text } = await eventually(
    () => client.get('/readyz'),
    ({ status }) => status === 500,
  );
  assert.match(text, /^\[-\]etcd failed: reason withheld$/m);
  const [read, write] = await Promise.all([client.get(CONFIGMAPS), client.post(CONFIGMAPS, configMap('hanging'))]);
  assertTold(read);
  assertTold(write);
  // neither has changed anything, as the read, or the one before the write, has failed
  assert.equal([read.status, write.status], [503, 503]);
  const answers = await Promise.all(underWay);
  assert.is((await client.get(`${CONFIGMAPS}?resourceVersion=0`)).status, 200);
  etcd.goOn();
  await eventually(isWell, (well) => well, 20_000);
  const { items } = await answered(200, client.get(CONFIGMAPS));
  const there = new Set(items.map(({ metadata }: Json) => metadata.name));
  assert.not.ok(there.has('hanging'));
  for (const [i, answer] of answers.entries()) {
    if (answer.status !== 201) assertTold(answer);
    // whether it was written nobody knows
    if (answer.status !== 504) assert.is(there.has(`under-way-${i}`), answer.status === 201, answer.text);
  }
});

test.run();

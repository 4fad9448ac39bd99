/** Watches of a real etcd. */
import { setTimeout as delay } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startEtcd } from '../../../harness/etcd.ts';
import { NotedWatch, put } from './asked.ts';

const etcd = await startEtcd({ flags: [`--max-request-bytes=${16 * 1024 * 1024}`, '--experimental-watch-progress-notify-interval=200ms'] });
const client = etcd.client();

const watches = suite('watches of etcd');
watches.after(async () => {
  client.close();
  await etcd.stop();
});

const remove = (key: string) => client.transaction({ compare: [], success: [{ op: 'delete', key }], failure: [] });

watches('from a revision of the past, then what comes, with what was before', async () => {
  const { revision } = await put(client, { '/a/x': '1' });
  await put(client, { '/a/x': '2', '/a/y': '3' });
  const noted = new NotedWatch(client, { key: '/a/', end: '/a0', startRevision: revision, previousValues: true });
  await noted.until(() => noted.events.length === 3);
  await put(client, { '/other': '' });
  await remove('/a/y');
  await noted.until(() => noted.events.length === 4);
  assert.equal(noted.texts, ['put /a/x 1', 'put /a/x 2 (before: 1)', 'put /a/y 3', 'delete /a/y (before: 3)']);
  assert.equal(
    noted.events.map(({ kv }) => kv.modRevision - revision),
    [0, 1, 1, 3],
  );
  assert.is(noted.calls[0], 'created');
  assert.is(noted.created, revision + 1);
  noted.watch.cancel();
});
watches('without a revision what comes from now on, and without previous values none', async () => {
  await put(client, { '/b': '1' });
  const noted = new NotedWatch(client, { key: '/b' });
  await noted.until(() => noted.created > 0);
  const { revision } = await put(client, { '/b': '2' });
  await noted.until(() => noted.events.length > 0);
  assert.is(revision, noted.created + 1);
  assert.equal(noted.texts, ['put /b 2']);
  noted.watch.cancel();
  await put(client, { '/b': '3' });
  await delay(100);
  assert.equal(noted.calls, ['created', 'events']);
});
watches('progress is told where it is asked for, also before the watch is there', async () => {
  const { revision } = await put(client, { '/c': '1' });
  const noted = new NotedWatch(client, { key: '/nothing' });
  noted.watch.requestProgress();
  await noted.until(() => noted.told >= revision);
  assert.equal(noted.calls, ['created', 'progress']);
  const later = await put(client, { '/c': '2' });
  await noted.progressTo(later.revision);
  assert.equal(noted.events, []);
  noted.watch.cancel();
});
watches('progress is told from time to time where that is wanted', async () => {
  const noted = new NotedWatch(client, { key: '/nothing', progressNotify: true });
  const { revision } = await put(client, { '/d': '1' });
  await noted.until(() => noted.told >= revision);
  noted.watch.cancel();
});
watches('a revision that was compacted ends it, with the first that is known', async () => {
  const { revision } = await put(client, { '/e': '1' });
  await put(client, { '/e': '2' });
  const { revision: last } = await put(client, { '/e': '3' });
  await client.compact(last);
  const noted = new NotedWatch(client, { key: '/e', startRevision: revision });
  await noted.until(() => noted.error !== undefined);
  assert.equal(noted.calls.slice(-2), ['compacted', 'ended']);
  assert.is(noted.compactRevision, last);
  assert.equal([noted.error?.isCompacted, noted.error?.compactRevision, noted.error?.isUnavailable], [true, last, false]);
  const next = new NotedWatch(client, { key: '/e', startRevision: last });
  await next.until(() => next.events.length === 1);
  next.watch.cancel();
});
watches('a large revision comes in parts, and is told as one', async () => {
  const values = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`/f/${String(i).padStart(3, '0')}`, 'x'.repeat(150_000)]));
  const before = await put(client, { '/f/': 'before' });
  const { revision } = await put(client, values);
  await put(client, { '/f/after': '' });
  let calls = 0;
  const counts: number[] = [];
  const noted = new NotedWatch(client, { key: '/f/', end: '/f0', startRevision: before.revision });
  await noted.until(() => {
    const of = noted.events.filter(({ kv }) => kv.modRevision === revision).length;
    if (noted.calls.length > calls) counts.push(of);
    calls = noted.calls.length;
    return noted.events.length === 102;
  });
  assert.ok(
    counts.every((count) => count === 0 || count === 100),
    counts.join(),
  );
  assert.equal(
    noted.events.map(({ kv }) => kv.modRevision - before.revision),
    [0, ...Array(100).fill(1), 2],
  );
  noted.watch.cancel();
});
watches('one that is paused reads nothing more, and keeps nobody else from it', async () => {
  const begin = await put(client, { '/g': '' });
  const noted = new NotedWatch(client, { key: '/g', startRevision: begin.revision });
  await noted.until(() => noted.events.length === 1);
  noted.watch.pause();
  const count = 60;
  for (let i = 1; i <= count; i++) await put(client, { '/g': String(i).padEnd(1_000_000, ' ') });
  await delay(200);
  assert.ok(noted.events.length <= 1, `${noted.events.length} events`);
  noted.watch.resume();
  await noted.until(() => noted.events.length === count + 1);
  assert.equal(
    noted.events.slice(1).map(({ kv }) => Number(kv.value.toString())),
    Array.from({ length: count }, (_, i) => i + 1),
  );
  noted.watch.cancel();
});
watches('a listener that throws ends its watch', async () => {
  const ended = new Promise<Error>((resolve) => {
    client.watch(
      { key: '/h', previousValues: false, fragment: true, progressNotify: false },
      {
        created: () => {
          throw new Error('of the listener');
        },
        events: () => {},
        progress: () => {},
        compacted: () => {},
        ended: resolve,
      },
    );
  });
  assert.match((await ended).message, /of the listener/);
});
watches('one ends with its member, and another one goes on behind it', async () => {
  const { revision } = await put(client, { '/i': '1' });
  const noted = new NotedWatch(client, { key: '/i', startRevision: revision });
  await noted.until(() => noted.events.length === 1);
  await etcd.kill();
  await noted.until(() => noted.error !== undefined);
  assert.ok(noted.error?.isUnavailable);
  // it waits until the member is there again
  const next = new NotedWatch(client, { key: '/i', startRevision: revision + 1 });
  await etcd.restart();
  await put(client, { '/i': '2' });
  await next.until(() => next.events.length === 1);
  assert.equal(next.texts, ['put /i 2']);
  assert.equal(noted.calls, ['created', 'events', 'ended']);
  next.watch.cancel();
});
watches('end when the client is closed, and none begins any more', async () => {
  const own = etcd.client();
  const noted = new NotedWatch(own, { key: '/j' });
  await noted.until(() => noted.created > 0);
  own.close();
  await noted.until(() => noted.error !== undefined);
  assert.is(noted.error?.code, 'CANCELLED');
  const late = new NotedWatch(own, { key: '/j' });
  await late.until(() => late.error !== undefined);
  assert.equal(late.calls, ['ended']);
});
watches.run();

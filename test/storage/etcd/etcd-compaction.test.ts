/** Rounds of compaction, of servers that share a real etcd. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EtcdClient, EtcdError } from '../../../runtime/storage/etcd/client/etcd-client.ts';
import { EtcdCompaction } from '../../../runtime/storage/etcd/etcd-compaction.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { eventually } from '../../harness/eventually.ts';
import { put } from './client/asked.ts';

const ROUNDS_KEY = 'compact_rev_key';
/** Milliseconds that no test waits for. */
const NEVER = 1_000_000;

const etcd = await startEtcd();
const client = etcd.client();

const compaction = suite('compaction of etcd');
compaction.before.each(async () => {
  await client.transaction({ compare: [], success: [{ op: 'delete', key: ROUNDS_KEY }], failure: [] });
});
compaction.after(async () => {
  client.close();
  await etcd.stop();
});

/** A server whose rounds the test has begin. */
function server() {
  /** revisions that it has compacted to */
  const compactions: number[] = [];
  const own = etcd.client();
  const noting = {
    transaction: (...asked: Parameters<EtcdClient['transaction']>) => own.transaction(...asked),
    async compact(revision: number) {
      await own.compact(revision);
      compactions.push(revision);
    },
  };
  const rounds = new EtcdCompaction({
    client: noting as EtcdClient,
    interval: NEVER,
    onError(error) {
      throw error;
    },
  });
  const close = async () => {
    await rounds.stop();
    own.close();
  };
  return { compactions, advance: () => rounds.advance(), close };
}

async function counted(): Promise<{ value: string; version: number }> {
  const [kv] = (await client.range({ key: ROUNDS_KEY })).kvs;
  return { value: kv?.value.toString() ?? '', version: kv?.version ?? 0 };
}

const newest = async () => (await client.range({ key: 'a', countOnly: true })).revision;

const isReadable = (revision: number): Promise<boolean> =>
  client.range({ key: '/r', revision }).then(
    () => true,
    (error: EtcdError) => {
      if (error.isCompacted) return false;
      throw error;
    },
  );

compaction('the first round compacts nothing, each further one to the revision of the round before', async () => {
  const one = server();
  await put(client, { '/r': '1' });
  await one.advance();
  assert.equal(await counted(), { value: '0', version: 1 });
  assert.equal(one.compactions, []);
  const first = await newest();
  await put(client, { '/r': '2' });
  await put(client, { '/r': '3' });
  await one.advance();
  assert.equal(await counted(), { value: String(first), version: 2 });
  assert.equal(one.compactions, [first]);
  assert.ok(await isReadable(first));
  assert.not(await isReadable(first - 1));
  const second = await newest();
  await one.advance();
  assert.equal(one.compactions, [first, second]);
  assert.equal(await counted(), { value: String(second), version: 3 });
  await one.close();
});

compaction('of servers that share an etcd one has each round, to what was the newest a round before', async () => {
  const servers = [server(), server(), server()];
  const ends: number[] = [];
  for (let round = 0; round < 6; round++) {
    await put(client, { '/r': `round ${round}` });
    await Promise.all(servers.map(({ advance }) => advance()));
    ends.push(await newest());
  }
  const compactions = servers.flatMap((each) => each.compactions).toSorted((a, b) => a - b);
  assert.is(compactions.length, 5);
  for (const [i, revision] of compactions.entries())
    assert.ok(revision <= (ends[i] as number) && revision > (ends[i - 1] ?? 0), `${compactions} ${ends}`);
  assert.is((await counted()).version, 6);
  await Promise.all(servers.map(({ close }) => close()));
});

compaction('a server that is started later takes up the count, and leaves the round alone', async () => {
  const [one, late] = [server(), server()];
  for (let i = 0; i < 3; i++) await one.advance();
  await late.advance();
  assert.equal(late.compactions, []);
  assert.is((await counted()).version, 3);
  await put(client, { '/r': '1' });
  await late.advance();
  assert.is(late.compactions.length, 1);
  assert.is((await counted()).version, 4);
  // the round was the other one's, whose revision it takes
  await one.advance();
  assert.is(one.compactions.length, 2);
  assert.is((await counted()).version, 4);
  await Promise.all([one.close(), late.close()]);
});

compaction('it goes on where etcd has forgotten more already', async () => {
  const one = server();
  for (let i = 0; i < 2; i++) await one.advance();
  await put(client, { '/r': '1' });
  const forgotten = await newest();
  await client.compact(forgotten);
  await put(client, { '/r': '2' });
  const next = await newest();
  for (let i = 0; i < 2; i++) await one.advance();
  assert.is((await counted()).version, 4);
  assert.not(await isReadable(next - 1));
  await one.close();
});

compaction('it comes by itself, and ends when it is stopped', async () => {
  const own = etcd.client();
  const errors: unknown[] = [];
  const rounds = new EtcdCompaction({ client: own, interval: 20, onError: (error) => errors.push(error) });
  for (const end = Date.now() + 10_000; (await counted()).version < 4; await new Promise((resolve) => setTimeout(resolve, 10)))
    assert.ok(Date.now() < end, 'no round came');
  await rounds.stop();
  const { version } = await counted();
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.is((await counted()).version, version);
  assert.equal(errors, []);
  own.close();
});

compaction('what goes wrong is told, and the next round is tried; what is cut off by the end is not', async () => {
  const errors: Error[] = [];
  let answer: () => Promise<never> = () => Promise.reject(new Error('away'));
  let asked = 0;
  const transaction = () => {
    asked++;
    return answer();
  };
  const rounds = new EtcdCompaction({
    client: { transaction } as unknown as EtcdClient,
    interval: 10,
    onError: (error) => errors.push(error as Error),
  });
  await eventually('it fails twice', () => errors.length >= 2);
  assert.is(errors[0]?.message, 'away');
  const cut = Promise.withResolvers<never>();
  answer = () => cut.promise;
  const before = asked;
  await eventually('etcd is asked', () => asked > before);
  const { length } = errors;
  const stopped = rounds.stop();
  cut.reject(new Error('the client was closed'));
  await stopped;
  assert.is(errors.length, length);
  assert.is(asked, before + 1);
});

compaction('no round begins at once where the flag names a longer time than a timer can wait', async () => {
  let asked = 0;
  const transaction = () => Promise.reject(new Error(`asked ${++asked} times`));
  const rounds = new EtcdCompaction({ client: { transaction } as unknown as EtcdClient, interval: 2 ** 31, onError: () => {} });
  await sleep(50);
  await rounds.stop();
  assert.is(asked, 0);
});

compaction.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EtcdError } from '../../../runtime/storage/etcd/client/etcd-client.ts';
import { EtcdCompaction } from '../../../runtime/storage/etcd/etcd-compaction.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { rejection } from '../contract/store.ts';

const test = suite('compaction of etcd');
const etcd = await startEtcd();
const client = etcd.client();

test.after(async () => {
  client.close();
  await etcd.stop();
});

async function write(): Promise<number> {
  const success = [{ op: 'put', key: '/registry/pods/a', value: Buffer.from('1') }] as const;
  return (await client.transaction({ compare: [], success, failure: [] })).revision;
}

async function isReadable(revision: number): Promise<boolean> {
  const error = await client.range({ key: '/registry/pods/a', revision }).catch((thrown: unknown) => thrown);
  if (!(error instanceof EtcdError)) return true;
  assert.ok(error.isCompacted, error.message);
  return false;
}

const compaction = (): EtcdCompaction =>
  new EtcdCompaction({
    client,
    interval: 1_000_000,
    onError(error) {
      throw error;
    },
  });

test('one of several servers forgets what was there a round before', async () => {
  const servers = [compaction(), compaction()];
  const [first, second] = servers as [EtcdCompaction, EtcdCompaction];
  const old = await write();
  await first.advance();
  await second.advance();
  const newer = await write();
  assert.is(await isReadable(old), true);
  await second.advance();
  await first.advance();
  assert.equal([await isReadable(old), await isReadable(newer)], [false, true]);
  await first.advance();
  await first.advance();
  assert.is(await isReadable(newer), false);
  for (const each of servers) await each.stop();
});

test('goes on where etcd has forgotten more already', async () => {
  const server = compaction();
  await server.advance();
  await server.advance();
  await write();
  await client.compact(await write());
  await server.advance();
  assert.instance(await rejection(client.compact(1)), EtcdError);
  await server.stop();
});

test.run();

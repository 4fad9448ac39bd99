import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertOwnDialect } from '../../../runtime/assembly/store/etcd-dialect.ts';
import { type EtcdClient, EtcdError } from '../../../runtime/storage/etcd/client/etcd-client.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { rejection } from '../../storage/contract/store.ts';
import { put } from '../../storage/etcd/client/asked.ts';

const etcd = await startEtcd();
const client = etcd.client();

const dialects = suite('the dialect of what etcd has');
dialects.after(async () => {
  client.close();
  await etcd.stop();
});

const markOf = async (key: string): Promise<string | undefined> => (await client.range({ key })).kvs[0]?.value.toString();
const refusal = (prefix: string, dialect: string): Promise<string> =>
  assertOwnDialect(client, prefix, dialect).then(
    () => 'accepted',
    (error: Error) => error.message,
  );

dialects("kube-apiserver's leaves no mark, and finds what kube-apiserver has written", async () => {
  await assertOwnDialect(client, '/a/', 'kubernetes');
  assert.is(await markOf('/a.dialect'), undefined);
  await put(client, { '/a/pods/x': '1' });
  await assertOwnDialect(client, '/a/', 'kubernetes');
  assert.is(await markOf('/a.dialect'), undefined);
});

dialects('another one marks a prefix without keys, beside it, and finds its mark again', async () => {
  await assertOwnDialect(client, '/b/', 'own');
  assert.is(await markOf('/b.dialect'), 'own');
  await put(client, { '/b/pods/x': '1' });
  await assertOwnDialect(client, '/b/', 'own');
  assert.is((await client.range({ key: '/b/', end: '/b0', countOnly: true })).count, 1);
});

for (const [what, prefix, dialect, prepare] of [
  ["another one does not take what is kube-apiserver's", '/c/', 'own', () => put(client, { '/c/pods/x': '1' })],
  ["kube-apiserver's does not take what is marked", '/d/', 'kubernetes', () => assertOwnDialect(client, '/d/', 'own')],
  ['another one does not take the mark of a third', '/e/', 'own', () => assertOwnDialect(client, '/e/', 'foreign')],
] as const)
  dialects(what, async () => {
    await prepare();
    const message = await refusal(prefix, dialect);
    assert.match(message, /etcd holds objects of the dialect "\w+" under \/\w\//);
    assert.match(message, `cannot be served as "${dialect}"`);
    assert.match(message, '--etcd-prefix');
  });

dialects('keys beside the prefix, and the marks of other prefixes, are none of its own', async () => {
  await put(client, { '/f': '1', '/f.other': '1', '/f0': '1', '/fa/x': '1', '/fa.dialect': 'foreign' });
  await assertOwnDialect(client, '/f/', 'own');
  assert.is(await markOf('/f.dialect'), 'own');
});

dialects('the prefix of all keys has its mark too', async () => {
  const [prefix, mark] = ['/', '.dialect'];
  assert.is(await refusal(prefix, 'own').then((text) => text.includes('"kubernetes"')), true);
  await client.transaction({ compare: [], success: [{ op: 'delete', key: '/', end: '0' }], failure: [] });
  await assertOwnDialect(client, prefix, 'own');
  assert.is(await markOf(mark), 'own');
  assert.match(await refusal(prefix, 'kubernetes'), '"own"');
  await client.transaction({ compare: [], success: [{ op: 'delete', key: mark }], failure: [] });
});

dialects('of servers that start at once those of one dialect agree, and those of another are refused', async () => {
  const servers = Array.from({ length: 12 }, (_, i) => refusal('/g/', i % 2 === 0 ? 'one' : 'two'));
  const answers = await Promise.all(servers);
  const mark = (await markOf('/g.dialect')) as string;
  for (const [i, answer] of answers.entries()) assert.is(answer === 'accepted', mark === (i % 2 === 0 ? 'one' : 'two'));
});

dialects('what goes wrong in etcd is told as it is', async () => {
  const closed: EtcdClient = etcd.client();
  closed.close();
  assert.instance(await rejection(assertOwnDialect(closed, '/h/', 'own')), EtcdError);
});

dialects.run();

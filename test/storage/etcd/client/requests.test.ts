/** Ranges, transactions, compaction, leases and state, of a real etcd. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EtcdClient, EtcdError, Op, RangeRequest } from '../../../../runtime/storage/etcd/client/etcd-client.ts';
import { startEtcd } from '../../../harness/etcd.ts';
import { failure, put } from './asked.ts';

const MAX_REQUEST = 10 * 1024 * 1024;

const etcd = await startEtcd({ flags: [`--max-request-bytes=${MAX_REQUEST}`] });
const client = etcd.client();

const requests = suite('requests to etcd');
requests.after(async () => {
  client.close();
  await etcd.stop();
});

async function pages(request: RangeRequest): Promise<string[][]> {
  const all: string[][] = [];
  for (let from = request.key; ; ) {
    const { kvs, more } = await client.range({ ...request, key: from });
    all.push(kvs.map(({ key }) => key.toString()));
    if (!more) return all;
    from = Buffer.concat([(kvs.at(-1) as { key: Buffer }).key, Buffer.of(0)]);
  }
}

requests('a range comes in pages, all of one revision', async () => {
  const { revision } = await put(client, { '/p/a': '1', '/p/b': '2', '/p/c': '3', '/p/d': '4', '/p/e': '5' });
  await client.transaction({ compare: [], success: [{ op: 'delete', key: '/p/b' }], failure: [] });
  await put(client, { '/p/f': '6' });
  assert.equal(await pages({ key: '/p/', end: '/p0', limit: 2, revision }), [['/p/a', '/p/b'], ['/p/c', '/p/d'], ['/p/e']]);
  assert.equal(await pages({ key: '/p/', end: '/p0', limit: 4 }), [['/p/a', '/p/c', '/p/d', '/p/e'], ['/p/f']]);
  const first = await client.range({ key: '/p/', end: '/p0', limit: 1, revision });
  assert.is(first.count, 5);
  assert.is(first.revision, revision + 2);
});
requests('of a range only the keys, or only their number', async () => {
  await put(client, { '/k/a': 'value', '/k/b': 'value' });
  const { kvs } = await client.range({ key: '/k/', end: '/k0', keysOnly: true, serializable: true });
  assert.equal(
    kvs.map(({ key, value }) => [key.toString(), value.length]),
    [
      ['/k/a', 0],
      ['/k/b', 0],
    ],
  );
  const counted = await client.range({ key: '/k/', end: '/k0', countOnly: true });
  assert.equal([counted.count, counted.kvs], [2, []]);
});
requests('keys and values are bytes', async () => {
  const key = Buffer.from([0x2f, 0xff, 0x00, 0x80]);
  const value = Buffer.from([0, 0xff, 0xfe]);
  const { revision } = await client.transaction({ compare: [], success: [{ op: 'put', key, value }], failure: [] });
  const { kvs } = await client.range({ key });
  assert.equal(kvs, [{ key, value, createRevision: revision, modRevision: revision, version: 1, lease: 0n }]);
  const empty = await put(client, { '/ä': '' });
  const [found] = (await client.range({ key: '/ä' })).kvs;
  assert.equal(found, {
    key: Buffer.from('/ä'),
    value: Buffer.alloc(0),
    createRevision: empty.revision,
    modRevision: empty.revision,
    version: 1,
    lease: 0n,
  });
});

requests('a transaction does the one or the other', async () => {
  const write = (modRevision: number, value: string) =>
    client.transaction({
      compare: [{ key: '/t', modRevision }],
      success: [{ op: 'put', key: '/t', value: Buffer.from(value) }],
      failure: [{ op: 'range', key: '/t' }],
    });
  const created = await write(0, 'one');
  assert.equal(created.responses, [{ op: 'put' }]);
  assert.ok(created.succeeded);
  const refused = await write(0, 'two');
  assert.not.ok(refused.succeeded);
  assert.is(refused.revision, created.revision);
  const [range] = refused.responses;
  assert.ok(range?.op === 'range' && range.kvs[0]?.modRevision === created.revision && range.kvs[0].value.toString() === 'one');
  const written = await write(created.revision, 'two');
  assert.ok(written.succeeded);
  assert.is(written.revision, created.revision + 1);
});
requests('a transaction compares creations and versions, too, and does several things as one', async () => {
  const { revision } = await put(client, { '/v/a': '1' });
  const later = await put(client, { '/v/a': '2' });
  const {
    succeeded,
    responses,
    revision: last,
  } = await client.transaction({
    compare: [
      { key: '/v/a', createRevision: revision },
      { key: '/v/a', version: 2 },
      { key: '/v/a', modRevision: later.revision },
      { key: '/v/none', version: 0 },
    ],
    success: [
      { op: 'put', key: '/v/b', value: Buffer.from('3') },
      { op: 'range', key: '/v/', end: '/v0' },
      { op: 'delete', key: '/v/a', end: '/v/b' },
    ],
    failure: [],
  });
  assert.ok(succeeded);
  assert.is(last, later.revision + 1);
  assert.equal(
    responses.map((each) => (each.op === 'range' ? each.count : each)),
    [{ op: 'put' }, 2, { op: 'delete', deleted: 1 }],
  );
  const failed = await client.transaction({ compare: [{ key: '/v/a', version: 2 }], success: [], failure: [] });
  assert.equal([failed.succeeded, failed.responses], [false, []]);
});
requests('values of 8 MiB come and go, several in one answer', async () => {
  const value = Buffer.alloc(8 * 1024 * 1024);
  for (let i = 0; i < value.length; i++) value[i] = i * 31;
  for (const name of ['a', 'b', 'c'])
    await client.transaction({ compare: [], success: [{ op: 'put', key: `/big/${name}`, value }], failure: [] });
  const { kvs } = await client.range({ key: '/big/', end: '/big0' });
  assert.is(kvs.length, 3);
  for (const each of kvs) assert.ok(each.value.equals(value));
});
requests('what is too large is refused, and certainly not done', async () => {
  for (const size of [MAX_REQUEST, MAX_REQUEST * 2]) {
    const success: Op[] = [{ op: 'put', key: '/large', value: Buffer.alloc(size) }];
    const error = await failure(client.transaction({ compare: [], success, failure: [] }));
    assert.ok(error.isTooLarge, error.message);
    assert.not.ok(error.outcomeUnknown);
    assert.not.ok(error.isUnavailable);
  }
  assert.is((await client.range({ key: '/large' })).count, 0);
});
requests('a revision that was compacted, and one that is yet to come, are told apart', async () => {
  const { revision } = await put(client, { '/c/a': '1' });
  const { revision: last } = await put(client, { '/c/a': '2' });
  await client.compact(last, { physical: true });
  const compacted = await failure(client.range({ key: '/c/a', revision }));
  assert.equal(
    [compacted.code, compacted.isCompacted, compacted.isFutureRevision, compacted.isUnavailable],
    ['OUT_OF_RANGE', true, false, false],
  );
  const future = await failure(client.range({ key: '/c/a', revision: last + 1_000 }));
  assert.equal([future.code, future.isCompacted, future.isFutureRevision], ['OUT_OF_RANGE', false, true]);
  assert.is((await client.range({ key: '/c/a', revision: last })).count, 1);
  assert.ok((await failure(client.compact(last))).isCompacted);
  assert.ok((await failure(client.compact(last + 1_000))).isFutureRevision);
});
requests('a key goes with its lease', async () => {
  const { id, ttl } = await client.grantLease(3_600);
  assert.is(ttl, 3_600);
  await client.transaction({ compare: [], success: [{ op: 'put', key: '/l', value: Buffer.from('x'), lease: id }], failure: [] });
  assert.is((await client.range({ key: '/l' })).kvs[0]?.lease, id);
  await client.revokeLease(id);
  assert.is((await client.range({ key: '/l' })).count, 0);
  const gone = await failure(
    client.transaction({ compare: [], success: [{ op: 'put', key: '/l', value: Buffer.alloc(0), lease: id }], failure: [] }),
  );
  assert.equal([gone.isLeaseNotFound, gone.outcomeUnknown], [true, false]);
});
requests('a member tells its state', async () => {
  const status = await client.status();
  assert.match(status.version, /^\d+\.\d+\.\d+/);
  assert.ok(status.dbSize >= status.dbSizeInUse && status.dbSizeInUse > 0);
  assert.ok(status.leader > 0n && status.leader === status.memberId && status.clusterId > 0n);
  assert.equal(status.errors, []);
  assert.equal(await client.alarms(), []);
});
requests('a call has its own time', async () => {
  await etcd.hang();
  try {
    const begun = Date.now();
    const write = await failure(client.transaction({ compare: [], success: [], failure: [] }, { timeout: 100 }));
    assert.equal([write.code, write.isUnavailable, write.outcomeUnknown], ['DEADLINE_EXCEEDED', true, true]);
    assert.ok(Date.now() - begun < 5_000);
  } finally {
    etcd.goOn();
  }
});
requests('a store that is full says so, and writes nothing', async () => {
  const small = await startEtcd({ flags: [`--quota-backend-bytes=${256 * 1024}`] });
  const full: EtcdClient = small.client();
  try {
    const success = [{ op: 'put' as const, key: '/full', value: Buffer.alloc(100_000) }];
    let error: EtcdError | undefined;
    // what was written counts when it is in the file, a moment later
    for (const end = Date.now() + 10_000; error === undefined && Date.now() < end; )
      await full.transaction({ compare: [], success, failure: [] }).catch((failed: EtcdError) => {
        error = failed;
      });
    assert.equal([error?.isNoSpace, error?.outcomeUnknown, error?.isUnavailable], [true, true, false]);
    assert.equal(
      (await full.alarms()).map(({ alarm }) => alarm),
      ['NOSPACE'],
    );
    assert.match((await full.status()).errors.join(), /NOSPACE/);
  } finally {
    full.close();
    await small.stop();
  }
});
requests.run();

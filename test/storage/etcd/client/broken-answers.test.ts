/** What answers is not etcd, or not as etcd should: calls fail, say why, and tell what is perhaps done. */
import { status } from '@grpc/grpc-js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RangeResponse, TxnResponse, WatchResponse } from '../../../../generated/node-interfaces/etcd.ts';
import { EtcdClient } from '../../../../runtime/storage/etcd/client/etcd-client.ts';
import { failure, NotedWatch, put } from './asked.ts';
import { bytesOf, type FakeBehaviour, FakeMember, header } from './fake-member.ts';

async function withFake(behaviour: Partial<FakeBehaviour>, use: (client: EtcdClient, fake: FakeMember) => Promise<void>): Promise<void> {
  const fake = await FakeMember.start(behaviour);
  const client = new EtcdClient({ addresses: [fake.address], requestTimeout: 1_000 });
  try {
    await use(client, fake);
  } finally {
    client.close();
    fake.stop();
  }
}

const broken = suite('broken answers of etcd');
const garbage: [name: string, answer: Buffer, message: RegExp][] = [
  ['bytes that are no message', Buffer.from([0x0a, 0xff]), /unexpected EOF/],
  ['nothing', Buffer.alloc(0), /it has no header/],
  ['a revision beyond 2^53', bytesOf(RangeResponse, { header: { ...header, revision: 2n ** 60n } }), /beyond 2\^53-1/],
];
for (const [name, answer, message] of garbage)
  broken(`${name}: of a range an error, of a transaction one whose outcome is unknown`, () =>
    withFake({ unary: () => answer }, async (client, fake) => {
      const written = await failure(put(client, { a: '1' }));
      assert.match(written.message, message);
      assert.ok(written.outcomeUnknown);
      assert.is(fake.called.transaction, 1);
      // it is asked again for half of its time, so that the last answer comes within it
      assert.match((await failure(client.range({ key: 'a' }))).message, message);
    }),
  );
broken('a transaction of other operations than were asked for has an unknown outcome', () =>
  withFake({ unary: () => bytesOf(TxnResponse, { header, succeeded: true, responses: [{ responseRange: {} }] }) }, async (client) => {
    const error = await failure(put(client, { a: '1' }));
    assert.match(error.message, /no result for a put/);
    assert.ok(error.outcomeUnknown);
    assert.match((await failure(put(client, { a: '1', b: '2' }))).message, /1 results for 2 operations/);
  }),
);
const refusals: [code: status, details: string, calls: number, unknown: boolean][] = [
  [status.UNAVAILABLE, 'etcdserver: request timed out', 1, true],
  [status.UNAVAILABLE, 'etcdserver: request timed out, possibly due to connection lost', 1, true],
  [status.UNAVAILABLE, 'etcdserver: leader changed', 1, true],
  [status.UNAVAILABLE, 'etcdserver: server stopped', 1, true],
  [status.UNKNOWN, 'context canceled', 1, true],
  [status.CANCELLED, 'context canceled', 1, true],
  [status.RESOURCE_EXHAUSTED, 'trying to send message larger than max (9 vs. 8)', 1, true],
  [status.DATA_LOSS, 'something else', 1, true],
  [status.RESOURCE_EXHAUSTED, 'etcdserver: too many requests', 1, false],
  [status.RESOURCE_EXHAUSTED, 'etcdserver: mvcc: database space exceeded', 1, true],
  [status.DATA_LOSS, 'etcdserver: corrupt cluster', 1, false],
  [status.PERMISSION_DENIED, 'etcdserver: permission denied', 1, false],
];
for (const [code, details, calls, unknown] of refusals)
  broken(`${status[code]} ${details}: a transaction was ${unknown ? 'perhaps' : 'not'} done, and is not sent again`, () =>
    withFake({ unary: () => ({ code, details }) }, async (client, fake) => {
      const error = await failure(put(client, { a: '1' }));
      assert.equal([error.code, error.details, error.outcomeUnknown], [status[code], details, unknown]);
      assert.is(fake.called.transaction, calls);
      assert.is(fake.leaderWanted, 'true');
    }),
  );
broken('what is certainly not done is sent again, where the member has no leader yet', () => {
  const answers = [
    { code: status.UNAVAILABLE, details: 'etcdserver: no leader' },
    bytesOf(TxnResponse, { header, succeeded: true, responses: [{ responsePut: {} }] }),
  ];
  return withFake({ unary: () => answers.shift() ?? 'silence' }, async (client, fake) => {
    assert.ok((await put(client, { a: '1' })).succeeded);
    assert.is(fake.called.transaction, 2);
  });
});
broken('a range is asked again', () => {
  const answers = [{ code: status.UNAVAILABLE, details: 'etcdserver: leader changed' }, bytesOf(RangeResponse, { header, count: 3 })];
  return withFake({ unary: () => answers.shift() ?? 'silence' }, async (client, fake) => {
    assert.is((await client.range({ key: 'a' })).count, 3);
    assert.is(fake.called.range, 2);
  });
});
broken('a range that nobody answers ends in its time', () =>
  withFake({ unary: () => 'silence' }, async (client, fake) => {
    assert.is((await failure(client.range({ key: 'a', serializable: true }, { timeout: 100 }))).code, 'DEADLINE_EXCEEDED');
    assert.is(fake.leaderWanted, undefined);
  }),
);

const created = bytesOf(WatchResponse, { header, created: true });
const event = { type: 0, kv: { key: Buffer.from('a'), modRevision: 6 } };
const streams: [name: string, answers: ReturnType<FakeBehaviour['watch']>, calls: string[], message: RegExp][] = [
  ['bytes that are no message', [created, Buffer.from([0x0a, 0xff])], ['created', 'ended'], /unexpected EOF/],
  [
    'an event of no key',
    [created, bytesOf(WatchResponse, { header, events: [{ type: 0 }] })],
    ['created', 'ended'],
    /an event without a key/,
  ],
  [
    'an event of a type of its own',
    [created, bytesOf(WatchResponse, { header, events: [{ ...event, type: 7 }] })],
    ['created', 'ended'],
    /of the type 7/,
  ],
  ['events of a watch that was not begun', [bytesOf(WatchResponse, { header, events: [event] })], ['ended'], /before the watch was begun/],
  ['an answer without a header', [bytesOf(WatchResponse, { created: true })], ['ended'], /no header/],
  ['an end', [created, 'end'], ['created', 'ended'], /ended the stream/],
  [
    'an end in the middle of a revision',
    [created, bytesOf(WatchResponse, { header, events: [event], fragment: true }), 'end'],
    ['created', 'ended'],
    /ended the stream/,
  ],
  ['silence', [], ['ended'], /DEADLINE_EXCEEDED/],
  ['a lost leader', [created, { code: status.UNAVAILABLE, details: 'etcdserver: no leader' }], ['created', 'ended'], /no leader/],
  [
    'a watch that is refused',
    [created, bytesOf(WatchResponse, { header, canceled: true, cancelReason: 'etcdserver: permission denied' })],
    ['created', 'ended'],
    /PERMISSION_DENIED/,
  ],
];
for (const [name, answers, calls, message] of streams)
  broken(`a stream with ${name} ends the watch`, () =>
    withFake({ watch: () => answers }, async (client) => {
      const noted = new NotedWatch(client, { key: 'a' });
      await noted.until(() => noted.error !== undefined);
      assert.equal(noted.calls, calls);
      assert.match(noted.error?.message ?? '', message);
    }),
  );
broken.run();

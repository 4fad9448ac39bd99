/** Members that are not there, or have lost their cluster: another one is asked. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TunnelSocket } from '../../../../runtime/egress/tunnel-socket.ts';
import { EtcdClient } from '../../../../runtime/storage/etcd/client/etcd-client.ts';
import { startEtcd } from '../../../harness/etcd.ts';
import { eventually } from '../../../harness/eventually.ts';
import { freePorts } from '../../../harness/free-ports.ts';
import { failure, NotedWatch, put } from './asked.ts';
import { FakeMember } from './fake-member.ts';

const etcd = await startEtcd();
/** Nobody listens there, nor comes to: what asks for any free port is not given one of the first 1024. */
const dead = 'http://127.0.0.1:1';

async function withClient<T>(addresses: readonly string[], use: (client: EtcdClient) => Promise<T>, requestTimeout = 5_000): Promise<T> {
  const client = new EtcdClient({ addresses, requestTimeout });
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

const failOver = suite('fail-over between members of etcd');
failOver.after(() => etcd.stop());

failOver('of two addresses of which one is dead the other one is asked', async () => {
  for (const addresses of [
    [dead, etcd.address],
    [etcd.address, dead],
  ])
    await withClient(addresses, async (client) => {
      const begun = Date.now();
      assert.ok((await put(client, { '/a': '1' })).succeeded);
      assert.is((await client.range({ key: '/a' })).count, 1);
      const noted = new NotedWatch(client, { key: '/a' });
      await noted.until(() => noted.created > 0);
      assert.ok(Date.now() - begun < 2_000);
      noted.watch.cancel();
    });
});
for (const [what, set] of [
  ['', 0],
  [', where the clock of the machine is set back an hour meanwhile', -3_600_000],
] as const)
  failOver(`one that takes connections and says nothing keeps nobody long${what}`, async () => {
    const sockets = new Set<{ destroy(): void }>();
    const silent = createServer((socket) => sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const date = Date.now;
    try {
      await withClient([`http://127.0.0.1:${(silent.address() as { port: number }).port}`, etcd.address], async (client) => {
        const begun = performance.now();
        const noted = new NotedWatch(client, { key: '/b' });
        const written = put(client, { '/b': '1' });
        Date.now = () => date() + set;
        assert.ok((await written).succeeded);
        await noted.until(() => noted.created > 0);
        noted.watch.cancel();
        assert.ok(performance.now() - begun < 3_000);
      });
    } finally {
      Date.now = date;
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });
failOver('without any, calls fail soon, say why, however short they may be, and are certainly not done', () =>
  withClient(
    [dead],
    async (client) => {
      const begun = Date.now();
      const [write, read] = await Promise.all([failure(put(client, { '/c': '1' })), failure(client.range({ key: '/c' }))]);
      assert.match(write.message, /ECONNREFUSED/);
      assert.ok(write.message.includes(dead), write.message);
      assert.equal([write.code, write.isUnavailable, write.outcomeUnknown], ['UNAVAILABLE', true, false]);
      assert.is(read.code, 'UNAVAILABLE');
      assert.ok(Date.now() - begun < 2_000);
      const inTime = await failure(client.range({ key: '/c' }, { timeout: 50 }));
      assert.equal([inTime.code, inTime.outcomeUnknown], ['DEADLINE_EXCEEDED', false]);
      const noted = new NotedWatch(client, { key: '/c' });
      await noted.until(() => noted.error !== undefined);
      assert.ok(noted.error?.isUnavailable);
    },
    1_000,
  ),
);
failOver('a member without a leader is left for another one, by transactions and by watches', async () => {
  const refusal = { code: status.UNAVAILABLE, details: 'etcdserver: no leader' };
  const fake = await FakeMember.start({ unary: () => refusal, watch: () => [refusal] });
  try {
    await withClient([fake.address, etcd.address], async (client) => {
      assert.ok((await put(client, { '/d': '1' })).succeeded);
      assert.ok((await put(client, { '/d': '2' })).succeeded);
      assert.is(fake.called.transaction, 1);
    });
    await withClient([fake.address, etcd.address], async (client) => {
      const noted = new NotedWatch(client, { key: '/d' });
      await noted.until(() => noted.error !== undefined);
      const next = new NotedWatch(client, { key: '/d' });
      await next.until(() => next.created > 0);
      next.watch.cancel();
    });
  } finally {
    fake.stop();
  }
});
failOver('a transaction whose answer is lost is sent to nobody else', async () => {
  const fake = await FakeMember.start({ unary: () => 'silence' });
  await withClient([fake.address, etcd.address], async (client) => {
    const { revision } = await withClient([etcd.address], (own) => own.range({ key: '/e' }));
    const lost = failure(put(client, { '/e': '1' }));
    await eventually('the transaction has come', () => fake.called.transaction > 0);
    fake.stop();
    const error = await lost;
    assert.equal([error.isUnavailable, error.outcomeUnknown], [true, true]);
    // the next one goes to the other member
    const now = await client.range({ key: '/e' });
    assert.equal([now.count, now.revision], [0, revision]);
  });
});
for (const code of [status.UNAVAILABLE, status.FAILED_PRECONDITION])
  failOver(`a learner, which serves nothing, is left for another member: ${status[code]}`, async () => {
    const learner = { code, details: 'etcdserver: rpc not supported for learner' };
    const fake = await FakeMember.start({ unary: () => learner, watch: () => [learner] });
    try {
      await withClient([fake.address, etcd.address], async (client) => {
        assert.ok((await put(client, { '/l': '1' })).succeeded);
        assert.is((await client.range({ key: '/l' })).count, 1);
        assert.equal(fake.called, { range: 0, transaction: 1, watch: 0 });
      });
      await withClient([fake.address, etcd.address], async (client) => {
        const noted = new NotedWatch(client, { key: '/l' });
        await noted.until(() => noted.error !== undefined);
        assert.is(noted.error?.isUnavailable, true);
        assert.is((await client.range({ key: '/l' })).count, 1);
        assert.is(fake.called.range, 0);
      });
      await withClient([fake.address], async (client) => {
        const error = await failure(put(client, { '/l': '2' }));
        assert.equal([error.isUnavailable, error.outcomeUnknown], [true, false]);
      });
    } finally {
      fake.stop();
    }
  });
for (const refusal of [
  { code: status.INVALID_ARGUMENT, details: 'etcdserver: revision of auth store is old' },
  { code: status.UNKNOWN, details: 'raft proposal dropped' },
])
  failOver(`what is certainly not done, and may be soon, is asked again: ${refusal.details}`, async () => {
    const fake = await FakeMember.start({ unary: () => refusal });
    try {
      await withClient([fake.address, etcd.address], async (client) => {
        assert.ok((await put(client, { '/m': '1' })).succeeded);
        assert.is(fake.called.transaction, 1);
      });
      await withClient([fake.address], async (client) => {
        const error = await failure(put(client, { '/m': '2' }));
        assert.equal([error.isUnavailable, error.outcomeUnknown], [true, false]);
        assert.ok(fake.called.transaction > 2, String(fake.called.transaction));
      });
    } finally {
      fake.stop();
    }
  });
failOver('who does not answer is told by the same words each time, whatever the milliseconds were', async () => {
  const fake = await FakeMember.start({ unary: () => 'silence' });
  try {
    await withClient([fake.address], async (client) => {
      const late: string[] = [];
      for (const timeout of [50, 60, 73]) late.push((await failure(client.range({ key: '/n' }, { timeout }))).message);
      assert.equal(new Set(late), new Set([`etcd: DEADLINE_EXCEEDED: no answer in time from ${new URL(fake.address).host}`]));
    });
  } finally {
    fake.stop();
  }
});
failOver('who does not answer behind a socket of this process is told by the address that was given', async () => {
  const fake = await FakeMember.start({ unary: () => 'silence' });
  const { hostname, port } = new URL(fake.address);
  const way = await TunnelSocket.open(
    async () => connect(Number(port), hostname),
    { host: 'etcd.example.com', port: 2379 },
    () => {},
  );
  const addresses = ['http://etcd.example.com:2379'];
  const client = new EtcdClient({ addresses, requestTimeout: 5_000, targetOf: () => `unix:${way.path}` });
  try {
    const { message } = await failure(client.range({ key: '/n' }, { timeout: 500 }));
    assert.is(message, 'etcd: DEADLINE_EXCEEDED: no answer in time from etcd.example.com:2379');
  } finally {
    client.close();
    way.close();
    fake.stop();
  }
});
failOver('calls wait while their member is started again', async () => {
  await withClient([etcd.address], async (client) => {
    const { revision } = await put(client, { '/f': '1' });
    await etcd.kill();
    // what is sent before the client hears of it is perhaps done
    await delay(100);
    await Promise.all([put(client, { '/f': '2' }), client.range({ key: '/f' }), etcd.restart()]);
    assert.is((await client.range({ key: '/f' })).kvs[0]?.createRevision, revision);
  });
});
failOver('members of a cluster without a majority have no leader: calls and watches fail instead of waiting', async () => {
  const ports = await freePorts(6);
  const peers = ports.slice(3).map((port) => `http://127.0.0.1:${port}`);
  const cluster = peers.map((peer, i) => `m${i}=${peer}`).join();
  const members = await Promise.all(
    peers.map((peer, i) =>
      startEtcd({
        port: ports[i] as number,
        flags: [
          `--name=m${i}`,
          `--initial-cluster=${cluster}`,
          `--listen-peer-urls=${peer}`,
          `--initial-advertise-peer-urls=${peer}`,
          '--election-timeout=300',
          '--heartbeat-interval=30',
        ],
      }),
    ),
  );
  const [first, second, third] = members as [(typeof members)[0], (typeof members)[0], (typeof members)[0]];
  try {
    await withClient([first.address, second.address, third.address], async (client) => {
      await put(client, { '/g': '1' });
      await first.kill();
      await putUntilDone(client, { '/g': '2' });
      const noted = new NotedWatch(client, { key: '/g' });
      await noted.until(() => noted.created > 0);
      await third.kill();
      await noted.until(() => noted.error !== undefined);
      assert.ok(noted.error?.isUnavailable, noted.error?.message);
    });
    await withClient([second.address], async (client) => {
      await eventually('there is no leader', async () => (await client.status()).leader === 0n);
      const error = await failure(put(client, { '/g': '3' }));
      assert.equal([error.isNoLeader, error.outcomeUnknown], [true, false], error.message);
      assert.is((await client.range({ key: '/g', serializable: true })).kvs[0]?.value.toString(), '2');
    });
  } finally {
    // one that ends in order tries to hand its cluster over first
    for (const member of members) await member.kill();
    await Promise.all(members.map((member) => member.stop()));
  }
});

/** While another leader is chosen a transaction may fail. */
async function putUntilDone(client: EtcdClient, values: Readonly<Record<string, string>>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await put(client, values);
      return;
    } catch (error) {
      if (attempt === 10) throw error;
    }
  }
}
failOver.run();

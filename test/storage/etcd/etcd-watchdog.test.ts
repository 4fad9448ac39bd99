import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EtcdClient } from '../../../runtime/storage/etcd/client/etcd-client.ts';
import { EtcdWatchdog } from '../../../runtime/storage/etcd/etcd-watchdog.ts';
import { away, HeldEtcd, until } from './held-etcd.ts';

const asks = (etcd: HeldEtcd) => () => etcd.client.range({ key: '/r/', keysOnly: true, limit: 1 });

const watchdogs = suite('looks at etcd from time to time');

function row(title: string, body: (etcd: HeldEtcd, dog: EtcdWatchdog) => Promise<void>): void {
  watchdogs(title, async () => {
    const etcd = new HeldEtcd();
    const dog = new EtcdWatchdog(etcd.client, asks(etcd), { timeout: 30, sizeInterval: 0 });
    try {
      await body(etcd, dog);
    } finally {
      dog.stop();
    }
  });
}

row('where etcd answers nothing is wrong, and its size is known', async (etcd, dog) => {
  await until(() => dog.databaseBytes !== undefined && etcd.ranges.length > 2);
  assert.is(dog.databaseBytes, 4_096);
  assert.is(dog.trouble, undefined);
});

watchdogs('seldom, where the flags name longer times than a timer can wait', async () => {
  const etcd = new HeldEtcd();
  let sizes = 0;
  const client = { ...etcd.client, status: () => Promise.resolve({ dbSize: ++sizes }) } as unknown as EtcdClient;
  const dog = new EtcdWatchdog(client, asks(etcd), { timeout: 2 ** 31, sizeInterval: 2 ** 31 });
  await sleep(50);
  dog.stop();
  // the size is read at the beginning
  assert.equal([etcd.ranges.length, sizes], [0, 1]);
});

row('where etcd cannot be reached it says why, until it can again', async (etcd, dog) => {
  etcd.beforeRange = () => {
    throw away();
  };
  await until(() => dog.trouble !== undefined);
  assert.is(dog.trouble, `etcd cannot be reached: ${away().message}`);
  etcd.beforeRange = () => {};
  await until(() => dog.trouble === undefined);
});

row('it asks no more when it has stopped', async (etcd, dog) => {
  await until(() => etcd.ranges.length > 0);
  dog.stop();
  const { length } = etcd.ranges;
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.is(etcd.ranges.length, length);
});

watchdogs('the size is asked for again, and is not known where it is not told', async () => {
  const etcd = new HeldEtcd();
  const { client } = etcd;
  let size: number | Error = 1;
  const status = async () => {
    if (size instanceof Error) throw size;
    return { dbSize: size };
  };
  const dog = new EtcdWatchdog(Object.assign(client, { status }) as never, asks(etcd), { timeout: 1_000_000, sizeInterval: 10 });
  try {
    await until(() => dog.databaseBytes === 1);
    size = 2;
    await until(() => dog.databaseBytes === 2);
    size = away();
    await until(() => dog.databaseBytes === undefined);
  } finally {
    dog.stop();
  }
});

watchdogs.run();

import { setTimeout as delay } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RangeRequest } from '../../../runtime/storage/etcd/client/etcd-client.ts';
import { openEtcdStorage } from '../../../runtime/storage/etcd/etcd-storage.ts';
import type { ValueCodec } from '../../../runtime/storage/etcd/value-codec.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { bytes, shown } from '../contract/store.ts';
import { plainValues } from './plain-values.ts';

const test = suite('values of etcd that are read anew');
const etcd = await startEtcd();

test.after(() => etcd.stop());

test('cost the resources that they are of alone, and come when etcd is back', async () => {
  let mark = '';
  const codec: ValueCodec = {
    toEtcd: plainValues.toEtcd,
    fromEtcd: (_key, value) => ({ bytes: Buffer.from(value + mark), revisionOffset: -1 }),
  };
  const client = etcd.client(500);
  const ranges: string[] = [];
  const range = client.range.bind(client);
  client.range = (request: RangeRequest, limits) => {
    ranges.push(String(request.key));
    return range(request, limits);
  };
  const storage = await openEtcdStorage({ client, prefix: '/registry', codec, watchdog: { timeout: 100_000, sizeInterval: 0 } });
  for (const key of ['a.example/toys/x', 'pods/a', 'pods/b', 'z.example/toys/y']) await storage.create(key, bytes(key));
  ranges.length = 0;
  mark = '!';
  await storage.readAgain((key) => key.includes('toys'));
  assert.equal(ranges, ['/registry/a.example/toys/x', '/registry/z.example/toys/y']);
  await etcd.kill();
  mark = '?';
  const again = storage.readAgain((key) => key === 'pods/b');
  await delay(700);
  // both: etcd may answer the storage before it answers who has started it, and is not to be stopped between
  await Promise.all([etcd.start(), again]);
  assert.equal(
    shown(storage.range({ start: '', end: '' })).map((entry) => entry.replace(/@\d+/, '')),
    ['a.example/toys/x=a.example/toys/x!', 'pods/a=pods/a', 'pods/b=pods/b?', 'z.example/toys/y=z.example/toys/y!'],
  );
  await storage.close();
});

test.run();

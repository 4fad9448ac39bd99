/** An etcd that takes no more, and values that are larger than it takes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StorageFull, StorageUnreachable, ValueTooLarge } from '../../../runtime/storage/errors.ts';
import type { EtcdStorage } from '../../../runtime/storage/etcd/etcd-storage.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { all, bytes, rejection } from '../contract/store.ts';
import { allOfEtcd, assertReplayable, withStores } from './opened-stores.ts';

const PREFIX = '/registry';
const QUOTA = 8 * 1024 * 1024;
const MAX_REQUEST = 256 * 1024;

const etcd = await startEtcd({ flags: [`--quota-backend-bytes=${QUOTA}`, `--max-request-bytes=${MAX_REQUEST}`] });
const client = etcd.client();
const full = suite('an etcd that takes no more');
full.after(async () => {
  client.close();
  await etcd.stop();
});

const large = (bytes: number) => ({ bytes: Buffer.alloc(bytes, 'x'), revisionOffset: -1 });

full('a value beyond its limit is refused as such, a smaller one is taken', () =>
  withStores(etcd, { prefix: PREFIX }, 1, async (storage) => {
    const store = storage as EtcdStorage;
    // the first is refused by etcd, the other ones by its end of the connection
    for (const size of [MAX_REQUEST + 1, MAX_REQUEST + 1024 * 1024, 20 * 1024 * 1024]) {
      const error = await rejection(store.create('pods/large', large(size)));
      assert.instance(error, ValueTooLarge, `${size}: ${error}`);
    }
    assert.is(store.revisionOf('pods/large'), undefined);
    const revision = await store.create('pods/large', large(MAX_REQUEST - 1024));
    assert.instance(await rejection(store.update('pods/large', revision, large(MAX_REQUEST + 1))), ValueTooLarge);
    assert.is(store.get('pods/large')?.value.length, MAX_REQUEST - 1024);
    await store.delete('pods/large', revision, bytes('last'));
  }),
);

full('where its store is full nothing is written, and reads and removals go on', () =>
  withStores(etcd, { prefix: PREFIX }, 2, async (one, other) => {
    const [first, second] = [one as EtcdStorage, other as EtcdStorage];
    const [done, refused] = [new Map<string, number>(), new Set<string>()];
    const fill = async (storage: EtcdStorage, name: string): Promise<void> => {
      for (let i = 0; i < 300; i++) {
        const key = `pods/${name}/${i}`;
        try {
          done.set(key, await storage.create(key, large(50_000)));
        } catch (error) {
          assert.instance(error, StorageFull, String(error));
          refused.add(key);
          return;
        }
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, i) => fill(i % 2 === 0 ? first : second, `w${i}`)));
    assert.is(refused.size, 16);
    assert.ok(done.size > 20, String(done.size));
    for (const storage of [first, second]) {
      assert.instance(await rejection(storage.create('pods/more', bytes('1'))), StorageFull);
      assert.instance(await rejection(storage.probe()), StorageFull);
      await storage.barrier();
      for (const [key, revision] of done) assert.is(storage.revisionOf(key), revision);
    }
    const [key, revision] = [...done][0] as [string, number];
    assert.instance(await rejection(first.update(key, revision, bytes('1'))), StorageFull);
    await first.delete(key, revision, bytes('last'));
    await second.barrier();
    assert.is(second.revisionOf(key), undefined);
    assert.equal(all(first), await allOfEtcd(client, PREFIX));
    assertReplayable(second, 50);
    assert.equal(
      [...refused].filter((each) => first.revisionOf(each) !== undefined),
      [],
      'of what was refused',
    );
    assert.not.instance(await rejection(first.probe()), StorageUnreachable);
  }),
);

full.run();

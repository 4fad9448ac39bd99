import * as assert from 'uvu/assert';
import { RevisionCompacted, RevisionInFuture } from '../../../runtime/storage/errors.ts';
import { bytes, type StoreFactory, type StoreSuite, storeSuite, thrown } from './store.ts';

export function readCases(name: string, open: StoreFactory): StoreSuite {
  const test = storeSuite(`${name}: get`, open);

  test('an empty store is at revision 0 and holds nothing', ({ storage }) => {
    assert.is(storage.currentRevision(), 0);
    assert.is(storage.compactedRevision(), 0);
    assert.is(storage.get('pods/a'), undefined);
    assert.is(storage.get('pods/a', 0), undefined);
  });

  test('finds a key and no other', async ({ storage }) => {
    await storage.create('pods/a', bytes('1'));
    const entry = storage.get('pods/a');
    assert.equal({ ...entry, value: String(entry?.value) }, { key: 'pods/a', revision: 1, value: '1' });
    assert.is(storage.revisionOf('pods/a'), 1);
    for (const key of ['pods', 'pods/', 'pods/a/', 'pods/aa', 'pods/b', '', 'a']) {
      assert.is(storage.get(key), undefined, key);
      assert.is(storage.revisionOf(key), undefined, key);
      assert.is(storage.mostBytesOf(key), 0, key);
    }
  });

  test('says how many bytes a value has at most, without being far off', async ({ storage }) => {
    for (const length of [0, 1, 100, 3_000, 32_768, 100_000]) {
      const key = `pods/${length}`;
      const revision = await storage.create(key, bytes('a'.repeat(length)));
      assert.ok(storage.mostBytesOf(key) >= length, key);
      assert.ok(storage.mostBytesOf(key) <= length + 10_000, key);
      await storage.update(key, revision, bytes('a'.repeat(2 * length)));
      assert.ok(storage.mostBytesOf(key) >= 2 * length, key);
      assert.ok(storage.mostBytesOf(key) <= 2 * length + 10_000, key);
      await storage.delete(key, storage.revisionOf(key) as number, bytes('gone'));
      assert.is(storage.mostBytesOf(key), 0, key);
    }
  });

  test('reads every past of a key', async ({ storage }) => {
    await storage.create('pods/other', bytes('1'));
    await storage.create('pods/a', bytes('2'));
    await storage.update('pods/a', 2, bytes('3'));
    await storage.create('pods/another', bytes('4'));
    await storage.update('pods/a', 3, bytes('5'));
    await storage.delete('pods/a', 5, bytes('gone'));
    await storage.create('pods/aa', bytes('7'));
    await storage.create('pods/a', bytes('8'));
    const past = Array.from({ length: 9 }, (_, revision) => {
      const entry = storage.get('pods/a', revision);
      return entry && `${entry.revision}=${entry.value}`;
    });
    assert.equal(past, [undefined, undefined, '2=2', '3=3', '3=3', '5=5', undefined, undefined, '8=8']);
  });

  test('refuses a revision that is not there yet', async ({ storage }) => {
    await storage.create('pods/a', bytes('1'));
    const error = thrown(() => storage.get('pods/a', 2));
    assert.instance(error, RevisionInFuture);
    assert.equal({ ...(error as RevisionInFuture) }, { name: 'RevisionInFuture', revision: 2, currentRevision: 1 });
  });

  test('refuses a revision that is compacted, not the oldest one kept', async ({ storage }) => {
    await storage.create('pods/a', bytes('1'));
    await storage.update('pods/a', 1, bytes('2'));
    await storage.update('pods/a', 2, bytes('3'));
    await storage.compact(2);
    const error = thrown(() => storage.get('pods/a', 1));
    assert.instance(error, RevisionCompacted);
    assert.equal({ ...(error as RevisionCompacted) }, { name: 'RevisionCompacted', revision: 1, compactedRevision: 2 });
    assert.is(String(storage.get('pods/a', 2)?.value), '2');
  });

  test('a look at a key is given the latest value where it is', async ({ storage }) => {
    await storage.create('pods/a', bytes('1'));
    await storage.create('pods/b', bytes('other'));
    await storage.update('pods/a', 1, bytes('3'));
    const text = ({ key, revision, value }: { key: string; revision: number; value: Buffer }) => `${key} ${revision} ${value}`;
    assert.is(storage.look('pods/a', text), 'pods/a 3 3');
    await storage.delete('pods/a', 3, bytes('gone'));
    for (const key of ['pods/a', 'pods', 'pods/c', '', 'a\0'])
      assert.is(
        storage.look(key, () => assert.unreachable()),
        undefined,
        key,
      );
    const failed = thrown(() =>
      storage.look('pods/b', () => {
        throw new RangeError('of the caller');
      }),
    );
    assert.is((failed as RangeError).message, 'of the caller');
    assert.is(storage.look('pods/b', text), 'pods/b 2 other');
  });

  test('the bytes belong to the caller', async ({ storage }) => {
    await storage.create('pods/a', bytes('first'));
    await storage.create('pods/b', bytes('other'));
    const value = storage.get('pods/a')?.value as Buffer;
    storage.get('pods/b');
    await storage.update('pods/a', 1, bytes('later'));
    assert.is(String(value), 'first');
    value.fill('x');
    assert.is(String(storage.get('pods/a', 1)?.value), 'first');
  });

  return test;
}

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConvertingStorage } from '../../../runtime/registry/resource-store/converting-storage.ts';
import type { StoredForm } from '../../../runtime/registry/resource-store/stored-form.ts';
import type { Change, StoredBytes } from '../../../runtime/storage/storage.ts';
import { lmdbStore } from '../../storage/lmdb/lmdb-store.ts';

const test = suite('a store of other forms');

const bytes = (text: string): StoredBytes => ({ bytes: Buffer.from(text), revisionOffset: -1 });

/** Stores what is written in capitals. */
function capitals() {
  const read: string[] = [];
  const form: Pick<StoredForm, 'fromStored' | 'isOutdated' | 'toStored'> = {
    toStored: ({ bytes: value, revisionOffset }) => ({ bytes: Buffer.from(String(value).toUpperCase()), revisionOffset }),
    fromStored(value) {
      read.push(String(value));
      return Buffer.from(String(value).toLowerCase());
    },
    isOutdated: () => false,
  };
  return { read, form: form as StoredForm };
}

test('a change is converted once for all who read it, and others are as they are stored', async () => {
  const store = await lmdbStore();
  try {
    const { read, form } = capitals();
    const storage = new ConvertingStorage(store.storage, new Map([['things', form]]));
    await storage.create('things/a', bytes('first'));
    await storage.create('others/a', bytes('Other'));
    await storage.update('things/a', 1, bytes('second'));
    const told = (changes: Iterable<Change>): string[] => Array.from(changes, ({ key, value }) => `${key}=${value}`);
    for (let i = 0; i < 3; i++) assert.equal(told(storage.changes(0, '')), ['things/a=first', 'others/a=Other', 'things/a=second']);
    assert.equal(told(storage.changes(1, 'things/')), ['things/a=second']);
    assert.equal(read, ['FIRST', 'SECOND']);
    assert.is(String([...storage.changes(2, '')][0]?.previousValue), 'first');
    // what another store of other forms makes of the same change is its own
    assert.equal(told(new ConvertingStorage(store.storage, new Map()).changes(2, '')), ['things/a=SECOND']);
  } finally {
    await store.remove();
  }
});

test.run();

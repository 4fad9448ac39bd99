import * as assert from 'uvu/assert';
import { Conflict, GuardBroken, KeyExists, KeyNotFound } from '../../../runtime/storage/errors.ts';
import { MAX_KEY_BYTES, REVISION_GAP, repeated, type StoredBytes } from '../../../runtime/storage/storage.ts';
import { all, bytes, rejection, type StoreFactory, type StoreSuite, shown, storeSuite } from './store.ts';

export function writeCases(name: string, open: StoreFactory): StoreSuite {
  const test = storeSuite(`${name}: writes`, open);

  test('every change takes a higher revision, whatever the key', async ({ storage }) => {
    assert.is(await storage.create('pods/a/x', bytes('1')), 1);
    assert.is(await storage.create('nodes/y', bytes('2')), 2);
    assert.is(await storage.update('pods/a/x', 1, bytes('3')), 3);
    assert.is(await storage.delete('nodes/y', 2, bytes('4')), 4);
    assert.is(storage.currentRevision(), 4);
  });

  test('a write that has resolved is visible', async ({ storage }) => {
    for (let i = 0; i < 20; i++) {
      const revision = await storage.create(`pods/${i}`, bytes(`value ${i}`));
      assert.is(storage.currentRevision(), revision);
      assert.is(storage.settledRevision(), revision);
      assert.equal(String(storage.get(`pods/${i}`)?.value), `value ${i}`);
    }
  });

  test('a write that has resolved is settled while others are under way, and nothing is before it is visible', async ({ storage }) => {
    const write = async (_: unknown, i: number): Promise<void> => {
      const revision = await storage.create(`pods/${i}`, bytes(String(i)));
      const settled = storage.settledRevision();
      assert.ok(settled >= revision, `${settled} is settled where ${revision} has resolved`);
      assert.ok(settled <= storage.currentRevision());
    };
    for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: 60 }, (_, i) => write(_, 60 * round + i)));
  });

  test('writes that arrive together get revisions of their own', async ({ storage }) => {
    const revisions = await Promise.all(Array.from({ length: 200 }, (_, i) => storage.create(`pods/${i}`, bytes(String(i)))));
    assert.is(new Set(revisions).size, 200);
    for (const [i, revision] of revisions.entries()) assert.is(storage.get(`pods/${i}`)?.revision, revision);
    assert.is(storage.currentRevision(), Math.max(...revisions));
  });

  test('a probe changes nothing, and comes after the writes before it', async ({ storage }) => {
    const writes = Promise.all(Array.from({ length: 50 }, (_, i) => storage.create(`pods/${i}`, bytes(String(i)))));
    await storage.probe();
    assert.is(storage.currentRevision(), 50);
    await writes;
    const before = all(storage);
    await storage.probe();
    await storage.probe();
    assert.is(storage.currentRevision(), 50);
    assert.equal(all(storage), before);
    assert.is(await storage.create('pods/x', bytes('x')), 51);
  });

  test('thousands of writes at once are all done', async ({ storage }) => {
    await Promise.all(Array.from({ length: 3_000 }, (_, i) => storage.create(`pods/${i}`, bytes('x'.repeat(1_000)))));
    assert.is(storage.count({ start: '', end: '' }), 3_000);
  });

  test('create refuses a key that has a value', async ({ storage }) => {
    await storage.create('pods/a', bytes('1'));
    await storage.update('pods/a', 1, bytes('2'));
    const error = await rejection(storage.create('pods/a', bytes('3')));
    assert.instance(error, KeyExists);
    assert.equal({ ...(error as KeyExists) }, { name: 'KeyExists', key: 'pods/a', revision: 2 });
    assert.equal(all(storage), ['pods/a@2=2']);
  });

  test('a deleted key can be created again', async ({ storage }) => {
    await storage.create('pods/a', bytes('1'));
    await storage.delete('pods/a', 1, bytes('1'));
    assert.is(await storage.create('pods/a', bytes('3')), 3);
    assert.is(await storage.update('pods/a', 3, bytes('4')), 4);
    assert.is(await storage.delete('pods/a', 4, bytes('4')), 5);
    assert.is(await storage.create('pods/a', bytes('6')), 6);
    assert.equal(all(storage), ['pods/a@6=6']);
  });

  test('of creates of one key that arrive together, one wins', async ({ storage }) => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => storage.create('pods/a', bytes(String(i)))));
    assert.is(results.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const result of results) if (result.status === 'rejected') assert.instance(result.reason, KeyExists);
    assert.is(storage.currentRevision(), 1);
  });

  for (const [what, before] of [
    ['a key that guards it', true],
    ['the absence of a key that guards it', false],
  ] as const)
    test(`a write counts on ${what}, until that changes`, async ({ storage }) => {
      if (before) await storage.create('guards/a', bytes('1'));
      const guard = { key: 'guards/a', revision: storage.revisionOf('guards/a') };
      const created = await storage.create('pods/a', bytes('1'), guard);
      const updated = await storage.update('pods/a', created, bytes('2'), guard);
      const now = before
        ? await storage.update('guards/a', guard.revision as number, bytes('2'))
        : await storage.create('guards/a', bytes('1'));
      for (const write of [() => storage.create('pods/b', bytes('1'), guard), () => storage.update('pods/a', updated, bytes('3'), guard)]) {
        const error = await rejection(write());
        assert.instance(error, GuardBroken);
        const expected = { name: 'GuardBroken', key: 'guards/a', expectedRevision: guard.revision, actualRevision: now };
        assert.equal({ ...(error as GuardBroken) }, expected);
      }
      assert.is(storage.currentRevision(), now);
      const removed = await storage.delete('guards/a', now, bytes('2'));
      assert.instance(await rejection(storage.create('pods/b', bytes('1'), { key: 'guards/a', revision: now })), GuardBroken);
      assert.is(await storage.create('pods/b', bytes('1'), { key: 'guards/a', revision: undefined }), removed + 1);
    });

  test('a write counts on all that guards it, and the first that has changed is told', async ({ storage }) => {
    const revision = await storage.create('guards/a', bytes('1'));
    const none = { key: 'guards/b', revision: undefined };
    const guard = { key: 'guards/a', revision, and: none };
    const created = await storage.create('pods/a', bytes('1'), guard);
    const updated = await storage.update('pods/a', created, bytes('2'), { ...none, and: { key: 'guards/a', revision } });
    const other = await storage.create('guards/b', bytes('1'));
    const broken = async (): Promise<unknown[]> => {
      const errors = [
        await rejection(storage.create('pods/b', bytes('1'), guard)),
        await rejection(storage.update('pods/a', updated, bytes('3'), guard)),
      ] as GuardBroken[];
      return errors.map(({ name, key, expectedRevision, actualRevision }) => [name, key, expectedRevision, actualRevision]);
    };
    const first = ['GuardBroken', 'guards/b', undefined, other];
    assert.equal(await broken(), [first, first]);
    const now = await storage.update('guards/a', revision, bytes('2'));
    const second = ['GuardBroken', 'guards/a', revision, now];
    assert.equal(await broken(), [second, second]);
    assert.is(storage.currentRevision(), now);
  });

  test('a key that is not as expected counts before what guards the write', async ({ storage }) => {
    await storage.create('pods/a', bytes('1'));
    const broken = { key: 'guards/a', revision: 7 };
    assert.instance(await rejection(storage.create('pods/a', bytes('2'), broken)), KeyExists);
    assert.instance(await rejection(storage.update('pods/a', 9, bytes('2'), broken)), Conflict);
    assert.instance(await rejection(storage.update('pods/b', 9, bytes('2'), broken)), KeyNotFound);
  });

  test('of guarded writes that arrive with a change of their guard, those behind it are refused', async ({ storage, store }) => {
    const guard = { key: 'guards/a', revision: undefined };
    const writes = [
      ...Array.from({ length: 4 }, (_, i) => storage.create(`pods/a${i}`, bytes('1'), guard)),
      storage.create('guards/a', bytes('1')),
      ...Array.from({ length: 4 }, (_, i) => storage.create(`pods/b${i}`, bytes('1'), guard)),
    ];
    const results = await Promise.allSettled(writes);
    const guarding = storage.revisionOf('guards/a') as number;
    for (const result of results)
      if (result.status === 'fulfilled') assert.ok(result.value <= guarding);
      else assert.instance(result.reason, GuardBroken);
    assert.is(results[4]?.status, 'fulfilled');
    if (store.writesInAnyOrder) return;
    assert.equal(
      results.map(({ status }) => status === 'fulfilled'),
      [true, true, true, true, true, false, false, false, false],
    );
  });

  for (const operation of ['update', 'delete'] as const) {
    test(`${operation} refuses a key that was never there`, async ({ storage }) => {
      const error = await rejection(storage[operation]('pods/a', 1, bytes('1')));
      assert.instance(await rejection(storage[operation]('pods/a', 0, bytes('1'))), KeyNotFound);
      assert.instance(error, KeyNotFound);
      assert.equal({ ...(error as KeyNotFound) }, { name: 'KeyNotFound', key: 'pods/a' });
    });

    test(`${operation} refuses a deleted key`, async ({ storage }) => {
      await storage.create('pods/a', bytes('1'));
      await storage.delete('pods/a', 1, bytes('1'));
      for (const revision of [0, 1, 2]) {
        assert.instance(await rejection(storage[operation]('pods/a', revision, bytes('1'))), KeyNotFound);
      }
    });

    test(`${operation} refuses another revision than the latest`, async ({ storage }) => {
      await storage.create('pods/a', bytes('1'));
      await storage.create('pods/b', bytes('1'));
      await storage.update('pods/a', 1, bytes('2'));
      for (const expectedRevision of [0, 1, 2, 4]) {
        const error = await rejection(storage[operation]('pods/a', expectedRevision, bytes('3')));
        assert.instance(error, Conflict);
        assert.equal({ ...(error as Conflict) }, { name: 'Conflict', key: 'pods/a', expectedRevision, actualRevision: 3 });
      }
      assert.equal(shown(storage.range({ start: 'pods/a', end: 'pods/b' })), ['pods/a@3=2']);
    });

    test(`of writers that ${operation} one revision together, one wins`, async ({ storage }) => {
      await storage.create('pods/a', bytes('0'));
      const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => storage[operation]('pods/a', 1, bytes(String(i)))));
      assert.is(results.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.is(storage.currentRevision(), 2);
    });
  }

  test('a refused write takes no revision and leaves those beside it alone', async ({ storage, store }) => {
    await storage.create('pods/a', bytes('1'));
    const results = await Promise.allSettled([
      storage.create('pods/b', bytes('2')),
      storage.create('pods/a', bytes('no')),
      storage.update('pods/c', 1, bytes('no')),
      storage.create('pods/d', bytes('3')),
    ]);
    assert.equal(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    const [b, d] = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    assert.equal(store.writesInAnyOrder ? [b, d].toSorted() : [b, d], [2, 3]);
    assert.equal(all(storage), ['pods/a@1=1', `pods/b@${b}=2`, `pods/d@${d}=3`]);
    assert.is(storage.currentRevision(), 3);
  });

  const gapped = (text: string): StoredBytes => {
    const before = `{"t":"${text}","r":"`;
    return { bytes: Buffer.from(`${before}${'?'.repeat(REVISION_GAP)},"rest":"${text}"}`), revisionOffset: before.length };
  };

  test("the revision is filled into the stored value and into the caller's buffer", async ({ storage, base }) => {
    const created = gapped('created');
    const updated = gapped('updated');
    const deleted = gapped('deleted');
    await storage.create('pods/a', created);
    await storage.update('pods/a', 1, updated);
    await storage.delete('pods/a', 2, deleted);
    const expected = [
      { t: 'created', r: String(base + 1), rest: 'created' },
      { t: 'updated', r: String(base + 2), rest: 'updated' },
      { t: 'deleted', r: String(base + 3), rest: 'deleted' },
    ];
    const stored = Array.from(storage.changes(0, 'pods/'), ({ value }) => String(value));
    assert.equal(
      stored.map((text) => JSON.parse(text)),
      expected,
    );
    assert.equal(
      [created, updated, deleted].map(({ bytes }) => String(bytes)),
      stored,
    );
  });

  for (const [what, text, writers] of [
    ['short', 'a', 1],
    ['long', 'b'.repeat(5_000), 1],
    ['of megabytes', 'c'.repeat(3 * 1024 * 1024), 1],
    ['of many writers', 'd'.repeat(2_000), 64],
  ] as const) {
    test(`a value that is written again says its own revision, the one before stays: ${what}`, async ({ storage, store, base }) => {
      const cycles = Array.from({ length: writers }, async (_, i) => {
        const key = `pods/${i}`;
        const value = gapped(`${text}${i}`);
        const created = await storage.create(key, value);
        const updated = await storage.update(key, created, repeated(value, created));
        const deleted = await storage.delete(key, updated, repeated(value, updated));
        return [created, updated, deleted].map((revision) => [revision, `${text}${i}`]);
      });
      const expected = (await Promise.all(cycles)).flat().toSorted(([a], [b]) => Number(a) - Number(b));
      const again = await store.reopen();
      const values = Array.from(again.changes(0, 'pods/'), ({ revision, value }) => [revision, String(value)] as const);
      assert.equal(
        values.map(([revision, value]) => [revision, JSON.parse(value).rest]),
        expected,
      );
      for (const [revision, value] of values) assert.is(JSON.parse(value).r, String(base + revision));
    });
  }

  for (const [what, value] of [
    ['an empty value', Buffer.alloc(0)],
    ['one byte', Buffer.from([0])],
    ['all bytes', Buffer.from(Array.from({ length: 256 }, (_, i) => i))],
    ['a part of a larger buffer', Buffer.from('abcdefghijklm').subarray(3, 9)],
    ['5 KB', Buffer.alloc(5_000, 'x')],
    ['3 MB', Buffer.alloc(3 * 1024 * 1024, 'y')],
  ] as const) {
    test(`keeps ${what} as it is`, async ({ storage, store }) => {
      await storage.create('pods/a', { bytes: value, revisionOffset: -1 });
      assert.ok(storage.get('pods/a')?.value.equals(value));
      const again = await store.reopen();
      assert.ok(again.get('pods/a')?.value.equals(value));
    });
  }

  for (const [what, key] of [
    ['as long as may be', `pods/${'k'.repeat(MAX_KEY_BYTES - 5)}`],
    ['as long as may be, of longer characters', `pods/${'ü'.repeat((MAX_KEY_BYTES - 6) / 2)}x`],
    ['without a slash', 'pods'],
    ['of one character', 'a'],
    ['with a space and other signs', 'pods/a b/c%d:e"f\\g\n'],
    ['beyond the basic plane', 'pods/\u{1f600}'],
  ] as const) {
    test(`a key ${what} goes through its life`, async ({ storage }) => {
      await storage.create(key, bytes('1'));
      await storage.update(key, 1, bytes('2'));
      await storage.delete(key, 2, bytes('2'));
      await storage.create(key, bytes('4'));
      assert.equal(all(storage), [`${key}@4=4`]);
      assert.equal(all(storage, 2), [`${key}@2=2`]);
      assert.is([...storage.changes(0, key)].length, 4);
      await storage.compact(4);
      assert.equal(all(storage), [`${key}@4=4`]);
    });
  }

  for (const [what, key] of [
    ['an empty key', ''],
    ['a key that is too long', 'k'.repeat(MAX_KEY_BYTES + 1)],
    ['a key that is too long in bytes', 'ü'.repeat(MAX_KEY_BYTES / 2 + 1)],
    ['a key with U+0000', 'pods/a\0b'],
    ['a key with half a character', 'pods/\ud83d'],
  ] as const) {
    test(`${what} is not written, and found by nobody`, async ({ storage }) => {
      assert.instance(await rejection(storage.create(key, bytes('1'))), RangeError);
      assert.instance(await rejection(storage.update(key, 1, bytes('1'))), RangeError);
      assert.instance(await rejection(storage.delete(key, 1, bytes('1'))), RangeError);
      assert.is(storage.get(key), undefined);
      assert.is(storage.currentRevision(), 0);
    });
  }

  return test;
}

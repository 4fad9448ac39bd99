import * as assert from 'uvu/assert';
import { RevisionCompacted, RevisionInFuture } from '../../../runtime/storage/errors.ts';
import { keptValue, OWN_VALUE, type Storage, type StoredBytes } from '../../../runtime/storage/storage.ts';
import { all, bytes, type StoreFactory, type StoreSuite, shown, storeSuite, thrown } from './store.ts';

const keys = (storage: Storage, start: string, end: string, limit?: number): string[] =>
  Array.from(storage.range({ start, end, limit }), ({ key }) => key);

async function fill(storage: Storage, names: readonly string[]): Promise<void> {
  for (const name of names) await storage.create(name, bytes(name));
}

export function rangeCases(name: string, open: StoreFactory): StoreSuite {
  const test = storeSuite(`${name}: range and count`, open);

  const stored = ['nodes/a', 'pods', 'pods/a', 'pods/a/x', 'pods/b', 'podtemplates/a', 'pods0'];
  for (const [what, start, end, limit, expected] of [
    ['everything', '', '', undefined, ['nodes/a', 'pods', 'pods/a', 'pods/a/x', 'pods/b', 'pods0', 'podtemplates/a']],
    ['the start, not the end', 'pods/a', 'pods/b', undefined, ['pods/a', 'pods/a/x']],
    ['one resource', 'pods/', 'pods0', undefined, ['pods/a', 'pods/a/x', 'pods/b']],
    ['from a place that is no key', 'o', 'pods/aa', undefined, ['pods', 'pods/a', 'pods/a/x']],
    ['after a key', 'pods/a\0', '', 2, ['pods/a/x', 'pods/b']],
    ['at most the limit', '', '', 3, ['nodes/a', 'pods', 'pods/a']],
    ['no more than there are', 'pods/', 'pods0', 100, ['pods/a', 'pods/a/x', 'pods/b']],
    ['nothing for limit 0', '', '', 0, []],
    ['nothing between neighbours', 'pods/b\0', 'pods0', undefined, []],
    ['nothing where the end is the start', 'pods/a', 'pods/a', undefined, []],
    ['nothing where the end is first', 'pods/b', 'pods/a', undefined, []],
    ['nothing after the last', 'q', '', undefined, []],
  ] as const) {
    test(`gives ${what}`, async ({ storage }) => {
      await fill(storage, stored);
      assert.equal(keys(storage, start, end, limit), expected);
      if (limit === undefined) assert.is(storage.count({ start, end }), expected.length);
    });
  }

  test('keys come in the order of their UTF-8 bytes', async ({ storage }) => {
    const names = ['~', 'Z', 'a', 'a/b', 'a-b', 'é', 'z', '\ud7ff', '\ue000', '\uffee', '\u{10000}', '\u{1f600}', '\u{10ffff}'];
    await fill(storage, names);
    assert.equal(
      keys(storage, '', ''),
      [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    const revision = storage.currentRevision();
    for (const [i, key] of names.entries()) if (i % 2 === 0) await storage.delete(key, i + 1, bytes(''));
    assert.equal(
      Array.from(storage.range({ start: '', end: '', atRevision: revision }), ({ key }) => key),
      [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
  });

  test('an entry has its key, the revision of its last change, and its value', async ({ storage }) => {
    await fill(storage, ['pods/a', 'pods/b']);
    await storage.update('pods/a', 1, bytes('new'));
    assert.equal(all(storage), ['pods/a@3=new', 'pods/b@2=pods/b']);
  });

  test('reads every past', async ({ storage }) => {
    await storage.create('pods/b', bytes('1'));
    await storage.create('pods/a', bytes('2'));
    await storage.update('pods/b', 1, bytes('3'));
    await storage.delete('pods/a', 2, bytes('gone'));
    await storage.create('pods/c', bytes('5'));
    await storage.create('pods/a', bytes('6'));
    await storage.delete('pods/b', 3, bytes('gone'));
    const expected = [
      [],
      ['pods/b@1=1'],
      ['pods/a@2=2', 'pods/b@1=1'],
      ['pods/a@2=2', 'pods/b@3=3'],
      ['pods/b@3=3'],
      ['pods/b@3=3', 'pods/c@5=5'],
      ['pods/a@6=6', 'pods/b@3=3', 'pods/c@5=5'],
      ['pods/a@6=6', 'pods/c@5=5'],
    ];
    for (const [revision, entries] of expected.entries()) {
      assert.equal(all(storage, revision), entries, `at ${revision}`);
      for (const [start, end] of [
        ['', ''],
        ['pods/', 'pods0'],
      ] as const) {
        assert.is(storage.count({ start, end, atRevision: revision }), entries.length, `count at ${revision}`);
      }
    }
  });

  test('counts the past whether few keys or few changes stand in between', async ({ storage }) => {
    await Promise.all(Array.from({ length: 40 }, (_, i) => storage.create(`pods/${i}`, bytes(''))));
    const before = storage.currentRevision();
    const revision = async (i: number, change: 'update' | 'delete') => {
      await storage[change](`pods/${i}`, storage.get(`pods/${i}`)?.revision ?? 0, bytes(''));
    };
    await revision(3, 'update');
    await revision(4, 'delete');
    await storage.create('pods/new', bytes(''));
    await storage.create('nodes/new', bytes(''));
    await storage.create('pods0/new', bytes(''));
    await revision(5, 'delete');
    for (const [start, end, expected] of [
      ['pods/', 'pods0', 40],
      ['pods/', 'pods1', 40],
      ['pods/', '', 40],
      ['', '', 40],
      ['pods/4', 'pods/40', 1],
      ['pods/5', 'pods/6', 1],
      ['pods/39\0', 'pods0', 6],
      ['pods/n', 'pods/o', 0],
      ['nodes/', 'nodes0', 0],
    ] as const) {
      assert.is(storage.count({ start, end, atRevision: before }), expected, `${start} to ${end}`);
    }
    for (let i = 0; i < 100; i++) await revision(6, 'update');
    assert.is(storage.count({ start: 'pods/', end: 'pods0', atRevision: before }), 40);
  });

  test('pages at one revision are one snapshot, whatever is written between them', async ({ storage }) => {
    await Promise.all(Array.from({ length: 700 }, (_, i) => storage.create(`pods/${1000 + i}`, bytes(`first ${i}`))));
    const atRevision = storage.currentRevision();
    const whole = all(storage);
    const pages: string[] = [];
    let start = '';
    for (;;) {
      const page = Array.from(storage.range({ start, end: '', atRevision, limit: 97 }), (entry) => ({
        key: entry.key,
        text: shown([entry]),
      }));
      pages.push(...page.flatMap(({ text }) => text));
      const last = page.at(-1);
      if (last === undefined || page.length < 97) break;
      start = `${last.key}\0`;
      const next = storage.get(`pods/${1000 + pages.length}`);
      if (next !== undefined) await storage.delete(next.key, next.revision, bytes(''));
      await storage.create(`pods/${1000 + pages.length}x`, bytes('later'));
    }
    assert.equal(pages, whole);
  });

  test('a long range that is iterated at once is one snapshot', async ({ storage }) => {
    await Promise.all(Array.from({ length: 1_500 }, (_, i) => storage.create(`pods/${10_000 + i}`, bytes(String(i)))));
    const found = [...storage.range({ start: 'pods/', end: 'pods0' })];
    assert.equal(
      found.map(({ key }) => key),
      Array.from({ length: 1_500 }, (_, i) => `pods/${10_000 + i}`),
    );
  });

  test('other calls between steps disturb nothing', async ({ storage }) => {
    const names = Array.from({ length: 600 }, (_, i) => `pods/${1_000 + i}`);
    await Promise.all(names.map((key) => storage.create(key, bytes(`value of ${key}`))));
    const seen: string[] = [];
    for (const { key, value } of storage.range({ start: 'pods/', end: 'pods0' })) {
      storage.get('pods/1001');
      storage.currentRevision();
      storage.count({ start: '', end: '' });
      for (const _ of storage.range({ start: 'pods/1500', end: '', limit: 2 })) storage.compactedRevision();
      for (const change of storage.changes(0, 'pods/', 2)) change.previousValue;
      seen.push(String(value) === `value of ${key}` ? key : `${key} has ${value}`);
    }
    assert.equal(seen, names);
  });

  test('an iteration may be left early', async ({ storage }) => {
    await fill(storage, ['pods/a', 'pods/b', 'pods/c']);
    for (const { key } of storage.range({ start: '', end: '' })) if (key === 'pods/b') break;
    const iterator = storage.range({ start: '', end: '' })[Symbol.iterator]();
    iterator.next();
    await storage.create('pods/d', bytes('d'));
    assert.equal(keys(storage, 'pods/c', ''), ['pods/c', 'pods/d']);
  });

  test('values that are kept stay as they are, whatever is read and written later', async ({ storage }) => {
    const sizes = [10, OWN_VALUE, OWN_VALUE + 1, 20, 1_000_000];
    const written = (fill: number): Buffer[] => sizes.map((size, i) => Buffer.alloc(size, fill + i));
    const put = async (fill: number, to: (key: string, value: StoredBytes) => Promise<unknown>): Promise<void> => {
      for (const [i, value] of written(fill).entries()) await to(`pods/${i}`, { bytes: value, revisionOffset: -1 });
    };
    await put(1, (key, value) => storage.create(key, value));
    await put(11, (key, value) => storage.update(key, storage.revisionOf(key) as number, value));
    const entries = Array.from(storage.range({ start: 'pods/', end: 'pods0' }), ({ value }) => keptValue(value));
    const changes = Array.from(storage.changes(0, 'pods/'), ({ value, previousValue }) => [
      keptValue(value),
      previousValue && keptValue(previousValue),
    ]);
    await put(21, (key, value) => storage.update(key, storage.revisionOf(key) as number, value));
    for (const { value } of storage.range({ start: 'pods/', end: 'pods0' })) value.length;
    for (const change of storage.changes(0, 'pods/')) change.previousValue;
    const [first, second] = [written(1), written(11)];
    const same = (found: readonly (Buffer | undefined)[], expected: readonly Buffer[]): boolean =>
      found.length === expected.length && found.every((value, i) => value?.equals(expected[i] as Buffer) === true);
    assert.ok(same(entries, second));
    const [created, updated] = [changes.slice(0, sizes.length), changes.slice(sizes.length)];
    assert.ok(
      same(
        created.map(([value]) => value),
        first,
      ),
    );
    assert.equal(new Set(created.map(([, previous]) => previous)), new Set([undefined]));
    assert.ok(
      same(
        updated.map(([value]) => value),
        second,
      ),
    );
    assert.ok(
      same(
        updated.map(([, previous]) => previous),
        first,
      ),
    );
  });

  test('values of all sizes come as they are', async ({ storage }) => {
    const sizes = [0, 1, 100_000, 10, 3_000, 1_000_000, 0, 5_000];
    for (const [i, size] of sizes.entries()) {
      await storage.create(`pods/${i}`, { bytes: Buffer.alloc(size, String(i)), revisionOffset: -1 });
    }
    const found = Array.from(storage.range({ start: '', end: '' }), ({ value }) => Buffer.from(value));
    assert.ok(found.every((value, i) => value.equals(Buffer.alloc(sizes[i] as number, String(i)))));
  });

  test('the call itself refuses revisions that cannot be read', async ({ storage }) => {
    await fill(storage, ['pods/a', 'pods/b', 'pods/c']);
    await storage.compact(2);
    const range = { start: '', end: '' };
    assert.instance(
      thrown(() => storage.range({ ...range, atRevision: 4 })),
      RevisionInFuture,
    );
    assert.instance(
      thrown(() => storage.range({ ...range, atRevision: 1 })),
      RevisionCompacted,
    );
    assert.instance(
      thrown(() => storage.count({ ...range, atRevision: 4 })),
      RevisionInFuture,
    );
    assert.instance(
      thrown(() => storage.count({ ...range, atRevision: 1 })),
      RevisionCompacted,
    );
    assert.is(shown(storage.range({ ...range, atRevision: 2 })).length, 2);
  });

  return test;
}

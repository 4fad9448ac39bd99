import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KnownRevisions } from '../../../runtime/storage/lmdb/recent/known-revisions.ts';
import { lmdbStore } from './lmdb-store.ts';

const test = suite('known revisions');

/** A store whose look-ups are counted. */
function counted() {
  const revisions = new Map<string, number>();
  const looked: string[] = [];
  const known = new KnownRevisions();
  return {
    known,
    revisions,
    looked,
    of: (key: string) =>
      known.of(key, () => {
        looked.push(key);
        const revision = revisions.get(key);
        return revision === undefined ? undefined : { revision, size: 0 };
      })?.revision,
    newest: () =>
      known.newest(() => {
        looked.push('newest');
        return Math.max(0, ...revisions.values());
      }),
  };
}

test('a key is looked up once, one without a value each time', () => {
  const { revisions, looked, of } = counted();
  revisions.set('a', 1);
  assert.equal([of('a'), of('a'), of('b'), of('b')], [1, 1, undefined, undefined]);
  assert.equal(looked, ['a', 'b', 'b']);
});

test('a key that is being written is looked up each time, until all of its writes have ended', () => {
  const { known, revisions, looked, of } = counted();
  revisions.set('a', 1);
  of('a');
  known.began('a');
  known.began('a');
  assert.is(of('a'), 1);
  revisions.set('a', 2);
  assert.is(of('a'), 2);
  known.ended('a');
  revisions.set('a', 3);
  assert.is(of('a'), 3);
  known.ended('a');
  assert.equal([of('a'), of('a')], [3, 3]);
  assert.is(looked.length, 5);
});

test('a write is told what was known before it, unless another one of that key is under way', () => {
  const { known, revisions, of } = counted();
  for (const [i, key] of ['a', 'b', 'c'].entries()) revisions.set(key, i + 1);
  for (const key of ['a', 'b']) of(key);
  const told = (key: string, written: string): number | undefined => known.forWrite(key, written)?.revision;
  known.began('a');
  assert.equal([told('a', 'a'), told('b', 'a'), told('c', 'a')], [1, 2, undefined]);
  assert.is(told('a', 'b'), undefined);
  known.began('a');
  assert.is(told('a', 'a'), undefined);
});

test('what a write has made of a key is known if it was before, and of one that came to nothing nothing is', () => {
  const { known, revisions, looked, of } = counted();
  revisions.set('a', 1);
  of('a');
  for (const key of ['a', 'b']) {
    known.began(key);
    revisions.set(key, 7);
    known.ended(key, { revision: 7, size: 0 });
  }
  assert.equal([of('a'), of('b')], [7, 7]);
  assert.equal(looked, ['a', 'b']);
  known.began('a');
  known.ended('a');
  revisions.delete('a');
  assert.is(of('a'), undefined);
});

test('writes of one key that end one after the other leave the last one', () => {
  const { known, revisions, of } = counted();
  revisions.set('a', 1);
  of('a');
  known.began('a');
  known.began('a');
  known.ended('a', { revision: 2, size: 0 });
  revisions.set('a', 3);
  assert.is(of('a'), 3);
  known.ended('a', { revision: 3, size: 0 });
  assert.is(of('a'), 3);
});

test('the newest of all is remembered while nothing is written', () => {
  const { known, revisions, looked, newest } = counted();
  assert.equal([newest(), newest()], [0, 0]);
  known.began('a');
  assert.is(newest(), 0);
  revisions.set('a', 1);
  assert.is(newest(), 1);
  known.ended('a');
  assert.equal([newest(), newest()], [1, 1]);
  assert.is(looked.length, 4);
});

test('what many keys are asked for is not kept without end', () => {
  const { revisions, looked, of } = counted();
  for (let i = 0; i <= 4_096; i++) {
    revisions.set(`key-${i}`, i);
    of(`key-${i}`);
  }
  of('key-4096');
  of('key-0');
  assert.is(looked.length, 4_098);
});

test('a store that is alone says the same of revisions as of values, at any time', async () => {
  const writes = fc.array(fc.tuple(fc.constantFrom('a/1', 'a/2', 'a/3'), fc.constantFrom('write', 'delete', 'wait')), {
    minLength: 1,
    maxLength: 40,
  });
  const store = await lmdbStore({ exclusive: true });
  const { storage } = store;
  const value = { bytes: Buffer.from('value'), revisionOffset: -1 };
  const agree = (): void => {
    for (const key of ['a/1', 'a/2', 'a/3']) {
      const revision = storage.get(key)?.revision;
      assert.is(storage.revisionOf(key), revision);
      assert.ok(storage.currentRevision() >= (revision ?? 0));
    }
  };
  const write = (key: string, what: string): Promise<unknown> => {
    const revision = storage.revisionOf(key);
    if (what === 'delete') return storage.delete(key, revision ?? 1, value);
    return revision === undefined ? storage.create(key, value) : storage.update(key, revision, value);
  };
  try {
    await fc.assert(
      fc.asyncProperty(writes, async (steps) => {
        const written: Promise<unknown>[] = [];
        for (const [key, what] of steps) {
          if (what === 'wait') await new Promise(setImmediate);
          // several of one key at once: all but one are refused
          else written.push(write(key, what).then(agree, agree));
          agree();
        }
        await Promise.all(written);
        agree();
      }),
      { numRuns: 50 },
    );
  } finally {
    await store.remove();
  }
});

test.run();

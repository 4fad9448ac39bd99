import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { textKey } from '../../../runtime/storage/lmdb/codecs/codecs.ts';
import { DeferredWrites } from '../../../runtime/storage/lmdb/write-ahead-log/deferred-writes.ts';
import { Deed } from '../../../runtime/storage/lmdb/write-ahead-log/log-layout.ts';
import { type LogNote, ROUND_BYTES } from '../../../runtime/storage/lmdb/write-ahead-log/log-note.ts';
import { readLog } from '../../../runtime/storage/lmdb/write-ahead-log/log-reader.ts';
import { rejection } from '../contract/store.ts';
import { breakLog } from './broken-log.ts';

const test = suite('deferred writes');
const folder = mkdtempSync(path.join(tmpdir(), 'deferred-writes-'));
test.after(() => rmSync(folder, { recursive: true }));
let logs = 0;

/** A table that keeps rows in a map, beside what LMDB would have. */
class MapTable {
  readonly shown = new Map<string, string>();
  readonly written = new Map<string, string>();
  readonly #writes: DeferredWrites;

  constructor(writes: DeferredWrites) {
    this.#writes = writes;
    writes.register(0, this);
  }

  /** @returns the revision that the write is given */
  put(key: string, value: string, revision = 1): number {
    const bytes = Buffer.from(value);
    const start = this.#writes.log(0, Deed.put, textKey, key, bytes);
    const kept = this.#writes.memory.subarray(start, start + bytes.length);
    this.#writes.add({
      show: () => void this.shown.set(key, String(kept)),
      write: () => void this.written.set(key, String(kept)),
    });
    return revision;
  }

  forget(): void {
    this.shown.clear();
  }

  drop(): void {}

  restore(): void {}

  kept(): never {
    throw new Error('nothing is left to it');
  }
}

async function commit(writes: DeferredWrites, write: () => number | undefined): Promise<void> {
  writes.collect(write);
  await writes.flush();
}

/** @param notes what LMDB is given */
function unit(transact: (write: () => void) => void, notes: LogNote[] = []) {
  let isOpen = false;
  const log = path.join(folder, `unit-${++logs}.log`);
  const writes = new DeferredWrites(log, {
    transact: (write) => (isOpen ? transact(write) : write()),
    note: () => notes.at(-1),
    committedNote: () => notes.at(-1),
    putNote: (note) => void notes.push(note),
    revision: () => 0,
    skipRevisions: () => ({ table: 0, deed: Deed.put, key: Buffer.alloc(0), value: Buffer.alloc(0) }),
  });
  const table = new MapTable(writes);
  writes.restore(true);
  isOpen = true;
  notes.splice(0, notes.length - 1);
  return { writes, table, log };
}

const OF_OTHERS: Readonly<Record<string, Partial<LogNote>>> = {
  'ended the log': { isOver: true },
  'begun another round': { round: Buffer.alloc(ROUND_BYTES, 3) },
  'taken what it has': { reached: 1 },
};
for (const [what, note] of Object.entries(OF_OTHERS))
  test(`nothing is acknowledged or handed over once another process has opened the store and ${what}`, async () => {
    const notes: LogNote[] = [];
    const { writes, table } = unit((write) => write(), notes);
    await commit(writes, () => table.put('a', 'one'));
    notes.push({ ...(notes.at(-1) as LogNote), ...note });
    const found = /another process has opened it, although this one has it for itself/;
    assert.match(String(await rejection(commit(writes, () => table.put('b', 'two', 2)))), found);
    assert.not.ok(table.shown.has('b'));
    assert.throws(() => writes.settle(), found);
    assert.throws(() => writes.changing(), found);
    assert.is(table.written.size, 0);
  });

test('what LMDB cannot take stays visible and is tried again', async () => {
  let works = false;
  const { writes, table } = unit((write) => {
    if (!works) throw new Error('the disk is full');
    write();
  });
  await commit(writes, () => table.put('a', 'one'));
  await commit(writes, () => table.put('b', 'two', 2));
  assert.throws(() => writes.settle(), 'the disk is full');
  assert.ok(writes.isPending);
  assert.ok(writes.isFull, 'nothing more is to be taken');
  assert.is(table.shown.get('a'), 'one');
  works = true;
  writes.settle();
  assert.not.ok(writes.isPending);
  assert.not.ok(writes.isFull);
  assert.equal(
    [...table.written],
    [
      ['a', 'one'],
      ['b', 'two'],
    ],
  );
  assert.is(table.shown.size, 0);
  writes.close();
});

test('a write that throws leaves nothing, and what was there before is as before', async () => {
  const { writes, table } = unit((write) => write());
  await commit(writes, () => table.put('a', 'one'));
  const failing = (): number => {
    table.put('a', 'two');
    table.put('b', 'two');
    throw new Error('no');
  };
  assert.match(String(await rejection(commit(writes, failing))), /no/);
  assert.equal([...table.shown], [['a', 'one']]);
  await commit(writes, () => undefined);
  writes.settle();
  assert.equal([...table.written], [['a', 'one']]);
  writes.close();
});

test('where a write of a batch throws the log gets nothing of those before it', async () => {
  const notes: LogNote[] = [];
  const { writes, table, log } = unit((write) => write(), notes);
  writes.collect(() => table.put('a', 'one'));
  assert.throws(
    () =>
      writes.collect(() => {
        throw new Error('no');
      }),
    /no/,
  );
  await commit(writes, () => table.put('b', 'other'));
  const [found, ...others] = readLog(log, notes.at(-1), 0).commits;
  assert.equal(
    found?.rows.map(({ key, value }) => `${key}=${value}`),
    ['b=other'],
  );
  assert.equal(others, []);
  writes.close();
});

test('what is being flushed is seen by nobody but the writes of its batch', async () => {
  const { writes, table } = unit((write) => write());
  writes.collect(() => table.put('a', 'one'));
  writes.collect(() => table.put('b', 'two', 2));
  const flushed = writes.flush();
  assert.not.ok(writes.isPending);
  assert.is(table.shown.size, 0);
  await flushed;
  assert.equal([...table.shown.keys()], ['a', 'b']);
  writes.settle();
  assert.equal([...table.written.keys()], ['a', 'b']);
  writes.close();
});

test('what is visible can settle while other writes are flushed, which then go on in the same round', async () => {
  const notes: LogNote[] = [];
  const { writes, table, log } = unit((write) => write(), notes);
  const { round } = notes[0] as LogNote;
  await commit(writes, () => table.put('a', 'one'));
  writes.collect(() => table.put('b', 'two', 2));
  const flushed = writes.flush();
  writes.settle();
  assert.not.ok(writes.isPending);
  assert.equal([...table.written.keys()], ['a']);
  assert.is(notes.at(-1)?.reached, 1);
  await flushed;
  assert.ok(writes.isPending);
  assert.equal([...table.shown.keys()], ['b']);
  // LMDB has the first one, and the round that it had
  assert.equal(
    readLog(log, notes.at(-1), 1).commits.map(({ revision }) => revision),
    [2],
  );
  writes.settle();
  assert.equal([...table.written.keys()], ['a', 'b']);
  assert.ok(notes.every((note) => note.round.equals(round)));
  assert.is(notes.at(-1)?.reached, 2);
  writes.close();
});

test('a flush that fails leaves nothing, and LMDB takes up another round', async () => {
  const notes: LogNote[] = [];
  const { writes, table, log } = unit((write) => write(), notes);
  await commit(writes, () => table.put('a', 'one'));
  writes.settle();
  breakLog(log);
  writes.collect(() => table.put('b', 'two', 2));
  const error = await rejection(Promise.resolve(writes.flush()));
  assert.match(String(error), /EBADF/);
  assert.is(table.shown.size, 0);
  assert.not.ok(writes.isPending);
  assert.not.ok(writes.isInDoubt, 'the log has nothing of it');
  assert.ok(writes.isFull, 'nothing more is written to this round');
  writes.settle();
  assert.not.ok(writes.isFull);
  assert.equal([...table.written.keys()], ['a']);
  assert.is(new Set(notes.map(({ round }) => round.toString('hex'))).size, 2);
  assert.is(notes.at(-1)?.reached, -1, 'nobody asks for it');
  writes.close();
});

test('what is written to the log goes on from the state of LMDB that was counted last, without transactions that failed', async () => {
  const notes: LogNote[] = [];
  const { writes, table, log } = unit((write) => write(), notes);
  await commit(writes, () => table.put('a', 'one'));
  writes.settle();
  for (const succeeded of [true, false, true]) {
    const ended = writes.changing();
    if (!succeeded) notes.pop();
    ended(succeeded);
  }
  const note = notes.at(-1) as LogNote;
  assert.is(note.generation, 2);
  await commit(writes, () => table.put('b', 'two', 2));
  assert.equal(
    readLog(log, note, 1).commits.map(({ revision }) => revision),
    [2],
  );
  writes.close();
});

test('is full after some commits, until it settles', async () => {
  let settled = 0;
  const { writes, table } = unit((write) => {
    settled++;
    write();
  });
  for (let revision = 1; !writes.isFull; revision++) await commit(writes, () => table.put('a', 'x', revision));
  assert.is(settled, 0);
  writes.settle();
  assert.not.ok(writes.isFull);
  await commit(writes, () => table.put('b', 'y', 1_000));
  assert.is(settled, 1);
  assert.equal([...table.written.keys()], ['a']);
  assert.equal([...table.shown.keys()], ['b']);
  writes.close();
});

test('what is not flushed yet makes it as full as what is', async () => {
  const counts: number[] = [];
  for (const flushed of [0, 10]) {
    const { writes, table } = unit((write) => write());
    let revision = 0;
    while (revision < flushed) await commit(writes, () => table.put('a', 'x', ++revision));
    while (!writes.isFull) writes.collect(() => table.put('a', 'x', ++revision));
    counts.push(revision);
    await writes.flush();
    writes.close();
  }
  assert.ok((counts[0] as number) > 100);
  assert.is(counts[0], counts[1]);
});

test('nobody has it settle in the middle of a write', async () => {
  const { writes, table } = unit((write) => write());
  await commit(writes, () => table.put('a', 'one'));
  const settling = (): number => {
    writes.settle();
    return 2;
  };
  assert.match(String(await rejection(commit(writes, settling))), /within a write/);
  assert.ok(writes.isPending);
  writes.close();
});

test.run();

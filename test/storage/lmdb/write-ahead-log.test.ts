import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { StorageUnwritable } from '../../../runtime/storage/errors.ts';
import { textKey } from '../../../runtime/storage/lmdb/codecs/codecs.ts';
import { DamagedStorage } from '../../../runtime/storage/lmdb/files/damage.ts';
import { Deed, MOST_COMMIT_BYTES } from '../../../runtime/storage/lmdb/write-ahead-log/log-layout.ts';
import { type LogNote, ROUND_BYTES } from '../../../runtime/storage/lmdb/write-ahead-log/log-note.ts';
import { type FoundLog, readLog } from '../../../runtime/storage/lmdb/write-ahead-log/log-reader.ts';
import { WriteAheadLog } from '../../../runtime/storage/lmdb/write-ahead-log/write-ahead-log.ts';
import { rejection, thrown } from '../contract/store.ts';
import { breakLog } from './broken-log.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'write-ahead-log-'));
let files = 0;
const newFile = (): string => path.join(folder, `${++files}.log`);
const ROUND = Buffer.alloc(ROUND_BYTES, 1);
const NEXT_ROUND = Buffer.alloc(ROUND_BYTES, 2);

let filledAt = '';
const test = suite('write-ahead log');
test.before(async () => {
  filledAt = await filled('a', 'b');
});
test.after(() => rmSync(folder, { recursive: true }));

/** Two rows: a text of some length, and one that is removed. */
async function write(log: WriteAheadLog, revision: number, text: string): Promise<void> {
  collect(log, revision, text);
  await log.flush();
}

function collect(log: WriteAheadLog, revision: number, text: string): void {
  const key = `key-${revision}`;
  log.begin();
  log.add(1, Deed.append, textKey, key, Buffer.from(text));
  log.add(2, Deed.remove, textKey, key, Buffer.alloc(0));
  log.commit(revision, 0);
}

const NOTE: LogNote = { round: ROUND, before: Buffer.alloc(0), reached: -1, generation: 0, isOver: false };
const read = (at: string, revision: number, note: Partial<LogNote> = {}): FoundLog => readLog(at, { ...NOTE, ...note }, revision);
const shown = (at: string, revision: number, note: Partial<LogNote> = {}): string[] =>
  read(at, revision, note).commits.map(
    (commit) => `${commit.revision}: ${commit.rows.map(({ table, deed, key, value }) => `${table} ${deed} ${key}=${value}`).join(', ')}`,
  );

function isRefused(action: () => unknown, found: RegExp): void {
  const error = thrown(action);
  assert.instance(error, DamagedStorage);
  assert.match((error as Error).message, found);
}

function newLog(at: string, revision = 0): WriteAheadLog {
  const log = new WriteAheadLog(at);
  log.restart(ROUND, revision);
  return log;
}
const row = (revision: number, text: string): string => `${revision}: 1 1 key-${revision}=${text}, 2 2 key-${revision}=`;

async function filled(...texts: string[]): Promise<string> {
  const at = newFile();
  const log = newLog(at);
  for (const [index, text] of texts.entries()) await write(log, index + 1, text);
  log.close();
  return at;
}

test('gives the commits of a round, in order', async () => {
  const at = await filled('a', 'bb', '');
  assert.equal(shown(at, 0), [row(1, 'a'), row(2, 'bb'), row(3, '')]);
  assert.equal(shown(at, 3), []);
});

test('what does not go on where LMDB ends is refused', async () => {
  const at = newFile();
  const log = newLog(at);
  for (const revision of [5, 6, 8]) await write(log, revision, 'x');
  log.close();
  isRefused(() => shown(at, 4), /goes on with revision 8 from another state than data.mdb beside it has, which ends with 6/);
  isRefused(() => shown(at, 3), /goes on with revision 5 .* which ends with 3/);
  isRefused(() => shown(at, 5), /goes on with revision 8 .* which ends with 6/);
  isRefused(() => shown(at, 6, { generation: 1 }), /goes on with revision 8/);
  assert.equal(shown(at, 8), []);
});

test('of an earlier round nothing is left, however long its commits were', async () => {
  for (const texts of [['n'], ['n', 'n'], ['n'.repeat(300)], ['n'.repeat(10), 'n']]) {
    const at = newFile();
    const log = newLog(at);
    for (let revision = 1; revision <= 6; revision++) await write(log, revision, 'o'.repeat(revision % 3));
    log.restart(NEXT_ROUND, 0);
    for (const [index, text] of texts.entries()) await write(log, 1 + index, text);
    log.close();
    assert.equal(
      shown(at, 0, { round: NEXT_ROUND, before: ROUND }),
      texts.map((text, index) => row(1 + index, text)),
    );
    isRefused(() => shown(at, 0), /has writes of another time, or of another store/);
  }
});

test('a commit that is begun anew leaves nothing of itself', async () => {
  const at = newFile();
  const log = newLog(at);
  log.begin();
  log.add(3, Deed.put, textKey, '', Buffer.alloc(1_000, 'x'));
  await write(log, 1, 'a');
  log.close();
  assert.equal(shown(at, 0), [row(1, 'a')]);
});

test('a round that has not begun has nothing, whatever the one before it has', async () => {
  const at = newFile();
  assert.equal(read(at, 0), { commits: [], end: 0, isTorn: false, isOfBefore: false });
  const log = newLog(at);
  await write(log, 1, 'a');
  log.close();
  assert.equal(read(at, 1, { round: NEXT_ROUND, before: ROUND }), { commits: [], end: 0, isTorn: false, isOfBefore: true });
});

for (const { what, note, harm, found } of [
  { what: 'missing', note: { reached: 1 }, harm: (at: string) => rmSync(at), found: /is missing, where data.mdb/ },
  {
    what: 'missing, in the next round,',
    note: { before: NEXT_ROUND },
    harm: (at: string) => rmSync(at),
    found: /is missing, where data.mdb/,
  },
  { what: 'empty', note: {}, harm: (at: string) => truncateSync(at, 0), found: /has 0 bytes, where it always has 1048576/ },
  { what: 'cut short', note: {}, harm: (at: string) => truncateSync(at, 5_000), found: /has 5000 bytes/ },
  { what: 'of another round', note: { round: NEXT_ROUND }, harm: () => {}, found: /of another time, or of another store/ },
  {
    what: 'of the round before, where this one had begun,',
    note: { round: NEXT_ROUND, before: ROUND, reached: 0 },
    harm: () => {},
    found: /of another time/,
  },
  {
    what: 'shorter than it was',
    note: { reached: 4 },
    harm: () => {},
    found: /ends with revision 3, where data.mdb beside it says that it reached 4/,
  },
  {
    what: 'zeros',
    note: { reached: 0 },
    harm: (at: string) => writeFileSync(at, Buffer.alloc(1024 * 1024)),
    found: /ends with revision -1/,
  },
])
  test(`a log that is ${what} is refused, and is as it was`, async () => {
    const at = await filled('a', 'b', 'c');
    harm(at);
    const before = existsSync(at) ? readFileSync(at) : undefined;
    isRefused(() => read(at, 3, note), found);
    assert.equal(existsSync(at) ? readFileSync(at) : undefined, before);
  });

test('a log of a store that has none is refused, one with nothing in it is not', async () => {
  isRefused(() => readLog(filledAt, undefined, 0), /has writes of a store that data.mdb beside it is not/);
  const empty = newFile();
  writeFileSync(empty, Buffer.alloc(1024 * 1024));
  assert.equal(readLog(empty, undefined, 0).commits, []);
});

test('of what is over nothing is taken, and what is damaged or gone is no loss', async () => {
  const nothing = { commits: [], end: 0, isTorn: false, isOfBefore: false };
  assert.equal(read(filledAt, 2, { isOver: true }), nothing);
  assert.equal(read(filledAt, 2, { isOver: true, round: NEXT_ROUND, before: ROUND }), { ...nothing, isOfBefore: true });
  assert.equal(read(newFile(), 0, { isOver: true, reached: 7 }), nothing);
  const damaged = newFile();
  writeFileSync(damaged, Buffer.alloc(100, 7));
  assert.equal(read(damaged, 0, { isOver: true, reached: 7 }), nothing);
});

test('a log that is over, and has more than LMDB has, or is of another time, is refused', () => {
  isRefused(() => read(filledAt, 1, { isOver: true }), /has revision 2, where data\.mdb beside it ends with 1 and says to have all of it/);
  isRefused(() => read(filledAt, 2, { isOver: true, round: NEXT_ROUND }), /of another time, or of another store/);
});

test('what is no file is refused, and nobody waits for it', () => {
  const pipe = newFile();
  execFileSync('mkfifo', [pipe]);
  isRefused(() => read(pipe, 0), /is not a regular file/);
  const folder = newFile();
  mkdirSync(folder);
  isRefused(() => read(folder, 0), /is not a regular file/);
});

test('goes on behind what is on the disk', async () => {
  const at = await filled('a', 'b'.repeat(5_000));
  const log = new WriteAheadLog(at);
  log.goOn(ROUND, read(at, 0).end);
  await write(log, 3, 'c');
  log.close();
  assert.equal(shown(at, 0), [row(1, 'a'), row(2, 'b'.repeat(5_000)), row(3, 'c')]);
});

test('goes through the cache where memory or file system are not fit to go past it', async () => {
  const { WebAssembly } = globalThis as { WebAssembly?: unknown };
  const at = newFile();
  const log = newLog(at);
  // memory is taken when the file is opened, and begins anywhere then
  Object.assign(globalThis, { WebAssembly: undefined });
  try {
    collect(log, 1, 'a');
  } finally {
    Object.assign(globalThis, { WebAssembly });
  }
  // nothing that stood there before is written behind a commit
  assert.ok(log.memory.subarray(4_096).equals(Buffer.alloc(log.memory.length - 4_096)));
  await log.flush();
  await write(log, 2, 'b');
  log.close();
  assert.equal(shown(at, 0), [row(1, 'a'), row(2, 'b')]);
});

test('never grows, and is full before a commit does not fit', async () => {
  const at = newFile();
  const log = newLog(at);
  let revision = 0;
  while (!log.isFull) await write(log, ++revision, 'x'.repeat(MOST_COMMIT_BYTES - 100));
  log.close();
  assert.ok(revision > 5, `${revision} commits`);
  assert.is(shown(at, 0).length, revision);
  assert.is(readFileSync(at).length, 1024 * 1024);
});

test('commits of several flushes follow one another, however long they are', async () => {
  for (const lengths of [
    [1, 1, 1],
    [4_000, 100, 9_000, 1],
    [4_096 - 70, 4_096, 1],
  ]) {
    const at = newFile();
    const log = newLog(at);
    let revision = 0;
    for (const length of lengths) {
      collect(log, ++revision, 'a'.repeat(length));
      collect(log, ++revision, 'b'.repeat(length));
      await log.flush();
      assert.is(shown(at, 0).length, revision);
    }
    log.close();
    assert.equal(
      shown(at, 0),
      lengths.flatMap((length, i) => [row(2 * i + 1, 'a'.repeat(length)), row(2 * i + 2, 'b'.repeat(length))]),
    );
  }
});

for (const { what, texts } of [
  { what: 'one', texts: ['b'] },
  { what: 'several, of which the first is as long as what takes its place,', texts: ['b', 'd', 'e'] },
])
  test(`of ${what} that are dropped before they are flushed none is there`, async () => {
    const at = newFile();
    const log = newLog(at);
    await write(log, 1, 'a');
    for (const [index, text] of texts.entries()) collect(log, index + 2, text);
    log.drop();
    collect(log, 2, 'c');
    await log.flush();
    log.close();
    assert.equal(shown(at, 0), [row(1, 'a'), row(2, 'c')]);
  });

const REPLACED = (at: string): void => {
  copyFileSync(at, `${at}.copy`);
  renameSync(`${at}.copy`, at);
};
for (const [what, harm] of Object.entries({ removed: (at: string): void => rmSync(at), replaced: REPLACED }))
  test(`a file that was ${what} while it is open takes no more`, async () => {
    const at = newFile();
    const log = newLog(at);
    await write(log, 1, 'a');
    harm(at);
    // for as long as the name is taken to be there
    await sleep(150);
    const error = String(await rejection(write(log, 2, 'b')));
    assert.ok(error.includes(`${at} cannot be written: it was removed or replaced while it is open`), error);
    log.close();
  });

test('the last commit, where it is cut short or damaged, is not there, what stands before it is', async () => {
  const texts = ['first', 'second', 'the third, which is a little longer'];
  const bytes = readFileSync(await filled(...texts));
  const { end: lastEnd } = read(await filled(...texts), 0);
  const { end: lastStart } = read(await filled(...texts.slice(0, 2)), 0);
  fc.assert(
    fc.property(
      fc.integer({ min: lastStart, max: lastEnd - 1 }),
      fc.integer({ min: 1, max: 255 }),
      fc.constantFrom('zeros', 'other'),
      (place, change, how) => {
        const damaged = Buffer.from(bytes);
        if (how === 'other') damaged[place] = (damaged[place] as number) ^ change;
        // zeros at the end are what stood there already
        else damaged.fill(0, Math.min(place, lastEnd - 6));
        const at = newFile();
        writeFileSync(at, damaged);
        assert.equal(shown(at, 0), [row(1, 'first'), row(2, 'second')]);
        assert.is(
          read(at, 0).isTorn,
          damaged[lastStart + 1] !== 0 ||
            damaged[lastStart + 2] !== 0 ||
            damaged[lastStart + 3] !== 0 ||
            damaged.subarray(lastStart, lastStart + 8).some((byte) => byte !== 0),
        );
        isRefused(() => read(at, 0, { reached: 3 }), /ends with revision 2/);
        rmSync(at);
      },
    ),
    { numRuns: 200 },
  );
});

test('one flipped bit in any other commit is refused', async () => {
  const texts = Array.from({ length: 60 }, (_, i) => `text ${i}`);
  const bytes = readFileSync(await filled(...texts));
  const { end: lastStart } = read(await filled(...texts.slice(0, 59)), 0);
  const at = newFile();
  fc.assert(
    fc.property(fc.nat(lastStart - 1), fc.nat(7), (place, bit) => {
      const damaged = Buffer.from(bytes);
      damaged[place] = (damaged[place] as number) ^ (1 << bit);
      writeFileSync(at, damaged);
      isRefused(() => read(at, 0), /is damaged at byte \d+, .*: a record is not what was written, and whole ones follow/);
      isRefused(() => read(at, 60), /is damaged at byte/);
    }),
    { numRuns: 200 },
  );
});

test('what was flushed together may be there in part, and none of it counts', async () => {
  const at = newFile();
  const log = newLog(at);
  await write(log, 1, 'a');
  for (const revision of [2, 3, 4]) collect(log, revision, 'x'.repeat(5_000));
  await log.flush();
  log.close();
  const bytes = readFileSync(at);
  const { end } = read(await filled('a'), 0);
  for (const [from, to] of [
    [end, end + 8],
    [end, 4_096],
    [4_096, 8_192],
  ] as const) {
    const torn = Buffer.from(bytes);
    torn.fill(0, from, to);
    writeFileSync(at, torn);
    assert.equal(shown(at, 0), [row(1, 'a')]);
    assert.ok(read(at, 0).isTorn);
  }
});

test('where one of several that were flushed together is missing, those behind it say so', async () => {
  const at = await filled('a');
  const { end } = read(at, 0);
  const log = new WriteAheadLog(at);
  log.goOn(ROUND, end);
  log.begin();
  log.drop();
  for (const revision of [2, 3, 4]) collect(log, revision, 'x'.repeat(5_000));
  await log.flush();
  log.close();
  const bytes = readFileSync(at);
  const length = bytes.indexOf('key-3') - bytes.indexOf('key-2');
  bytes.fill(0, end + length, end + 2 * length);
  writeFileSync(at, bytes);
  const found = read(at, 0);
  assert.equal(
    found.commits.map(({ revision }) => revision),
    [1, 2],
  );
  assert.is(found.end, end + length);
  assert.ok(found.isTorn);
});

test('what is dropped is not taken for what was flushed', async () => {
  const at = newFile();
  const log = newLog(at);
  await write(log, 1, 'a');
  for (const revision of [2, 3, 4]) collect(log, revision, 'x'.repeat(100));
  log.drop();
  await write(log, 2, 'b');
  log.close();
  assert.equal(shown(at, 0), [row(1, 'a'), row(2, 'b')]);
  assert.not.ok(read(at, 0).isTorn);
});

test('of a flush that failed nothing is found again', async () => {
  const at = await filled('a');
  const log = new WriteAheadLog(at);
  log.goOn(ROUND, read(at, 0).end);
  log.begin();
  log.drop();
  for (const revision of [2, 3]) collect(log, revision, 'x'.repeat(5_000));
  breakLog(at);
  const error = (await rejection(Promise.resolve(log.flush()))) as StorageUnwritable;
  assert.match(String(error), /EBADF/);
  assert.not.ok(error.outcomeUnknown, 'nothing of it came to the file');
  assert.equal(shown(at, 0), [row(1, 'a')]);
  assert.not.ok(read(at, 0).isTorn);
});

for (const isLone of [true, false])
  test(`what a ${isLone ? 'lone ' : ''}flush has brought to the disk, and nobody can take back, is in doubt`, async () => {
    const at = await filled('a');
    const log = new WriteAheadLog(at, waiting());
    log.goOn(ROUND, read(at, 0).end);
    log.begin();
    log.drop();
    collect(log, 2, 'x'.repeat(5_000));
    const unconfirmed = (): never => {
      breakLog(at);
      throw new Error('not to count');
    };
    const error = (await rejection((async () => log.flush(isLone, unconfirmed))())) as StorageUnwritable;
    assert.match(String(error), /not to count/);
    assert.ok(error.outcomeUnknown);
    assert.equal(shown(at, 0), [row(1, 'a'), row(2, 'x'.repeat(5_000))]);
  });

for (const isLone of [true, false])
  test(`a ${isLone ? 'lone ' : ''}flush that the disk has taken, and that must not count, leaves nothing but what was there before`, async () => {
    const at = newFile();
    const log = new WriteAheadLog(at, waiting());
    log.restart(ROUND, 0);
    const texts = ['a'.repeat(5_000), 'b'];
    for (const [i, text] of texts.entries()) await write(log, i + 1, text);
    for (const revision of [3, 4]) collect(log, revision, 'x'.repeat(5_000));
    const unconfirmed = (): never => {
      assert.is(shown(at, 2).length, 2);
      throw new Error('not to count');
    };
    const error = (await rejection((async () => log.flush(isLone, unconfirmed))())) as StorageUnwritable;
    assert.match(String(error), /not to count/);
    assert.not.ok(error.outcomeUnknown, 'it was taken back');
    const rows = texts.map((text, i) => row(i + 1, text));
    assert.equal(shown(at, 0), rows);
    assert.not.ok(read(at, 0).isTorn);
    await write(log, 3, 'c');
    log.close();
    assert.equal(shown(at, 0), [...rows, row(3, 'c')]);
  });

/** This thread waits for each lone flush. */
const waiting = () => {
  const taken: number[] = [];
  return { taken, waitsHere: true, took: (milliseconds: number) => void taken.push(milliseconds) };
};

test('a lone flush that this thread waits for is on the disk when the call returns', () => {
  const at = newFile();
  const pace = waiting();
  const log = new WriteAheadLog(at, pace);
  log.restart(ROUND, 0);
  for (const [revision, text] of [
    [1, 'a'],
    [2, 'x'.repeat(5_000)],
    [3, 'b'],
  ] as const) {
    collect(log, revision, text);
    assert.is(log.flush(true), undefined);
    assert.is(shown(at, 0).length, revision);
  }
  log.close();
  assert.equal(shown(at, 0), [row(1, 'a'), row(2, 'x'.repeat(5_000)), row(3, 'b')]);
  assert.ok(pace.taken.length === 3 && pace.taken.every((milliseconds) => milliseconds < 60_000));
});

test('of a lone flush that failed nothing is found again, and it is tried anew', async () => {
  const at = await filled('a');
  const pace = waiting();
  const log = new WriteAheadLog(at, pace);
  log.goOn(ROUND, read(at, 0).end);
  log.begin();
  log.drop();
  collect(log, 2, 'x'.repeat(5_000));
  breakLog(at);
  assert.throws(() => log.flush(true), /EBADF/);
  assert.equal(pace.taken, [Number.POSITIVE_INFINITY]);
  assert.equal(shown(at, 0), [row(1, 'a')]);
  collect(log, 2, 'b');
  assert.is(log.flush(true), undefined);
  log.close();
  assert.equal(shown(at, 0), [row(1, 'a'), row(2, 'b')]);
});

test.run();

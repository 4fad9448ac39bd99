import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commitsOf, Deed, MOST_COMMIT_BYTES, ROUND_BYTES, WriteAheadLog } from '../../runtime/storage/lmdb/write-ahead-log.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'write-ahead-log-'));
let files = 0;
const newFile = (): string => path.join(folder, `${++files}.log`);
const ROUND = Buffer.alloc(ROUND_BYTES, 1);
const NEXT_ROUND = Buffer.alloc(ROUND_BYTES, 2);

const test = suite('write-ahead log');
test.after(() => rmSync(folder, { recursive: true }));

/** Two rows: a text of some length, and one that is removed. */
async function write(log: WriteAheadLog, revision: number, text: string): Promise<void> {
  collect(log, revision, text);
  await log.flush();
}

function collect(log: WriteAheadLog, revision: number, text: string): void {
  const key = (target: Buffer, position: number): number => position + target.write(`key-${revision}`, position);
  log.begin();
  log.add(1, Deed.append, key, Buffer.from(text));
  log.add(2, Deed.remove, key, Buffer.alloc(0));
  log.commit(revision);
}

const shown = (at: string, revision: number, round = ROUND): string[] =>
  commitsOf(at, round, revision).map(
    (commit) => `${commit.revision}: ${commit.rows.map(({ table, deed, key, value }) => `${table} ${deed} ${key}=${value}`).join(', ')}`,
  );
const row = (revision: number, text: string): string => `${revision}: 1 1 key-${revision}=${text}, 2 2 key-${revision}=`;

async function filled(...texts: string[]): Promise<string> {
  const at = newFile();
  const log = new WriteAheadLog(at, ROUND);
  for (const [index, text] of texts.entries()) await write(log, index + 1, text);
  log.close();
  return at;
}

test('gives the commits of a round, in order', async () => {
  const at = await filled('a', 'bb', '');
  assert.equal(shown(at, 0), [row(1, 'a'), row(2, 'bb'), row(3, '')]);
  assert.equal(shown(at, 0, NEXT_ROUND), []);
});

test('what does not go on where LMDB ends is refused', async () => {
  const at = newFile();
  const log = new WriteAheadLog(at, ROUND);
  for (const revision of [5, 6, 8]) await write(log, revision, 'x');
  log.close();
  assert.throws(() => shown(at, 4), /goes on with revision 8 where 7 follows/);
  assert.throws(() => shown(at, 3), /goes on with revision 5 where 4 follows/);
  assert.throws(() => shown(at, 5), /goes on with revision 8 where 7 follows/);
  assert.equal(shown(at, 8), []);
});

test('of an earlier round nothing is left, however long its commits were', async () => {
  for (const texts of [['n'], ['n', 'n'], ['n'.repeat(300)], ['n'.repeat(10), 'n']]) {
    const at = newFile();
    const log = new WriteAheadLog(at, ROUND);
    for (let revision = 1; revision <= 6; revision++) await write(log, revision, 'o'.repeat(revision % 3));
    log.restart(NEXT_ROUND);
    for (const [index, text] of texts.entries()) await write(log, 1 + index, text);
    log.close();
    assert.equal(
      shown(at, 0, NEXT_ROUND),
      texts.map((text, index) => row(1 + index, text)),
    );
    assert.equal(shown(at, 0), []);
  }
});

test('a commit that is begun anew leaves nothing of itself', async () => {
  const at = newFile();
  const log = new WriteAheadLog(at, ROUND);
  log.begin();
  log.add(3, Deed.put, (_, position) => position, Buffer.alloc(1_000, 'x'));
  await write(log, 1, 'a');
  log.close();
  assert.equal(shown(at, 0), [row(1, 'a')]);
});

test('a file that is not there or is cut short has nothing, and is made anew', async () => {
  const at = newFile();
  assert.equal(shown(at, 0), []);
  writeFileSync(at, 'x');
  assert.equal(shown(at, 0), []);
  const log = new WriteAheadLog(at, ROUND);
  await write(log, 1, 'a');
  log.close();
  assert.equal(shown(at, 0), [row(1, 'a')]);
});

test('goes through the cache where memory or file system are not fit to go past it', async () => {
  const { WebAssembly } = globalThis as { WebAssembly?: unknown };
  const at = newFile();
  const log = new WriteAheadLog(at, ROUND);
  // memory is taken when the file is opened, and begins anywhere then
  Object.assign(globalThis, { WebAssembly: undefined });
  try {
    collect(log, 1, 'a');
  } finally {
    Object.assign(globalThis, { WebAssembly });
  }
  await log.flush();
  await write(log, 2, 'b');
  log.close();
  assert.equal(shown(at, 0), [row(1, 'a'), row(2, 'b')]);
});

test('never grows, and is full before a commit does not fit', async () => {
  const at = newFile();
  const log = new WriteAheadLog(at, ROUND);
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
    const log = new WriteAheadLog(at, ROUND);
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
    const log = new WriteAheadLog(at, ROUND);
    await write(log, 1, 'a');
    for (const [index, text] of texts.entries()) collect(log, index + 2, text);
    log.drop();
    collect(log, 2, 'c');
    await log.flush();
    log.close();
    assert.equal(shown(at, 0), [row(1, 'a'), row(2, 'c')]);
  });

test('what is cut short or damaged is not there, what stands before it is', async () => {
  const texts = ['first', 'second', 'the third, which is a little longer'];
  const bytes = readFileSync(await filled(...texts));
  const lastStart = bytes.indexOf('key-3') - 8 - ROUND_BYTES - 7 - 8;
  const lastEnd = bytes.lastIndexOf('key-3') + 5;
  fc.assert(
    fc.property(
      fc.integer({ min: lastStart, max: lastEnd - 1 }),
      fc.integer({ min: 1, max: 255 }),
      fc.constantFrom('cut', 'other', 'zeros'),
      (place, change, how) => {
        const damaged = Buffer.from(bytes);
        if (how === 'other') damaged[place] = (damaged[place] as number) ^ change;
        // zeros at the end are what stood there already
        else if (how === 'zeros') damaged.fill(0, Math.min(place, lastEnd - 6));
        const at = newFile();
        writeFileSync(at, how === 'cut' ? damaged.subarray(0, place) : damaged);
        assert.equal(shown(at, 0), [row(1, 'first'), row(2, 'second')]);
      },
    ),
    { numRuns: 300 },
  );
});

test.run();

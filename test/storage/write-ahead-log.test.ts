import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  commitsAfter,
  Deed,
  ID_BYTES,
  type LogFile,
  MOST_COMMIT_BYTES,
  WriteAheadLog,
} from '../../runtime/storage/lmdb/write-ahead-log.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'write-ahead-log-'));
let files = 0;
const newFile = (): LogFile => ({ path: path.join(folder, `${++files}.log`), id: Buffer.alloc(ID_BYTES, files) });

const test = suite('write-ahead log');
test.after(() => rmSync(folder, { recursive: true }));

/** Two rows: a text of some length, and one that is removed. */
function write(log: WriteAheadLog, revision: number, text: string): void {
  const key = (target: Buffer, position: number): number => position + target.write(`key-${revision}`, position);
  log.begin();
  log.add(1, Deed.append, key, Buffer.from(text));
  log.add(2, Deed.remove, key, Buffer.alloc(0));
  log.commit(revision);
}

const shown = (at: LogFile, revision: number): string[] =>
  commitsAfter(at, revision).map(
    (commit) => `${commit.revision}: ${commit.rows.map(({ table, deed, key, value }) => `${table} ${deed} ${key}=${value}`).join(', ')}`,
  );
const row = (revision: number, text: string): string => `${revision}: 1 1 key-${revision}=${text}, 2 2 key-${revision}=`;

function filled(...texts: string[]): LogFile {
  const at = newFile();
  const log = new WriteAheadLog(at);
  for (const [index, text] of texts.entries()) write(log, index + 1, text);
  log.close();
  return at;
}

test('gives the commits behind a revision, in order', () => {
  const at = filled('a', 'bb', '');
  assert.equal(shown(at, 0), [row(1, 'a'), row(2, 'bb'), row(3, '')]);
  assert.equal(shown(at, 2), [row(3, '')]);
  assert.equal(shown(at, 3), []);
  assert.equal(shown(at, 9), []);
});

test('gives nothing behind a gap', () => {
  const at = newFile();
  const log = new WriteAheadLog(at);
  for (const revision of [5, 6, 8]) write(log, revision, 'x');
  log.close();
  assert.equal(shown(at, 4), [row(5, 'x'), row(6, 'x')]);
  assert.equal(shown(at, 3), []);
  assert.equal(shown(at, 6), []);
});

test('of an earlier round nothing is left', () => {
  for (const texts of [['n'], ['n', 'n'], ['n'.repeat(300)], ['n'.repeat(10), 'n']]) {
    const at = newFile();
    const log = new WriteAheadLog(at);
    for (let revision = 1; revision <= 6; revision++) write(log, revision, 'o'.repeat(revision % 3));
    log.restart();
    for (const [index, text] of texts.entries()) write(log, 7 + index, text);
    log.close();
    assert.equal(
      shown(at, 6),
      texts.map((text, index) => row(7 + index, text)),
    );
  }
});

test('a commit that is begun anew leaves nothing of itself', () => {
  const at = newFile();
  const log = new WriteAheadLog(at);
  log.begin();
  log.add(3, Deed.put, (_, position) => position, Buffer.alloc(1_000, 'x'));
  write(log, 1, 'a');
  log.close();
  assert.equal(shown(at, 0), [row(1, 'a')]);
});

test('a file that is not there, is empty or of another store has nothing', () => {
  const at = filled('a');
  assert.equal(shown({ ...at, path: `${at.path}.none` }, 0), []);
  assert.equal(shown({ ...at, id: Buffer.alloc(ID_BYTES, 255) }, 0), []);
  const empty = newFile();
  writeFileSync(empty.path, '');
  assert.equal(shown(empty, 0), []);
});

test('a file of another store is replaced', () => {
  const at = filled('a', 'b');
  const other = { ...at, id: Buffer.alloc(ID_BYTES, 255) };
  const log = new WriteAheadLog(other);
  write(log, 1, 'c');
  log.close();
  assert.equal(shown(other, 0), [row(1, 'c')]);
  assert.equal(shown(at, 0), []);
});

test('never grows, and is full before a commit does not fit', () => {
  const at = newFile();
  const log = new WriteAheadLog(at);
  let revision = 0;
  while (!log.isFull) write(log, ++revision, 'x'.repeat(MOST_COMMIT_BYTES - 100));
  log.close();
  assert.ok(revision > 5, `${revision} commits`);
  assert.is(shown(at, 0).length, revision);
  assert.is(readFileSync(at.path).length, 1024 * 1024);
});

test('what is cut short or damaged is not there, what stands before it is', () => {
  const texts = ['first', 'second', 'the third, which is a little longer'];
  const bytes = readFileSync(filled(...texts).path);
  const lastStart = bytes.indexOf('key-3') - 8 - 7 - 8;
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
        bytes.copy(at.id, 0, 0, ID_BYTES);
        writeFileSync(at.path, how === 'cut' ? damaged.subarray(0, place) : damaged);
        assert.equal(shown(at, 0), [row(1, 'first'), row(2, 'second')]);
      },
    ),
    { numRuns: 300 },
  );
});

test.run();

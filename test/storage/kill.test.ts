/** Processes that write are killed at random moments; what they were told is written has to be there, and nothing else may be harmed. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openLmdbStorage } from '../../runtime/storage/lmdb/lmdb-storage.ts';
import type { Storage } from '../../runtime/storage/storage.ts';
import { words } from './contract/store.ts';
import { type Acknowledgement, seedOf } from './kill-value.ts';
import { checkConsistency } from './lmdb-check.ts';

const test = suite('killed writers');
const WRITER = fileURLToPath(new URL('kill-writer.ts', import.meta.url));

interface Writers {
  /** in one process */
  readonly count: number;
  /** that process has the store for itself */
  readonly exclusive: boolean;
  /** changes that it leaves when it compacts; absent: it does not compact */
  readonly history?: number;
}

/** Starts a process in the case's folder. */
type StartWriter = (name: string, writers: Writers) => Promise<WriterProcess>;

const WRITERS = 64;

/** A folder for one case; no writer outlives it. */
async function inFolder(body: (directory: string, start: StartWriter) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'killed-'));
  const writers: WriterProcess[] = [];
  try {
    await body(directory, async (name, options) => {
      const writer = new WriterProcess(directory, name, options);
      writers.push(writer);
      await writer.ready;
      return writer;
    });
  } finally {
    await Promise.all(writers.map((writer) => writer.kill()));
    await rm(directory, { recursive: true });
  }
}

class WriterProcess {
  readonly acknowledged: Acknowledgement[] = [];
  readonly ready: Promise<unknown>;
  readonly #child: ChildProcessByStdio<null, Readable, null>;
  readonly #ended: Promise<unknown>;

  constructor(directory: string, name: string, { count, exclusive, history }: Writers) {
    this.#child = spawn(process.execPath, [WRITER, directory, name, String(count), String(exclusive), String(history)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface(this.#child.stdout);
    this.#ended = Promise.all([once(this.#child, 'exit'), once(lines, 'close')]);
    const failed = this.#ended.then(() => Promise.reject(new Error('a writer ended before it was ready')));
    this.ready = Promise.race([once(lines, 'line'), failed]).then(() => lines.on('line', (line) => this.#read(line)));
    failed.catch(() => {});
  }

  get endedByItself(): boolean {
    return this.#child.exitCode !== null;
  }

  /** Resolves when it is dead and everything it said was read. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  #read(line: string): void {
    // the last line may be cut off
    if (line.endsWith('}')) this.acknowledged.push(JSON.parse(line));
  }
}

/** What is known of a directory over all its rounds. */
class Ledger {
  readonly #directory: string;
  readonly #byRevision = new Map<number, Acknowledgement>();
  #checkedUpTo = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  add(acknowledgements: readonly Acknowledgement[]): void {
    for (const each of acknowledgements) {
      assert.not.ok(this.#byRevision.has(each.revision), `revision ${each.revision} was given twice`);
      assert.ok(each.revision > this.#checkedUpTo, `revision ${each.revision} had been used before`);
      this.#byRevision.set(each.revision, each);
    }
  }

  /** Opens the store, completes a compaction that was cut short, compares. */
  async check(): Promise<void> {
    const storage = openLmdbStorage({ directory: this.#directory, dialect: 'test', terms: words });
    await storage.compact(storage.compactedRevision());
    this.#compareChanges(storage);
    this.#compareLatest(storage);
    this.#checkedUpTo = storage.currentRevision();
    await storage.close();
    assert.equal(await checkConsistency(this.#directory), []);
  }

  /** Acknowledged changes are there; those that were not acknowledged in time are noted, for later rounds. */
  #compareChanges(storage: Storage): void {
    const compacted = storage.compactedRevision();
    const found = new Set<number>();
    for (const { operation, key, revision, value } of storage.changes(compacted, '')) {
      found.add(revision);
      const seed = seedOf(value, revision);
      if (seed === undefined) throw new Error(`the value of revision ${revision} is not whole`);
      const told = this.#byRevision.get(revision);
      if (told === undefined) this.#byRevision.set(revision, { operation, key, revision, seed });
      else assert.equal({ operation, key, revision, seed }, told);
    }
    for (const revision of this.#byRevision.keys()) {
      assert.ok(revision <= compacted || found.has(revision), `revision ${revision} was acknowledged and is lost`);
    }
  }

  #compareLatest(storage: Storage): void {
    const latest = new Map<string, Acknowledgement>();
    for (const each of this.#byRevision.values()) {
      if (each.revision > (latest.get(each.key)?.revision ?? 0)) latest.set(each.key, each);
    }
    const expected = new Set<string>();
    for (const { operation, key, revision, seed } of latest.values()) {
      if (operation !== 'delete') expected.add(`${key}@${revision}=${seed}`);
    }
    const range = storage.range({ start: '', end: '' });
    const living = Array.from(range, ({ key, revision, value }) => `${key}@${revision}=${seedOf(value, revision)}`);
    assert.equal(
      living.filter((entry) => !expected.has(entry)),
      [],
      'entries that nobody wrote last',
    );
    assert.is(living.length, expected.size, 'entries');
  }
}

for (const { who, count, exclusive, rounds, least } of [
  { who: 'a process', count: WRITERS, exclusive: false, rounds: 10, least: 1_000 },
  { who: 'a process that has the store for itself', count: WRITERS, exclusive: true, rounds: 6, least: 1_000 },
  { who: 'one of eight writers, whose writes are flushed together,', count: 8, exclusive: true, rounds: 8, least: 100 },
  { who: 'one with a single writer', count: 1, exclusive: true, rounds: 6, least: 20 },
])
  test(`${who} that is killed again and again loses nothing that it was told`, () =>
    inFolder(async (directory, start) => {
      const ledger = new Ledger(directory);
      let acknowledged = 0;
      for (let round = 0; round < rounds; round++) {
        const writer = await start(`${round % 3}`, { count, exclusive, history: 2_000 });
        await wait(100 + Math.random() * 300);
        assert.not.ok(writer.endedByItself);
        await writer.kill();
        acknowledged += writer.acknowledged.length;
        ledger.add(writer.acknowledged);
        await ledger.check();
      }
      assert.ok(acknowledged > least, `only ${acknowledged} writes`);
    }));

const SHARING = { count: WRITERS, exclusive: false };

// without compaction: the survivor could compact what the other one wrote last and did not live to tell
test('a process that is killed does not stop the others that write to the file', () =>
  inFolder(async (directory, start) => {
    const ledger = new Ledger(directory);
    for (let round = 0; round < 3; round++) {
      const [first, second] = await Promise.all([start('a', SHARING), start('b', SHARING)]);
      await wait(100 + Math.random() * 200);
      await first.kill();
      const before = second.acknowledged.length;
      await wait(100 + Math.random() * 200);
      assert.ok(second.acknowledged.length > before, 'the other one stands still');
      await second.kill();
      ledger.add([...first.acknowledged, ...second.acknowledged].sort((a, b) => a.revision - b.revision));
      await ledger.check();
    }
  }));

test.run();

/** Processes that write to a store until they are killed, and what is known of what they wrote. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import type { Storage } from '../../../runtime/storage/storage.ts';
import { words } from '../contract/store.ts';
import { type Acknowledgement, seedOf } from './kill-value.ts';
import { checkConsistency } from './lmdb-check.ts';

const WRITER = fileURLToPath(new URL('kill-writer.ts', import.meta.url));

export interface Writers {
  /** in one process */
  readonly count: number;
  /** that process has the store for itself */
  readonly exclusive: boolean;
  /** changes that it leaves when it compacts; absent: it does not compact */
  readonly history?: number;
}

/** Starts a process in the case's folder, which may not have the store yet. */
export type StartWriter = (name: string, writers: Writers) => WriterProcess;

/** A folder for one case; no writer outlives it. */
export async function inFolder(body: (directory: string, start: StartWriter) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'killed-'));
  const writers: WriterProcess[] = [];
  try {
    await body(directory, (name, options) => {
      const writer = new WriterProcess(directory, name, options);
      writers.push(writer);
      return writer;
    });
  } finally {
    await Promise.all(writers.map((writer) => writer.kill()));
    await rm(directory, { recursive: true });
  }
}

export class WriterProcess {
  readonly acknowledged: Acknowledgement[] = [];
  readonly ready: Promise<unknown>;
  readonly #child: ChildProcessByStdio<null, Readable, null>;
  readonly #ended: Promise<unknown>;
  #isKilled = false;

  constructor(directory: string, name: string, { count, exclusive, history }: Writers) {
    this.#child = spawn(process.execPath, [WRITER, directory, name, String(count), String(exclusive), String(history)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface(this.#child.stdout);
    this.#ended = Promise.all([once(this.#child, 'exit'), once(lines, 'close')]);
    const failed = this.#ended.then(() => Promise.reject(new Error('a writer ended before it was ready')));
    // what it says next may come with the first line
    this.ready = Promise.race([
      once(
        lines.on('line', (line) => this.#read(line)),
        'line',
      ),
      failed,
    ]);
    failed.catch(() => {});
  }

  /** Resolves when it was told of so many writes. @throws Error where it ends before that */
  async hasWritten(count: number): Promise<void> {
    while (this.acknowledged.length < count) {
      if (this.endedByItself) throw new Error(`a writer ended behind ${this.acknowledged.length} writes`);
      await wait(5);
    }
  }

  get endedByItself(): boolean {
    return this.#child.exitCode !== null || (this.#child.signalCode !== null && !this.#isKilled);
  }

  /** Resolves when it is dead and everything it said was read. */
  async kill(): Promise<void> {
    this.#isKilled = true;
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  #read(line: string): void {
    // the last line may be cut off
    if (line.endsWith('}')) this.acknowledged.push(JSON.parse(line));
  }
}

/** What is known of a directory over all its rounds. */
export class Ledger {
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

/** What a round does: kills a process some time after it has the store, or while it opens it and takes over what the one before it has left. */
export type Moment = 'writing' | 'opening';

/** Milliseconds that it takes a process to begin and to have the store, about. */
const OPENING = 400;

/** Milliseconds that a process writes at most, beyond `least`. */
const WRITING = 300;

/**
 * One round.
 * @param least writes that are acknowledged before a process is killed that writes, however long they take
 * @returns how many were acknowledged
 */
export async function killedRound(ledger: Ledger, writer: WriterProcess, moment: Moment, least = 0): Promise<number> {
  if (moment === 'writing') {
    await writer.ready;
    await writer.hasWritten(least);
    await wait(Math.random() * WRITING);
  } else {
    writer.ready.catch(() => {});
    await wait(Math.random() * OPENING);
  }
  assert.not.ok(writer.endedByItself);
  await writer.kill();
  ledger.add(writer.acknowledged);
  await ledger.check();
  return writer.acknowledged.length;
}

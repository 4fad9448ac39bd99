/**
 * The file of writes that are on the disk before LMDB has them: each commit is appended and flushed with one short write, where LMDB writes nine
 * pages in two flushes. `log-layout.ts` has its bytes. It is begun anew, in another round, once it is full and LMDB has all of it.
 *
 * What a crash leaves is read by `log-reader.ts`. Behind the last commit stand zeros, so that a commit that is cut short is told from none.
 */
import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  type Stats,
  statSync,
  write,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { StorageUnwritable } from '../../errors.ts';
import { type KeyCodec, writeRevision } from '../codecs/codecs.ts';
import { syncDirectory } from '../files/directory.ts';
import { reasonOf } from '../files/regular-file.ts';
import { FlushPace } from './flush-pace.ts';
import { type Deed, FILE_BYTES, HEAD, MOST_COMMIT_BYTES, Part, ROW_HEAD } from './log-layout.ts';

/** Past the system's cache, which takes a sixth less, whole blocks are written, from memory that begins where a block may. */
const BLOCK_BYTES = 4096;

/** Each write is on the disk when it ends. */
const FLUSHING = constants.O_WRONLY | (constants.O_DSYNC ?? 0);

/** Milliseconds for which the file is taken to have its name still. */
const NAMED = 100;

export class WriteAheadLog {
  readonly #path: string;
  readonly #pace: Pick<FlushPace, 'took' | 'waitsHere'>;
  #round: Buffer = Buffer.alloc(0);
  /** behind which the round begins */
  #base = 0;
  #file: number | undefined;
  /** of that file */
  #opened: Stats | undefined;
  /** the time until which the file is known to have its name */
  #namedUntil = Number.NEGATIVE_INFINITY;
  /** it is written past the system's cache */
  #isDirect = constants.O_DIRECT !== undefined;
  #bytes: Buffer = Buffer.alloc(0);
  /** the offset of the first commit that is not on the disk */
  #flushed = 0;
  /** the offset of the next commit */
  #start = 0;
  /** the offset of the next row of the commit that is being put together */
  #end = 0;

  /** @param pace says whether this thread waits for a lone flush */
  constructor(path: string, pace: Pick<FlushPace, 'took' | 'waitsHere'> = new FlushPace()) {
    this.#path = path;
    this.#pace = pace;
  }

  /** Whether there may be no room for one more commit. */
  get isFull(): boolean {
    return this.#start > FILE_BYTES - MOST_COMMIT_BYTES;
  }

  /**
   * Begins a commit, or begins it anew. Not while a flush is under way.
   * @throws StorageUnwritable that names the file for a file that cannot be made or opened
   */
  begin(): void {
    try {
      if (this.#file === undefined) {
        this.#file = this.#open();
        this.#opened = fstatSync(this.#file);
        this.#namedUntil = Number.NEGATIVE_INFINITY;
      }
    } catch (error) {
      throw this.#unwritable(error);
    }
    if (this.#start === 0) this.#beginRound();
    this.#beginRecord();
  }

  /** What is written behind `#start` is to be in the memory whole: a record that says that the round has begun. */
  #beginRound(): void {
    this.#beginRecord();
    this.commit(this.#base, 0);
  }

  #beginRecord(): void {
    this.#end = this.#start + HEAD + Part.rows;
  }

  /** The memory that keeps rows until `restart`. After the file was opened again, it is another one. */
  get memory(): Buffer {
    return this.#bytes;
  }

  /** Adds a row to the commit. @returns where its value begins in `memory` */
  add<Key>(table: number, deed: Deed, keys: Pick<KeyCodec<Key>, 'writeKey'>, key: Key, value: Buffer): number {
    const bytes = this.#bytes;
    const head = this.#end;
    const keyEnd = keys.writeKey(key, bytes, head + ROW_HEAD);
    bytes[head] = table;
    bytes[head + 1] = deed;
    bytes.writeUInt16BE(keyEnd - head - ROW_HEAD, head + 2);
    bytes.writeUInt32BE(value.length, head + 4);
    value.copy(bytes, keyEnd);
    this.#end = keyEnd + value.length;
    return keyEnd;
  }

  /** Ends the commit, which is to be flushed. @param generation of LMDB, which it goes on from */
  commit(revision: number, generation: number): void {
    const bytes = this.#bytes;
    const body = this.#start + HEAD;
    this.#round.copy(bytes, body + Part.round);
    bytes.writeUInt32BE(this.#flushed, body + Part.flushed);
    bytes.writeUInt32BE(generation, body + Part.generation);
    writeRevision(bytes, body + Part.revision, revision);
    bytes.writeUInt32BE(this.#end - body, this.#start);
    bytes.writeUInt32BE(crc32(bytes.subarray(body, this.#end)), this.#start + HEAD / 2);
    bytes.fill(0, this.#end, this.#end + HEAD);
    this.#start = this.#end;
  }

  /** Forgets the commits that are not on the disk. Not while a flush is under way. Whole blocks are flushed, so nothing of them may stay in the memory. */
  drop(): void {
    this.#bytes.subarray(this.#flushed, Math.max(this.#start, this.#end) + HEAD).fill(0);
    this.#start = this.#flushed;
  }

  /**
   * Has the commits be on the disk that are not: another thread writes them, unless there is a lone writer and `FlushPace` has this one wait.
   * @param isLone there is one commit, and nobody waits for the answer of another one
   * @param confirm is called when they are there, and throws where they must not count
   * @returns a promise that resolves then; undefined: they are there
   * @throws StorageUnwritable that names the file, or the promise rejects with it; they are not to be found again then, unless its `outcomeUnknown` says otherwise
   */
  flush(isLone = false, confirm: () => void = () => {}): Promise<void> | undefined {
    const started = performance.now();
    try {
      this.#assertNamed(started);
    } catch (error) {
      throw this.#failed(error);
    }
    if (!(isLone && this.#pace.waitsHere)) return this.#flushByThread(started, confirm);
    try {
      this.#orOtherwise(() => this.#writeHere());
      confirm();
    } catch (error) {
      throw this.#failed(error);
    }
    this.#succeeded(started);
    return undefined;
  }

  /** What is written to a file that has lost its name is gone with the process, and nobody who opens the store later knows of it. */
  #assertNamed(now: number): void {
    if (now < this.#namedUntil) return;
    const named = statSync(this.#path, { throwIfNoEntry: false });
    if (named?.ino !== this.#opened?.ino || named?.dev !== this.#opened?.dev)
      throw new Error('it was removed or replaced while it is open');
    this.#namedUntil = now + NAMED;
  }

  async #flushByThread(started: number, confirm: () => void): Promise<void> {
    try {
      await this.#writeByThread().catch((error) => {
        this.#openOtherwise(error);
        return this.#writeByThread();
      });
      confirm();
    } catch (error) {
      throw this.#failed(error);
    }
    this.#succeeded(started);
  }

  #succeeded(started: number): void {
    this.#pace.took(performance.now() - started);
    this.#flushed = this.#start;
  }

  #failed(error: unknown): StorageUnwritable {
    this.#pace.took(Number.POSITIVE_INFINITY);
    const outcomeUnknown = !this.#takeBack();
    // it is opened anew when it is tried again
    this.close();
    return this.#unwritable(error, outcomeUnknown);
  }

  /**
   * Begins at the start, in another round: LMDB has what was written, and that round. Not while a flush is under way.
   * @param revision LMDB's newest one
   */
  restart(round: Buffer, revision: number): void {
    this.#round = round;
    this.#base = revision;
    this.#flushed = 0;
    this.#start = 0;
  }

  /** Goes on behind what is on the disk. Before anything is written. */
  goOn(round: Buffer, end: number): void {
    this.#round = round;
    this.#flushed = end;
    this.#start = end;
  }

  /** Has the round begin on the disk, before anything is written to it. @throws Error of the file system */
  establish(): void {
    this.begin();
    this.#orOtherwise(() => writeSync(this.#file as number, this.#bytes, 0, BLOCK_BYTES, 0));
    if (constants.O_DSYNC === undefined) fsyncSync(this.#file as number);
    this.#flushed = this.#start;
  }

  /** Closes the file. It must not be called while a flush is under way. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open(): number {
    if (!existsSync(this.#path) || statSync(this.#path).size !== FILE_BYTES) create(this.#path);
    this.#bytes = alignedBytes();
    // the block that is written to next is written whole
    const block = blockStart(this.#start);
    if (this.#start > 0) this.#readFile(this.#bytes.subarray(block, block + BLOCK_BYTES), block);
    try {
      return openSync(this.#path, FLUSHING | (constants.O_DIRECT ?? 0));
    } catch (error) {
      if (!this.#isRefusal(error)) throw error;
      return openSync(this.#path, FLUSHING);
    }
  }

  #unwritable(error: unknown, outcomeUnknown = false): StorageUnwritable {
    const { code } = error as NodeJS.ErrnoException;
    return new StorageUnwritable(`${this.#path} cannot be written: ${reasonOf(error)}`, {
      cause: error,
      outcomeUnknown,
      ...(code !== undefined && { code }),
    });
  }

  /** Fills the buffer with what the file has there. */
  #readFile(into: Buffer, at: number): void {
    const file = openSync(this.#path, 'r');
    try {
      readSync(file, into, 0, into.length, at);
    } finally {
      closeSync(file);
    }
  }

  /** Goes on through the system's cache, where writing past it is refused. @throws `error` where that is not the reason */
  #openOtherwise(error: unknown): void {
    if (!this.#isRefusal(error)) throw error;
    this.close();
    this.#file = openSync(this.#path, FLUSHING);
  }

  /** Once: of blocks, addresses or lengths that the file system does not take, or of any such writing. */
  #isRefusal(error: unknown): boolean {
    const isRefusal = this.#isDirect && (error as NodeJS.ErrnoException).code === 'EINVAL';
    if (isRefusal) this.#isDirect = false;
    return isRefusal;
  }

  /** Whole blocks: what is in them before the first commit to flush is there already, and what is behind the last one is of no round that counts. */
  async #writeByThread(): Promise<void> {
    const file = this.#file as number;
    const stop = this.#stop();
    for (let at = blockStart(this.#flushed); at < stop; ) at += await writeByThread(file, this.#bytes, at, stop - at);
    // where a file cannot be opened so that each write is flushed
    if (constants.O_DSYNC === undefined) await flushByThread(file);
  }

  /** Does the same in this thread. */
  #writeHere(): void {
    const file = this.#file as number;
    const stop = this.#stop();
    for (let at = blockStart(this.#flushed); at < stop; ) at += writeSync(file, this.#bytes, at, stop - at, at);
    if (constants.O_DSYNC === undefined) fsyncSync(file);
  }

  #orOtherwise(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#openOtherwise(error);
      write();
    }
  }

  /** Returns the offset behind the zeros that end the last commit. */
  #stop(): number {
    return Math.min(blockEnd(this.#start + HEAD), FILE_BYTES);
  }

  /**
   * Overwrites what the disk may have of the commits that could not be flushed.
   * @returns whether nobody will find them: they are overwritten, or the file has nothing of them. A power failure may bring back what the file has
   */
  #takeBack(): boolean {
    const stop = this.#stop();
    const isInFile = this.#isInFile();
    this.drop();
    this.#bytes.fill(0, this.#start, stop);
    let at = blockStart(this.#start);
    try {
      while (at < stop) at += writeSync(this.#file as number, this.#bytes, at, stop - at, at);
      return true;
    } catch {
      // the first error says what is wrong
      return !isInFile || at >= this.#start + HEAD;
    }
  }

  /** Whether the file may have the first commit that is not flushed: those behind it do not count without it. */
  #isInFile(): boolean {
    const beginning = this.#bytes.subarray(this.#flushed, this.#flushed + HEAD + Part.rows);
    const found = Buffer.alloc(beginning.length);
    try {
      this.#readFile(found, this.#flushed);
    } catch {
      return true;
    }
    return found.equals(beginning);
  }
}

/** @returns how many bytes it wrote */
const writeByThread = (file: number, bytes: Buffer, at: number, length: number): Promise<number> =>
  new Promise((resolve, reject) => {
    write(file, bytes, at, length, at, (error, written) => (error === null ? resolve(written) : reject(error)));
  });
const flushByThread = promisify(fdatasync);
const blockStart = (position: number): number => position - (position % BLOCK_BYTES);
const blockEnd = (position: number): number => blockStart(position + BLOCK_BYTES - 1);

interface WebAssemblyMemory {
  readonly buffer: ArrayBuffer;
}
declare const WebAssembly: { readonly Memory: new (pages: { initial: number; maximum: number }) => WebAssemblyMemory } | undefined;

/**
 * Zeros: whole blocks are written, and what stood in memory before could be records of the same round. A WebAssembly memory begins at a page, which no other
 * memory here is sure to do.
 */
function alignedBytes(): Buffer {
  const pages = FILE_BYTES / 65_536;
  if (typeof WebAssembly === 'undefined') return Buffer.alloc(FILE_BYTES);
  return Buffer.from(new WebAssembly.Memory({ initial: pages, maximum: pages }).buffer);
}

/** The file is there as a whole or not at all. */
function create(path: string): void {
  const unfinished = `${path}.new`;
  const file = openSync(unfinished, 'w', 0o600);
  try {
    const empty = Buffer.alloc(FILE_BYTES);
    for (let at = 0; at < FILE_BYTES; ) at += writeSync(file, empty, at, FILE_BYTES - at, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
  syncDirectory(dirname(path));
}

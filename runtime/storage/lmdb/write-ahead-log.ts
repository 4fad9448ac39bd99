/**
 * The file of writes that are on the disk before LMDB has them: each commit is appended and flushed with one short write, where LMDB writes nine
 * pages in two flushes. It is written from its start again once LMDB has all of it.
 *
 * | bytes of a record | hold |
 * | ----------------- | ---- |
 * | 4 | length of what follows the checksum |
 * | 4 | CRC-32 of that |
 * | 16 | the round, which LMDB has too; it has another one before anything else is written to it |
 * | 7 | revision of the commit |
 * | then for each row that it writes: 1 | the table, by its place |
 * | 1 | what is done, see `Deed` |
 * | 2, 4 | lengths of key and value |
 * | the rest | key, value |
 *
 * A record that is cut short has another checksum, and what follows the last record is of another round. So nothing is read but what the LMDB file at
 * hand lacks, whatever was done to the two files between.
 */
import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  write,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { readRevision, writeRevision } from './codecs.ts';
import { syncDirectory } from './directory.ts';

/** Bytes of the file, which never grows: a flush then writes nothing but the records. */
const FILE_BYTES = 1024 * 1024;
/** Bytes that one commit may take at most. */
export const MOST_COMMIT_BYTES = 128 * 1024;

export const ROUND_BYTES = 16;
const CHECKSUM = 4;
const BODY = 8;
const REVISION_BYTES = 7;
const ROWS = ROUND_BYTES + REVISION_BYTES;
const ROW_HEAD = 8;

export const Deed = { put: 0, append: 1, remove: 2 } as const;
export type Deed = (typeof Deed)[keyof typeof Deed];

/** What a commit does to one row. */
export interface LoggedRow {
  readonly table: number;
  readonly deed: Deed;
  readonly key: Buffer;
  /** empty for a row that is removed */
  readonly value: Buffer;
}

export interface Commit {
  readonly revision: number;
  readonly rows: readonly LoggedRow[];
}

type WriteKey = (target: Buffer, position: number) => number;

/** Past the system's cache, which takes a sixth less, whole blocks are written, from memory that begins where a block may. */
const BLOCK_BYTES = 4096;

/** Each write is on the disk when it ends. */
const FLUSHING = constants.O_WRONLY | (constants.O_DSYNC ?? 0);

export class WriteAheadLog {
  readonly #path: string;
  #round: Buffer;
  #file: number | undefined;
  /** it is written past the system's cache */
  #isDirect = constants.O_DIRECT !== undefined;
  #bytes: Buffer = Buffer.alloc(0);
  /** where the first commit begins that is not on the disk */
  #flushed = 0;
  /** where the next commit begins */
  #start = 0;
  /** where the next row of the commit that is being put together begins */
  #end = 0;

  /** @param round `ROUND_BYTES` long; LMDB has it */
  constructor(path: string, round: Buffer) {
    this.#path = path;
    this.#round = round;
  }

  /** Whether there may be no room for one more commit. */
  get isFull(): boolean {
    return this.#start > FILE_BYTES - MOST_COMMIT_BYTES;
  }

  /** Begins a commit, or begins it anew. Not while a flush is under way. @throws Error of the file system for a file that cannot be made or opened */
  begin(): void {
    this.#file ??= this.#open();
    this.#end = this.#start + BODY + ROWS;
  }

  /** Adds a row to the commit. @returns the value where it is kept until `restart` */
  add(table: number, deed: Deed, writeKey: WriteKey, value: Buffer): Buffer {
    const bytes = this.#bytes;
    const head = this.#end;
    const keyEnd = writeKey(bytes, head + ROW_HEAD);
    bytes[head] = table;
    bytes[head + 1] = deed;
    bytes.writeUInt16BE(keyEnd - head - ROW_HEAD, head + 2);
    bytes.writeUInt32BE(value.length, head + 4);
    value.copy(bytes, keyEnd);
    this.#end = keyEnd + value.length;
    return bytes.subarray(keyEnd, this.#end);
  }

  /** Ends the commit, which is to be flushed. */
  commit(revision: number): void {
    const bytes = this.#bytes;
    const body = this.#start + BODY;
    this.#round.copy(bytes, body);
    writeRevision(bytes, body + ROUND_BYTES, revision);
    bytes.writeUInt32BE(this.#end - body, this.#start);
    bytes.writeUInt32BE(crc32(bytes.subarray(body, this.#end)), this.#start + CHECKSUM);
    // whole blocks are written, and behind this commit may stand one of this round that was dropped
    bytes.fill(0, this.#end, this.#end + BODY);
    this.#start = this.#end;
  }

  /** Forgets the commits that are not on the disk. Not while a flush is under way. */
  drop(): void {
    this.#start = this.#flushed;
  }

  /**
   * Resolves when the commits that are not on the disk are there; another thread writes them.
   * @throws Error of the file system; they are not to be found again then, if the disk takes that
   */
  async flush(): Promise<void> {
    try {
      await this.#write().catch((error) => {
        this.#openOtherwise(error);
        return this.#write();
      });
    } catch (error) {
      this.#takeBack();
      throw error;
    }
    this.#flushed = this.#start;
  }

  /** Begins at the start again, in another round: LMDB has what was written, and that round. Not while a flush is under way. */
  restart(round: Buffer): void {
    this.#round = round;
    this.#flushed = 0;
    this.#start = 0;
  }

  /** Not while a flush is under way. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open(): number {
    if (!existsSync(this.#path) || statSync(this.#path).size !== FILE_BYTES) create(this.#path);
    this.#bytes = alignedBytes();
    try {
      return openSync(this.#path, FLUSHING | (constants.O_DIRECT ?? 0));
    } catch (error) {
      if (!this.#isRefusal(error)) throw error;
      return openSync(this.#path, FLUSHING);
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
  async #write(): Promise<void> {
    const file = this.#file as number;
    const stop = blockEnd(this.#start);
    for (let at = blockStart(this.#flushed); at < stop; ) {
      const { bytesWritten } = await writeByThread(file, this.#bytes, at, stop - at, at);
      at += bytesWritten;
    }
    // where a file cannot be opened so that each write is flushed
    if (constants.O_DSYNC === undefined) await flushByThread(file);
  }

  #takeBack(): void {
    this.drop();
    this.#bytes.fill(0, this.#start, this.#start + BODY);
    const at = blockStart(this.#start);
    try {
      writeSync(this.#file as number, this.#bytes, at, blockEnd(this.#start + BODY) - at, at);
    } catch {
      // the first error says what is wrong
    }
  }
}

const writeByThread = promisify(write);
const flushByThread = promisify(fdatasync);
const blockStart = (position: number): number => position - (position % BLOCK_BYTES);
const blockEnd = (position: number): number => blockStart(position + BLOCK_BYTES - 1);

interface WebAssemblyMemory {
  readonly buffer: ArrayBuffer;
}
declare const WebAssembly: { readonly Memory: new (pages: { initial: number; maximum: number }) => WebAssemblyMemory } | undefined;

/** A WebAssembly memory begins at a page, which no other memory here is sure to do. */
function alignedBytes(): Buffer {
  const pages = FILE_BYTES / 65_536;
  if (typeof WebAssembly === 'undefined') return Buffer.allocUnsafeSlow(FILE_BYTES);
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

/**
 * The commits of a round in a file that are above LMDB's revision, in order: what reached the disk and not LMDB, which has that round.
 * @param revision LMDB's newest one
 * @throws Error of the file system, or for a gap between LMDB and the log
 */
export function commitsOf(path: string, round: Buffer, revision: number): Commit[] {
  const found: Commit[] = [];
  if (!existsSync(path)) return found;
  const file = openSync(path, 'r');
  try {
    for (let position = 0; ; ) {
      const body = readBody(file, position);
      if (body === undefined || !body.subarray(0, ROUND_BYTES).equals(round)) return found;
      const commit = { revision: readRevision(body, ROUND_BYTES), rows: rowsOf(body) };
      const expected = revision + found.length + 1;
      if (commit.revision > expected) throw gap(path, commit.revision, expected);
      if (commit.revision === expected) found.push(commit);
      position += BODY + body.length;
    }
  } finally {
    closeSync(file);
  }
}

function gap(path: string, found: number, expected: number): Error {
  const remedy = 'put the whole folder back from a backup, or remove this file to go on without what it holds';
  return new Error(`${path} goes on with revision ${found} where ${expected} follows in data.mdb beside it: ${remedy}`);
}

/** @returns undefined where no whole record begins */
function readBody(file: number, position: number): Buffer | undefined {
  const head = Buffer.alloc(BODY);
  if (readSync(file, head, 0, BODY, position) < BODY) return undefined;
  const length = head.readUInt32BE(0);
  if (length < ROWS || length > MOST_COMMIT_BYTES) return undefined;
  const body = Buffer.alloc(length);
  if (readSync(file, body, 0, length, position + BODY) < length) return undefined;
  return crc32(body) === head.readUInt32BE(CHECKSUM) ? body : undefined;
}

function rowsOf(body: Buffer): LoggedRow[] {
  const rows: LoggedRow[] = [];
  for (let at = ROWS; at < body.length; ) {
    const key = at + ROW_HEAD;
    const value = key + body.readUInt16BE(at + 2);
    const end = value + body.readUInt32BE(at + 4);
    rows.push({ table: body[at] as number, deed: body[at + 1] as Deed, key: body.subarray(key, value), value: body.subarray(value, end) });
    at = end;
  }
  return rows;
}

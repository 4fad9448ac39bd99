/**
 * The file of writes that are on the disk before LMDB has them: each commit is appended and flushed with one short write, where LMDB writes a dozen
 * pages in two flushes. It is written from its start again once LMDB has all of it.
 *
 * The file begins with the id of the LMDB file that it belongs to. The records follow:
 *
 * | bytes of a record | hold |
 * | ----------------- | ---- |
 * | 4 | length of what follows the checksum |
 * | 4 | CRC-32 of that |
 * | 7 | revision of the commit |
 * | then for each row that it writes: 1 | the table, by its place |
 * | 1 | what is done, see `Deed` |
 * | 2, 4 | lengths of key and value |
 * | the rest | key, value |
 *
 * A record that is cut short has another checksum; what follows the last record is of an earlier round, and so of revisions that are lower.
 */
import { closeSync, constants, existsSync, fsyncSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { readRevision, writeRevision } from './codecs.ts';
import { syncDirectory } from './directory.ts';

/** Bytes of the file, which never grows: a flush then writes nothing but the records. */
const FILE_BYTES = 1024 * 1024;
/** Bytes that one commit may take at most. */
export const MOST_COMMIT_BYTES = 128 * 1024;

export const ID_BYTES = 16;

/** Which file, of which LMDB file. */
export interface LogFile {
  readonly path: string;
  /** `ID_BYTES` long, random */
  readonly id: Buffer;
}

const CHECKSUM = 4;
const BODY = 8;
const REVISION_BYTES = 7;
const ROW_HEAD = 8;

export const Deed = { put: 0, append: 1, remove: 2 } as const;
export type Deed = (typeof Deed)[keyof typeof Deed];

/** What a commit does to one row. */
export interface Row {
  readonly table: number;
  readonly deed: Deed;
  readonly key: Buffer;
  /** empty for a row that is removed */
  readonly value: Buffer;
}

export interface Commit {
  readonly revision: number;
  readonly rows: readonly Row[];
}

type WriteKey = (target: Buffer, position: number) => number;

export class WriteAheadLog {
  readonly #at: LogFile;
  #file: number | undefined;
  #bytes: Buffer = Buffer.alloc(0);
  /** where the next commit begins */
  #start = ID_BYTES;
  /** where the next row of the commit that is being put together begins */
  #end = 0;

  constructor(at: LogFile) {
    this.#at = at;
  }

  /** Whether there may be no room for one more commit. */
  get isFull(): boolean {
    return this.#start > FILE_BYTES - MOST_COMMIT_BYTES;
  }

  /** Begins a commit, or begins it anew. @throws Error of the file system for a file that cannot be made or opened */
  begin(): void {
    this.#file ??= this.#open();
    this.#end = this.#start + BODY + REVISION_BYTES;
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

  /** Ends the commit: it is on the disk when this returns. @throws Error of the file system; whether the commit is on the disk is not known then */
  commit(revision: number): void {
    const bytes = this.#bytes;
    const body = this.#start + BODY;
    writeRevision(bytes, body, revision);
    bytes.writeUInt32BE(this.#end - body, this.#start);
    bytes.writeUInt32BE(crc32(bytes.subarray(body, this.#end)), this.#start + CHECKSUM);
    for (let at = this.#start; at < this.#end; ) at += writeSync(this.#file as number, bytes, at, this.#end - at, at);
    this.#start = this.#end;
  }

  /** Begins at the start again: LMDB has what was written. */
  restart(): void {
    this.#start = ID_BYTES;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open(): number {
    if (!belongsTo(this.#at)) create(this.#at);
    this.#bytes = Buffer.allocUnsafeSlow(FILE_BYTES);
    return openSync(this.#at.path, constants.O_WRONLY | constants.O_DSYNC);
  }
}

function belongsTo({ path, id }: LogFile): boolean {
  if (!existsSync(path)) return false;
  const file = openSync(path, 'r');
  try {
    const found = Buffer.alloc(ID_BYTES);
    return readSync(file, found, 0, ID_BYTES, 0) === ID_BYTES && found.equals(id);
  } finally {
    closeSync(file);
  }
}

/** The file is there as a whole or not at all. */
function create({ path, id }: LogFile): void {
  const unfinished = `${path}.new`;
  const file = openSync(unfinished, 'w', 0o600);
  try {
    const empty = Buffer.alloc(FILE_BYTES);
    id.copy(empty);
    for (let at = 0; at < FILE_BYTES; ) at += writeSync(file, empty, at, FILE_BYTES - at, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
  syncDirectory(dirname(path));
}

/**
 * The commits of a file that follow `revision` without a gap, in order: those that reached the disk and not LMDB.
 * @throws Error of the file system
 */
export function commitsAfter(at: LogFile, revision: number): Commit[] {
  const found: Commit[] = [];
  if (!belongsTo(at)) return found;
  const file = openSync(at.path, 'r');
  try {
    let position = ID_BYTES;
    let last = 0;
    for (;;) {
      const body = readBody(file, position);
      if (body === undefined) return found;
      const commit = { revision: readRevision(body, 0), rows: rowsOf(body) };
      if (commit.revision <= last) return found;
      last = commit.revision;
      position += BODY + body.length;
      if (commit.revision === revision + found.length + 1) found.push(commit);
    }
  } finally {
    closeSync(file);
  }
}

/** @returns undefined where no whole record begins */
function readBody(file: number, position: number): Buffer | undefined {
  const head = Buffer.alloc(BODY);
  if (readSync(file, head, 0, BODY, position) < BODY) return undefined;
  const length = head.readUInt32BE(0);
  if (length < REVISION_BYTES || length > MOST_COMMIT_BYTES) return undefined;
  const body = Buffer.alloc(length);
  if (readSync(file, body, 0, length, position + BODY) < length) return undefined;
  return crc32(body) === head.readUInt32BE(CHECKSUM) ? body : undefined;
}

function rowsOf(body: Buffer): Row[] {
  const rows: Row[] = [];
  for (let at = REVISION_BYTES; at < body.length; ) {
    const key = at + ROW_HEAD;
    const value = key + body.readUInt16BE(at + 2);
    const end = value + body.readUInt32BE(at + 4);
    rows.push({ table: body[at] as number, deed: body[at + 1] as Deed, key: body.subarray(key, value), value: body.subarray(value, end) });
    at = end;
  }
  return rows;
}

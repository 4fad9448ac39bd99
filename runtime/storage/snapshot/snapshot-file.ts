/**
 * A snapshot of a store as one file: a line that says what it is, a line of JSON about the store, the store's data, and a SHA-256 of all before it. Who
 * reads one knows whether it is whole.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { UnwritableFile } from '../lmdb/files/regular-file.ts';
import { assertFormat, readFormat } from '../lmdb/store-files/format.ts';
import { mainRowsOf } from '../lmdb/store-files/main-rows.ts';

/** How the first line of the file begins in every form. */
const NAME = 'cluster-apiserver store snapshot ';
/** Must change when the form of the file changes. */
const FORM = '1';
/** The first line of the file. */
const MARK = `${NAME}${FORM}\n`;
const DIGEST_BYTES = 32;
/** The most bytes of the second line, which is the header. */
const MAX_HEADER_BYTES = 4_096;

export interface SnapshotHeader {
  readonly dialect: string;
  /** the revision up to which the snapshot has everything that was written */
  readonly revision: number;
  /** when the snapshot was made, by RFC 3339 */
  readonly made: string;
  /** the length of the store's data */
  readonly bytes: number;
}

/** A file is not a snapshot, or not a whole one. */
export class DamagedSnapshot extends Error {
  override readonly name = 'DamagedSnapshot';
}

/** Makes the bytes of the file, piece by piece. @param dataFile the file with the store's data, whose size is `header.bytes`. @throws Error of the system */
export async function* snapshotBytes(header: SnapshotHeader, dataFile: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const head = Buffer.from(`${MARK}${JSON.stringify(header)}\n`);
  hash.update(head);
  yield head;
  for await (const piece of createReadStream(dataFile)) {
    hash.update(piece as Buffer);
    yield piece as Buffer;
  }
  yield hash.digest();
}

/** Looks at a snapshot as it comes. */
export class SnapshotCheck {
  readonly #hash: Hash = createHash('sha256');
  #head = Buffer.alloc(0);
  #header: SnapshotHeader | undefined;
  /** bytes of the data that have come */
  #data = 0;
  /** the last bytes that have come, which may be the digest */
  #end = Buffer.alloc(0);

  /** The header; undefined until it has come. */
  get header(): SnapshotHeader | undefined {
    return this.#header;
  }

  /** bytes of the data that have come */
  get received(): number {
    return this.#data;
  }

  /** @returns what of the store's data came with the piece. @throws DamagedSnapshot */
  add(piece: Buffer): Buffer {
    if (this.#header !== undefined) return this.#addData(piece, this.#header);
    this.#head = Buffer.concat([this.#head, piece]);
    const end = this.#endOfHead();
    if (end === undefined) return Buffer.alloc(0);
    const head = this.#head.subarray(0, end);
    this.#header = parsedHeader(head.subarray(MARK.length));
    this.#hash.update(head);
    return this.#addData(this.#head.subarray(end), this.#header);
  }

  /** @throws DamagedSnapshot where it is not whole */
  end(): SnapshotHeader {
    if (this.#header === undefined) throw new DamagedSnapshot('it ends before it says of which store it is');
    const { bytes } = this.#header;
    if (this.#data < bytes) throw new DamagedSnapshot(`it ends after ${this.#data} of ${bytes} bytes of data`);
    if (this.#end.length !== DIGEST_BYTES) throw new DamagedSnapshot('its checksum is not whole');
    if (!this.#hash.digest().equals(this.#end)) throw new DamagedSnapshot('its checksum is that of something else');
    return this.#header;
  }

  #endOfHead(): number | undefined {
    const head = this.#head;
    assertMark(head);
    const end = head.indexOf(0x0a, MARK.length);
    if (end !== -1 && head.length > MARK.length) return end + 1;
    if (head.length > MARK.length + MAX_HEADER_BYTES) throw new DamagedSnapshot('what it says of its store is too long');
    return undefined;
  }

  #addData(piece: Buffer, { bytes }: SnapshotHeader): Buffer {
    const data = piece.subarray(0, bytes - this.#data);
    this.#data += data.length;
    this.#hash.update(data);
    const rest = piece.subarray(data.length);
    if (this.#end.length + rest.length > DIGEST_BYTES) throw new DamagedSnapshot('there is more after its end');
    if (rest.length > 0) this.#end = Buffer.concat([this.#end, rest]);
    return data;
  }
}

/** @param head may lack its end. @throws DamagedSnapshot */
function assertMark(head: Buffer): void {
  const mark = head.toString('latin1', 0, MARK.length);
  if (MARK.startsWith(mark)) return;
  const form = /^[0-9]+/.exec(head.toString('latin1', NAME.length, NAME.length + MOST_OF_FORM))?.[0];
  if (!mark.startsWith(NAME) || form === undefined) throw new DamagedSnapshot('it is no snapshot of a store');
  throw new DamagedSnapshot(
    `it is a snapshot of form ${form}, of another release; this program reads form ${FORM}: restore it by that release`,
  );
}

const MOST_OF_FORM = 16;

function parsedHeader(line: Buffer): SnapshotHeader {
  try {
    // nothing that it says has a backslash, which Node's parser is not to see in names
    if (line.includes(0x5c)) throw new DamagedSnapshot('what it says of its store is written in another way');
    const header = JSON.parse(line.toString()) as SnapshotHeader;
    const { dialect, revision, made, bytes } = header;
    if (typeof dialect === 'string' && typeof made === 'string' && isCount(revision) && isCount(bytes)) return header;
  } catch (error) {
    if (error instanceof DamagedSnapshot) throw error;
  }
  throw new DamagedSnapshot('what it says of its store cannot be read');
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

/**
 * Reads a snapshot to its end.
 * @param data gets the store's data; a promise is waited for
 * @param progress hears of bytes of the data
 * @throws DamagedSnapshot where it is not whole; Error of the system
 */
export async function readSnapshot(
  file: string,
  data: (bytes: Buffer) => unknown,
  progress: (done: number, total: number) => void,
): Promise<SnapshotHeader> {
  const check = new SnapshotCheck();
  for await (const piece of createReadStream(file)) {
    await data(check.add(piece as Buffer));
    if (check.header !== undefined) progress(check.received, check.header.bytes);
  }
  return check.end();
}

/** @throws UnwritableFile */
export async function writeTo(output: FileHandle, file: string, bytes: Uint8Array): Promise<void> {
  try {
    await output.writeFile(bytes);
  } catch (error) {
    throw new UnwritableFile(file, error);
  }
}

/**
 * Reads a snapshot into a new file of data.
 * @throws UnwritableFile, IncompatibleStorage for data of another release, DamagedSnapshot also for data of another dialect than it says, and as `readSnapshot`
 */
export async function extractSnapshot(
  file: string,
  dataFile: string,
  progress: (done: number, total: number) => void,
): Promise<SnapshotHeader> {
  const output: FileHandle = await open(dataFile, 'wx', 0o600);
  let header: SnapshotHeader;
  try {
    header = await readSnapshot(file, (bytes) => writeTo(output, dataFile, bytes), progress);
  } finally {
    await output.close();
  }
  assertData(dataFile, header);
  return header;
}

/** What says no format is left to whoever opens it. */
function assertData(dataFile: string, { dialect }: SnapshotHeader): void {
  const { format: text } = mainRowsOf(dataFile);
  const format = text === undefined ? undefined : readFormat(text);
  if (format === undefined) return;
  assertFormat(format, 'its data');
  if (format.dialect === dialect) return;
  throw new DamagedSnapshot(`it says that its store is of the dialect "${dialect}", where its data is of "${format.dialect}"`);
}

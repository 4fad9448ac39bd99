/**
 * Byte layouts of keys and values in the LMDB file. Numbers are big-endian, so that LMDB's comparison of bytes is their order.
 * A revision takes 7 bytes. Encoders of values reuse their buffer: the bytes are good until the next call.
 */
import { crc32 } from 'node:zlib';
import { type Change, REVISION_GAP } from '../../storage.ts';
import { checksumBehindHead } from './checksum-behind-head.ts';
import { ChecksumDifference } from './checksum-difference.ts';

/** An encoder of keys, in the form that the package `lmdb` requires. */
export interface KeyCodec<Key> {
  /** @returns the position after what it wrote */
  writeKey(key: Key, target: Buffer, position: number): number;
  readKey(source: Buffer, start: number, end: number): Key;
}

export interface ValueCodec<Value> {
  /** values are bytes whose memory has others later; absent: they stay as they are */
  readonly passes?: true;
  encode(value: Value): Buffer;
  /** @param bytes only valid during the call, unless the codec says otherwise */
  decode(bytes: Buffer): Value;
}

const REVISION_BYTES = 7;
/** Above every revision, as an exclusive end. */
export const REVISION_END = 2 ** 53;

export function writeRevision(target: Buffer, position: number, revision: number): number {
  const high = (revision / 0x1_0000_0000) | 0;
  const low = revision | 0;
  target[position] = high >>> 16;
  target[position + 1] = high >>> 8;
  target[position + 2] = high;
  target[position + 3] = low >>> 24;
  target[position + 4] = low >>> 16;
  target[position + 5] = low >>> 8;
  target[position + 6] = low;
  return position + REVISION_BYTES;
}

const byte = (bytes: Buffer, at: number): number => bytes[at] as number;
const readUint32 = (bytes: Buffer, at: number): number =>
  byte(bytes, at) * 0x100_0000 + ((byte(bytes, at + 1) << 16) | (byte(bytes, at + 2) << 8) | byte(bytes, at + 3));
export const readRevision = (bytes: Buffer, at: number): number =>
  ((byte(bytes, at) << 16) | (byte(bytes, at + 1) << 8) | byte(bytes, at + 2)) * 0x1_0000_0000 + readUint32(bytes, at + 3);

export const textKey: KeyCodec<string> = {
  writeKey: (key, target, position) => position + target.write(key, position, 'utf8'),
  readKey: (source, start, end) => source.toString('utf8', start, end),
};

export const revisionKey: KeyCodec<number> = {
  writeKey: (revision, target, position) => writeRevision(target, position, revision),
  readKey: (source, start) => readRevision(source, start),
};

/** Text, a zero byte, revision: all revisions of one text stand together, in order. The text holds no zero byte itself. */
export interface TextRevision {
  readonly text: string;
  readonly revision: number;
}

export const textRevisionKey: KeyCodec<TextRevision> = {
  writeKey({ text, revision }, target, position) {
    const end = position + target.write(text, position, 'utf8');
    target[end] = 0;
    return writeRevision(target, end + 1, revision);
  },
  readKey(source, start, end) {
    const separator = end - REVISION_BYTES - 1;
    return { text: source.toString('utf8', start, separator), revision: readRevision(source, separator + 1) };
  },
};

/** The store's counters; changed within one write transaction, written at its end. */
export interface State {
  revision: number;
  compacted: number;
  /** bytes that the latest values take */
  liveBytes: number;
  /** bytes that superseded values and tombstones take, for compaction to free */
  historyBytes: number;
  /** up to which the postings are complete */
  posted: number;
}

const stateBytes = Buffer.allocUnsafeSlow(5 * REVISION_BYTES);

export const stateValue: ValueCodec<State> = {
  encode({ revision, compacted, liveBytes, historyBytes, posted }) {
    let position = writeRevision(stateBytes, 0, revision);
    position = writeRevision(stateBytes, position, compacted);
    position = writeRevision(stateBytes, position, liveBytes);
    position = writeRevision(stateBytes, position, historyBytes);
    writeRevision(stateBytes, position, posted);
    return stateBytes;
  },
  decode: (bytes) => ({
    revision: readRevision(bytes, 0),
    compacted: readRevision(bytes, REVISION_BYTES),
    liveBytes: readRevision(bytes, 2 * REVISION_BYTES),
    historyBytes: readRevision(bytes, 3 * REVISION_BYTES),
    posted: readRevision(bytes, 4 * REVISION_BYTES),
  }),
};

/** The latest version of a key, which may be a deletion. */
export interface Latest {
  readonly revision: number;
  /** see `footprint` */
  readonly size: number;
}

const latestBytes = Buffer.allocUnsafeSlow(REVISION_BYTES + 4);

export const latestValue: ValueCodec<Latest> = {
  encode({ revision, size }) {
    latestBytes.writeUInt32BE(size, writeRevision(latestBytes, 0, revision));
    return latestBytes;
  },
  decode: (bytes) => ({ revision: readRevision(bytes, 0), size: readUint32(bytes, REVISION_BYTES) }),
};

/** A version of a key that another one has followed. */
export interface Superseded {
  readonly tombstone: boolean;
  readonly size: number;
}

const supersededBytes = Buffer.allocUnsafeSlow(5);

export const supersededValue: ValueCodec<Superseded> = {
  encode({ tombstone, size }) {
    supersededBytes[0] = tombstone ? 1 : 0;
    supersededBytes.writeUInt32BE(size, 1);
    return supersededBytes;
  },
  decode: (bytes) => ({ tombstone: byte(bytes, 0) === 1, size: readUint32(bytes, 1) }),
};

export type Operation = Change['operation'];
const operations: readonly Operation[] = ['create', 'update', 'delete'];
const operationCode: Readonly<Record<Operation, number>> = { create: 0, update: 1, delete: 2 };
const readOperation = (bytes: Buffer, at: number): Operation => operations[byte(bytes, at)] as Operation;

/** What the index tells of a change without its values. */
export interface IndexedChange {
  readonly operation: Operation;
  readonly key: string;
  /** revision of the version that it replaced or removed; 0 for a create */
  readonly previous: number;
}

const INDEXED_KEY = 1 + REVISION_BYTES;
const indexedBytes = Buffer.allocUnsafeSlow(2048);

export const indexedChangeValue: ValueCodec<IndexedChange> = {
  encode({ operation, key, previous }) {
    indexedBytes[0] = operationCode[operation];
    writeRevision(indexedBytes, 1, previous);
    return indexedBytes.subarray(0, INDEXED_KEY + indexedBytes.write(key, INDEXED_KEY, 'utf8'));
  },
  decode: (bytes) => ({
    operation: readOperation(bytes, 0),
    previous: readRevision(bytes, 1),
    key: bytes.toString('utf8', INDEXED_KEY, bytes.length),
  }),
};

/**
 * A record of the log. Its bytes are a CRC-32 of all others and of the revision, then the operation, the length of the key, the previous revision, the key and
 * the value.
 */
export interface LogRecord {
  readonly operation: Operation;
  readonly key: string;
  readonly previous: number;
  readonly value: Buffer;
}

const RECORD_OPERATION = 4;
const RECORD_KEY_LENGTH = 5;
const RECORD_PREVIOUS = 7;
export const RECORD_KEY = RECORD_PREVIOUS + REVISION_BYTES;

export const recordLength = (keyLength: number, value: Buffer): number => RECORD_KEY + keyLength + value.length;

/** A record of the same key whose value is the same but for the REVISION_GAP bytes from an offset on; where that is negative, all of it. */
export interface RepeatedRecord {
  readonly record: Buffer;
  readonly revision: number;
  readonly revisionOffset: number;
}

/**
 * Of a change of a key, `keyLength` bytes long.
 * @param target of exactly the record's length
 * @param repeated what the record says again, which makes its checksum cheaper
 */
export function encodeRecord(
  target: Buffer,
  revision: number,
  { operation, key, previous, value }: LogRecord,
  keyLength: number,
  repeated?: RepeatedRecord,
): void {
  target[RECORD_OPERATION] = operationCode[operation];
  target[RECORD_KEY_LENGTH] = keyLength >>> 8;
  target[RECORD_KEY_LENGTH + 1] = keyLength;
  writeRevision(target, RECORD_PREVIOUS, previous);
  target.write(key, RECORD_KEY, 'utf8');
  value.copy(target, RECORD_KEY + keyLength);
  const checksum =
    repeated === undefined
      ? checksumBehindHead(target, seedOf(revision))
      : checksumOfRepetition(repeated, target, revision, RECORD_KEY + keyLength);
  target.writeUInt32BE(checksum, 0);
}

/** @param value where it begins in both */
function checksumOfRepetition({ record, revision, revisionOffset }: RepeatedRecord, target: Buffer, at: number, value: number): number {
  const difference = new ChecksumDifference(seedOf(revision), seedOf(at));
  difference.over(record, target, RECORD_OPERATION, RECORD_KEY);
  if (revisionOffset < 0) {
    difference.past(target.length - RECORD_KEY);
  } else {
    const gap = value + revisionOffset;
    difference.past(gap - RECORD_KEY);
    difference.over(record, target, gap, gap + REVISION_GAP);
    difference.past(target.length - gap - REVISION_GAP);
  }
  return difference.appliedTo(readUint32(record, 0));
}

/** The revision is what the checksum begins with, so that a whole record in the place of another one has another one. */
const seedOf = (revision: number): number => (revision ^ (revision / 0x1_0000_0000)) >>> 0;

/** @param record as LMDB gives it, in memory that is longer than it says to be */
const recordChecksum = (record: Buffer, revision: number): number =>
  crc32(record.subarray(RECORD_OPERATION, record.length), seedOf(revision));

/** Whether a record is what was written at this revision. Its parts may be taken only of one that is. */
export const isRecordWhole = (record: Buffer, revision: number): boolean =>
  record.length >= RECORD_KEY && readUint32(record, 0) === recordChecksum(record, revision) && recordValueOffset(record) <= record.length;

/** Returns the offset at which the value begins in a record's bytes. */
export const recordValueOffset = (record: Buffer): number =>
  RECORD_KEY + ((byte(record, RECORD_KEY_LENGTH) << 8) | byte(record, RECORD_KEY_LENGTH + 1));
export const recordOperation = (record: Buffer): Operation => readOperation(record, RECORD_OPERATION);
export const recordPrevious = (record: Buffer): number => readRevision(record, RECORD_PREVIOUS);
export const recordKey = (record: Buffer): string => record.toString('utf8', RECORD_KEY, recordValueOffset(record));

/** Whether a record is of this key. Most keys are ASCII, of which nothing is decoded. */
export function isRecordOf(record: Buffer, key: string): boolean {
  const length = recordValueOffset(record) - RECORD_KEY;
  if (length !== key.length) return recordKey(record) === key;
  // from its end, where keys differ
  for (let i = length - 1; i >= 0; i--) if (record[RECORD_KEY + i] !== key.charCodeAt(i)) return recordKey(record) === key;
  return true;
}

/** Log records are taken apart by the functions above: their bytes stay where `lmdb` read them, good until the next read. */
export const rawValue: ValueCodec<Buffer> = { passes: true, encode: (bytes) => bytes, decode: (bytes) => bytes };

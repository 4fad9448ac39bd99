/**
 * The bytes of the write-ahead log: records, one behind the other. Numbers are big-endian.
 *
 * | bytes of a record | hold | | ----------------- | ---- | | 4 | length of what follows the checksum | | 4 | CRC-32 of that | | 16 | the round, which LMDB has
 * too | | 4 | where what was flushed before this record ends | | 4 | the generation of LMDB that it goes on from | | 7 | revision of the commit | | then for
 * each row that it writes: 1 | the table, by its place | | 1 | what is done, see `Deed` | | 2, 4 | lengths of key and value | | the rest | key, value |
 *
 * The first record of a round has no rows: it says that the round has begun, behind that revision.
 */
import { ROUND_BYTES } from './log-note.ts';

/** Bytes of the file, which never grows: a flush then writes nothing but the records. */
export const FILE_BYTES = 1024 * 1024;
/** Bytes that one commit may take at most. */
export const MOST_COMMIT_BYTES = 128 * 1024;

/** The bytes of the length and the checksum at the beginning of a record. */
export const HEAD = 8;
/** The offsets of a record's parts behind these. */
export const Part = {
  round: 0,
  flushed: ROUND_BYTES,
  generation: ROUND_BYTES + 4,
  revision: ROUND_BYTES + 8,
  rows: ROUND_BYTES + 15,
} as const;
export const ROW_HEAD = 8;
/** The most bytes of a record behind its length and checksum. */
export const MOST_RECORD_BYTES = MOST_COMMIT_BYTES;

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

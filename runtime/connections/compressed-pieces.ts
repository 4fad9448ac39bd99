/**
 * Bodies in pieces as gzip has them (RFC 1952). A body that differs from an earlier one in few pieces is compressed anew around these alone: what is between is
 * cut where the pieces themselves say so, so that the same cuts are found again, and each run of pieces between two cuts is kept compressed.
 */
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import { BodyPieces } from './body-pieces.ts';
import { joinedChecksum, shiftBy } from './crc32.ts';

/** Bytes of a run, at most, where its pieces are not longer themselves: of what is held uncompressed. */
const LONGEST_RUN = 512 * 1024;
/** One of as many pieces is the first of a run. */
const PIECES_OF_RUN = 32;
/** Bytes of a piece that say whether it is. */
const HEAD = 128;
/** Runs that are compressed at the same time: other requests need threads of the pool as well. */
const AT_ONCE = 2;

/** The header of gzip without a file name, a time and a system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255]);
/** An empty last block of deflate. */
const LAST_BLOCK = Buffer.from([3, 0]);

const deflate = promisify(deflateRaw);

interface Run {
  readonly pieces: readonly Buffer[];
  readonly compressed: Promise<CompressedRun>;
}

interface CompressedRun {
  /** blocks that end at a byte, none of which is the last */
  readonly bytes: Buffer;
  readonly checksum: number;
  readonly shift: number;
}

/** The compressed runs by their first pieces. */
const runs = new WeakMap<Buffer, Run>();
const compressedBodies = new WeakMap<BodyPieces, Promise<BodyPieces>>();

/** @param level as of zlib. It is the same at every call. */
export function gzipPieces(body: BodyPieces, level: number): Promise<BodyPieces> {
  const known = compressedBodies.get(body);
  if (known !== undefined) return known;
  const made = compressed(body, level);
  compressedBodies.set(body, made);
  made.catch(() => compressedBodies.delete(body));
  return made;
}

async function compressed(body: BodyPieces, level: number): Promise<BodyPieces> {
  const gzip = new BodyPieces();
  gzip.bytes(HEADER);
  let checksum = 0;
  const pending: Promise<CompressedRun>[] = [];
  const take = async (run: Promise<CompressedRun>) => {
    const { bytes, checksum: following, shift } = await run;
    gzip.bytes(bytes);
    checksum = joinedChecksum(checksum, following, shift);
  };
  for (const pieces of cut(body.pieces)) {
    pending.push(compressedRun(pieces, level));
    if (pending.length === AT_ONCE) await take(pending.shift() as Promise<CompressedRun>);
  }
  for (const run of pending) await take(run);
  gzip.bytes(LAST_BLOCK);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum);
  trailer.writeUInt32LE(body.length % 2 ** 32, 4);
  gzip.bytes(trailer);
  return gzip;
}

/** Divides pieces into runs. A run ends before a piece whose own bytes make it the first of a run, and at the latest when it is long. */
function* cut(pieces: readonly Buffer[]): Generator<readonly Buffer[]> {
  let run: Buffer[] = [];
  let length = 0;
  for (const piece of pieces) {
    if (run.length > 0 && (length + piece.length > LONGEST_RUN || beginsRun(piece))) {
      yield run;
      run = [];
      length = 0;
    }
    run.push(piece);
    length += piece.length;
  }
  if (run.length > 0) yield run;
}

/** Tells whether a piece begins a run, by the hash FNV-1a of its first bytes, so that equal pieces in different bodies begin the same runs. */
function beginsRun(piece: Buffer): boolean {
  const end = Math.min(piece.length, HEAD);
  let hash = 0x811c9dc5;
  for (let i = 0; i < end; i++) hash = Math.imul(hash ^ (piece[i] as number), 0x01000193);
  return (hash >>> 16) % PIECES_OF_RUN === 0;
}

function compressedRun(pieces: readonly Buffer[], level: number): Promise<CompressedRun> {
  const [first] = pieces as [Buffer];
  const known = runs.get(first);
  if (known !== undefined && known.pieces.length === pieces.length && pieces.every((piece, i) => piece === known.pieces[i]))
    return known.compressed;
  const bytes = Buffer.concat(pieces);
  const compressed = deflate(bytes, { level, finishFlush: constants.Z_SYNC_FLUSH }).then(
    (blocks): CompressedRun => ({ bytes: blocks, checksum: crc32(bytes), shift: shiftBy(bytes.length) }),
  );
  runs.set(first, { pieces, compressed });
  compressed.catch(() => runs.delete(first));
  return compressed;
}

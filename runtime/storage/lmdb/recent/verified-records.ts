/**
 * Records are verified when this process reads them for the first time, as often as it forgets that it has: what LMDB reads stays in the
 * system's memory, and a checksum costs a list more than finding the record does.
 */
import { ValueDamaged } from '../../errors.ts';
import { isRecordOf, isRecordWhole } from '../codecs/codecs.ts';

/** The number of revisions of a piece, which has a bit for each. */
const PIECE = 32_768;
/** The most pieces, each of 4 KB. If there are more, all are forgotten. */
const MOST_PIECES = 1_024;

export class VerifiedRecords {
  readonly #pieces = new Map<number, Uint8Array<ArrayBuffer>>();
  /** the piece that was asked for last: revisions that are read together are mostly in one */
  #last = new Uint8Array();
  #lastNumber = -1;

  /**
   * @param record as LMDB gave it
   * @throws ValueDamaged where that is not what was written, or is of another key
   */
  verify(key: string, revision: number, record: Buffer): void {
    if (!this.isWhole(revision, record)) throw new ValueDamaged(key, revision, 'its checksum is another one');
    if (!isRecordOf(record, key)) throw new ValueDamaged(key, revision, 'the store has another key there');
  }

  /** Whether the record of a revision was found whole before. */
  has(revision: number): boolean {
    const place = revision % PIECE;
    return (((this.#pieces.get(Math.floor(revision / PIECE))?.[place >>> 3] ?? 0) >>> (place & 7)) & 1) === 1;
  }

  /** Forgets a record that was found damaged, so that the next reader finds the damage, too. */
  forget(revision: number): void {
    const piece = this.#pieces.get(Math.floor(revision / PIECE));
    const place = revision % PIECE;
    if (piece !== undefined) piece[place >>> 3] = (piece[place >>> 3] as number) & ~(1 << (place & 7));
  }

  /** Whether a record is what was written, of whatever key. */
  isWhole(revision: number, record: Buffer): boolean {
    const piece = this.#pieceOf(Math.floor(revision / PIECE));
    const place = revision % PIECE;
    const bit = 1 << (place & 7);
    if (((piece[place >>> 3] as number) & bit) !== 0) return true;
    if (!isRecordWhole(record, revision)) return false;
    piece[place >>> 3] = (piece[place >>> 3] as number) | bit;
    return true;
  }

  #pieceOf(number: number): Uint8Array {
    if (number !== this.#lastNumber) {
      this.#last = this.#pieces.get(number) ?? this.#newPiece(number);
      this.#lastNumber = number;
    }
    return this.#last;
  }

  #newPiece(number: number): Uint8Array<ArrayBuffer> {
    if (this.#pieces.size >= MOST_PIECES) this.#pieces.clear();
    const piece = new Uint8Array(PIECE / 8);
    this.#pieces.set(number, piece);
    return piece;
  }
}

/** What LMDB knows of the write-ahead log beside it, so that a log that is missing, older or of another store is told from one with nothing new. */

import { randomBytes } from 'node:crypto';

/** Bytes of a round: a random name for what is written to the log between two times that it is begun anew. */
export const ROUND_BYTES = 16;

export interface LogNote {
  readonly round: Buffer;
  /** The round before it, whose records the log may still have where nothing was written since. Empty: there was none. */
  readonly before: Buffer;
  /** revision up to which the log goes at least; -1: it may not have been begun yet */
  readonly reached: number;
  /**
   * Counts what LMDB wrote besides that which was in the log: what is in the log goes on from the very state of LMDB that it was written after, and from
   * no other.
   */
  readonly generation: number;
  /** LMDB has all of it, and nothing is written to it: nobody asks for the file */
  readonly isOver: boolean;
}

/**
 * The note of a new round. It names the round before as well, because LMDB may get this note while the log cannot be written and still has that round.
 * @param hasBefore whether the log still has the round before that of `note`
 */
export const nextRound = (note: LogNote | undefined, hasBefore: boolean): LogNote => ({
  round: randomBytes(ROUND_BYTES),
  before: (hasBefore ? note?.before : note?.round) ?? Buffer.alloc(0),
  reached: -1,
  generation: 0,
  isOver: false,
});

/** Whether two notes are of the same log, however often LMDB has been written besides: that is counted before the disk has taken it. */
export function isOfSameLog(one: LogNote | undefined, other: LogNote | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.reached === other.reached && one.isOver === other.isOver && one.round.equals(other.round);
}

export function encodeNote({ round, before, reached, generation, isOver }: LogNote): Buffer {
  return Buffer.from(JSON.stringify({ round: round.toString('hex'), before: before.toString('hex'), reached, generation, isOver }));
}

export function decodeNote(bytes: Buffer): LogNote {
  const { round, before, reached, generation, isOver } = JSON.parse(bytes.toString()) as Record<'round' | 'before', string> &
    Pick<LogNote, 'reached' | 'generation' | 'isOver'>;
  return { round: Buffer.from(round, 'hex'), before: Buffer.from(before, 'hex'), reached, generation, isOver };
}

/**
 * The bytes of an encrypted value in the store, which say without a key what the value is found by: indexing, compaction, check and recovery
 * need none.
 *
 *   0  u8   3, where values that are not encrypted have their layout (2) or text
 *   1  u16  number of terms
 *   3  …    terms, 8 bytes each, sorted: keyed hashes
 *      …    what kube-apiserver 1.32 would store: `k8s:enc:PROVIDER:VERSION:NAME:` and the encrypted text
 *
 * The text that is encrypted is the value with the offset of its revision behind it (u32, 0xffffffff for none): the store gives the revision
 * when the text is encrypted already, so whoever decrypts it fills that in.
 */
import { fillRevision, type StoredBytes } from '../storage.ts';
import { ReusedBytes } from './reused-bytes.ts';

const SEALED = 3;
const FIXED = 3;
export const TERM_BYTES = 8;
const OFFSET_BYTES = 4;
const NO_OFFSET = 0xffff_ffff;
const START = 'k8s:enc:';

/** Whether a value of the store is encrypted. */
export function isSealed(value: Buffer): boolean {
  if (value[0] !== SEALED || value.length < FIXED + START.length) return false;
  const start = encryptedOffset(value);
  return value.toString('latin1', start, start + START.length) === START;
}

const encryptedOffset = (value: Buffer): number => FIXED + TERM_BYTES * value.readUInt16LE(1);

/** Returns the bytes behind the terms. @param value a sealed value */
export const encryptedPart = (value: Buffer): Buffer => value.subarray(encryptedOffset(value), value.length);

/** Returns the length of a sealed value. @param hashes the hashes of at most 65,535 terms. @param encrypted the encrypted value in pieces */
export const sealedLength = (hashes: Buffer, encrypted: readonly Buffer[]): number =>
  encrypted.reduce((sum, piece) => sum + piece.length, FIXED + hashes.length);

/** @param hashes of terms, in order. @param memory as long as that takes at least. @returns its beginning */
export function sealedValue(hashes: Buffer, encrypted: readonly Buffer[], memory: Buffer): Buffer {
  memory[0] = SEALED;
  memory.writeUInt16LE(hashes.length / TERM_BYTES, 1);
  memory.set(hashes, FIXED);
  let at = FIXED + hashes.length;
  for (const piece of encrypted) {
    memory.set(piece, at);
    at += piece.length;
  }
  return memory.subarray(0, at);
}

/** Returns the hashes of a sealed value's terms, as a text with a character for each byte. */
export const sealedHashes = (value: Buffer): string => value.toString('latin1', FIXED, encryptedOffset(value));

/** Makes the terms by which a sealed value is found, which no value that is not sealed has. @param hashes the result of `sealedHashes` */
export function sealedTerms(hashes: string): string[] {
  const terms: string[] = [];
  for (let at = 0; at < hashes.length; at += TERM_BYTES) terms.push(sealedTerm(hashes.slice(at, at + TERM_BYTES)));
  return terms;
}

export const sealedTerm = (hash: string): string => `s${hash}`;

const texts = new ReusedBytes();

/** The text to encrypt, in memory that the next call uses again. */
export function withOffset({ bytes, revisionOffset }: StoredBytes): Buffer {
  const text = texts.take(bytes.length + OFFSET_BYTES);
  bytes.copy(text);
  text.writeUInt32LE(revisionOffset < 0 ? NO_OFFSET : revisionOffset, bytes.length);
  return text;
}

/** The value that `text` was made of, with its revision: the same bytes, changed. @throws Error for what is no such text */
export function valueWithin(text: Buffer, revision: number): Buffer {
  const length = text.length - OFFSET_BYTES;
  if (length < 0) throw new Error('the decrypted data was shorter than the required size');
  const offset = text.readUInt32LE(length);
  if (offset === NO_OFFSET) return text.subarray(0, length);
  if (offset >= length) throw new Error('the decrypted data names no place for its revision');
  fillRevision(text, offset, revision);
  return text.subarray(0, length);
}

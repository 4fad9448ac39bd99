/** Decodes UTF-8 as Go does. */
import { isUtf8 } from 'node:buffer';

const REPLACEMENT = '\ufffd';
const REPLACED = Buffer.from(REPLACEMENT);

/** Each byte that belongs to no character becomes U+FFFD. Node uses one U+FFFD for several bytes of an incomplete character. */
export function utf8Text(bytes: Buffer, start = 0, end = bytes.length): string {
  if (end - start <= SHORT && isPlain(bytes, start, end)) return bytes.toString('latin1', start, end);
  const text = bytes.toString('utf8', start, end);
  if (!text.includes(REPLACEMENT)) return text;
  const read = bytes.subarray(start, end);
  return isUtf8(read) ? text : withReplaced(read).toString('utf8');
}

/** For shorter texts it is faster to look for bytes beyond ASCII than to search the decoded text. */
const SHORT = 64;

/** Whether all bytes are ASCII. */
function isPlain(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if ((bytes[i] as number) >= 0x80) return false;
  return true;
}

function withReplaced(bytes: Buffer): Buffer {
  const { length } = bytes;
  const all = Buffer.allocUnsafe(length * REPLACED.length);
  let end = 0;
  for (let i = 0; i < length; ) {
    const size = sizeOfCharacter(bytes, i);
    if (size === 0) {
      all[end] = REPLACED[0] as number;
      all[end + 1] = REPLACED[1] as number;
      all[end + 2] = REPLACED[2] as number;
      end += 3;
      i++;
    } else for (const next = i + size; i < next; i++) all[end++] = bytes[i] as number;
  }
  return all.subarray(0, end);
}

/** @returns the bytes of the character that begins here, or 0 if none does */
function sizeOfCharacter(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4 || !isSecond(first, bytes[at + 1] ?? 0)) return 0;
  if (first < 0xe0) return 2;
  if (!goesOn(bytes[at + 2])) return 0;
  if (first < 0xf0) return 3;
  return goesOn(bytes[at + 3]) ? 4 : 0;
}

/** Whether a second byte is valid: it excludes overlong forms, surrogates, and code points beyond U+10FFFF. */
function isSecond(first: number, byte: number): boolean {
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  return byte >= least && byte <= most;
}

const goesOn = (byte = 0): boolean => byte >= 0x80 && byte <= 0xbf;

/** Texts as difference reports show them: between double quotes, or between backquotes where that saves escapes. */
import { goQuote } from '../go-text/quote.ts';

const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} \t]/u;

export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text);
}

export function quoted(text: string): string {
  const quotes = goQuote(text);
  if (Buffer.byteLength(quotes) === Buffer.byteLength(text) + 2) return quotes;
  return text.includes('`') || !isPrintable(text) ? quotes : `\`${text}\``;
}

/** Bytes of a text that may begin or end within a character. */
export function quotedBytes(bytes: Buffer): string {
  const text = bytes.toString();
  if (Buffer.byteLength(text) === bytes.length && !text.includes('\ufffd')) return quoted(text);
  let inner = '';
  for (let at = 0; at < bytes.length; ) {
    const length = characterAt(bytes, at);
    inner += length === 0 ? `\\x${(bytes[at] as number).toString(16)}` : goQuote(bytes.toString('utf8', at, at + length)).slice(1, -1);
    at += Math.max(length, 1);
  }
  return `"${inner}"`;
}

/** The bytes of the whole character that begins there; 0 where none does. */
function characterAt(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0;
  for (let i = 1; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

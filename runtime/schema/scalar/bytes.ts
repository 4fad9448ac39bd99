/** Bytes as base64 text: the standard alphabet with padding; line breaks within are ignored, as RFC 2045 has them. */
import { ScalarError } from './scalar-error.ts';

/** The one text for these bytes. @throws ScalarError */
export function canonicalBase64(text: string): string {
  const decoded = Buffer.from(text, 'base64');
  const canonical = decoded.toString('base64');
  if (canonical === text) return text;
  const wrong = firstWrongByte(text);
  if (wrong !== undefined) throw new ScalarError(`illegal base64 data at input byte ${wrong}`);
  return canonical;
}

/** Where Go's decoder gives up: a wrong character, padding in the wrong place, or the start of a group of four that is cut off. */
function firstWrongByte(text: string): number | undefined {
  let inGroup = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string;
    if (character === '\n' || character === '\r') continue;
    if (/[A-Za-z0-9+/]/.test(character)) inGroup = (inGroup + 1) % 4;
    else if (character === '=' && inGroup >= 2) return wrongPadding(text, i + 1, inGroup);
    else return i;
  }
  return inGroup === 0 ? undefined : text.length - inGroup;
}

/** @param position after the first padding character */
function wrongPadding(text: string, position: number, inGroup: number): number | undefined {
  let next = skipBreaks(text, position);
  if (inGroup === 2) {
    if (next === text.length) return text.length;
    if (text[next] !== '=') return next - 1;
    next = skipBreaks(text, next + 1);
  }
  return next === text.length ? undefined : next;
}

function skipBreaks(text: string, position: number): number {
  let next = position;
  while (text[next] === '\n' || text[next] === '\r') next++;
  return next;
}

/** Bytes as base64 text in the standard alphabet with padding. Line breaks are ignored, as Go does. */
import { ScalarError } from './scalar-error.ts';

/** The one text for the same bytes. @throws ScalarError */
export function canonicalBase64(text: string): string {
  const decoded = Buffer.from(text, 'base64');
  const canonical = decoded.toString('base64');
  if (canonical === text) return text;
  const wrong = firstWrongByte(text);
  if (wrong !== undefined) throw new ScalarError(`illegal base64 data at input byte ${wrong}`);
  return canonical;
}

/** The index where Go's decoder fails: a wrong character, wrong padding, or the start of an incomplete group of four. */
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

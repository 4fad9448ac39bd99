import { isStackOverflow } from '../../contract/json-writer.ts';
import { parseExactly } from '../../schema/json/json-exact.ts';
import { parseNativeJson } from '../../schema/json/native-json.ts';
import { rawNumber } from '../../schema/scalar/raw-number.ts';

/** Digits of the smallest integers that a JavaScript number may not hold exactly. */
const MANY_DIGITS = 16;
const BIG_INTEGER = /[^"\\]\d{16}/;

/**
 * Whether the text may have so many digits in a row. Such a row has a digit at a multiple of their number, so only one character of sixteen is looked at.
 */
function mayHaveBigInteger(text: string): boolean {
  for (let i = MANY_DIGITS - 1; i < text.length; i += MANY_DIGITS)
    if (isDigit(text, i) && digitsAround(text, i) >= MANY_DIGITS) return true;
  return false;
}

function digitsAround(text: string, position: number): number {
  let start = position;
  let end = position + 1;
  while (isDigit(text, start - 1)) start--;
  while (isDigit(text, end)) end++;
  return end - start;
}

function isDigit(text: string, position: number): boolean {
  const code = text.charCodeAt(position);
  return code >= 0x30 && code <= 0x39;
}

/** Parses JSON that this server wrote. Integers beyond 2^53 keep their digits, as raw numbers. */
export function parseStoredJson(json: Buffer): unknown {
  return parseJsonText(json.toString('utf8'));
}

/** Does the same for a text instead of bytes. */
export const parseJsonText = (text: string): unknown => parseNativeJson(text, parsePlainText);

function parsePlainText(text: string): unknown {
  if (!mayHaveBigInteger(text) || !BIG_INTEGER.test(text)) return JSON.parse(text);
  try {
    return parseWithDigits(text);
  } catch (error) {
    if (!isStackOverflow(error)) throw error;
    return parseExactly(text).value;
  }
}

/** The native parser recurses where it has a function to call. */
function parseWithDigits(text: string): unknown {
  return JSON.parse(text, (_key, value, context?: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && context?.source !== undefined && /^-?\d+$/.test(context.source)
      ? rawNumber(context.source)
      : value,
  );
}

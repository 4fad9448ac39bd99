/** Texts that functions make, which are bounded: what they cost does not always tell how long they become. */
import { ErrorValue } from '../values/value.ts';

/** UTF-16 code units. No object that the API takes has a longer text. */
export const MAX_TEXT_LENGTH = 16 * 1024 * 1024;

export const TEXT_TOO_LONG = new ErrorValue(`result is longer than ${MAX_TEXT_LENGTH} characters`);

/** The texts with the separator between them. */
export function joinTexts(texts: readonly string[], separator: string): string | ErrorValue {
  let length = separator.length * Math.max(0, texts.length - 1);
  for (const text of texts) length += text.length;
  return length > MAX_TEXT_LENGTH ? TEXT_TOO_LONG : texts.join(separator);
}

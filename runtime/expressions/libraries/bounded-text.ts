/** Limits the texts that functions create, because their costs do not always limit the length. */
import { ErrorValue } from '../values/value.ts';

/** In UTF-16 code units. No object of the API has a longer text. */
export const MAX_TEXT_LENGTH = 16 * 1024 * 1024;

export const TEXT_TOO_LONG = new ErrorValue(`result is longer than ${MAX_TEXT_LENGTH} characters`);

/** Joins texts with a separator. @returns an error if the result is too long */
export function joinTexts(texts: readonly string[], separator: string): string | ErrorValue {
  let length = separator.length * Math.max(0, texts.length - 1);
  for (const text of texts) length += text.length;
  return length > MAX_TEXT_LENGTH ? TEXT_TOO_LONG : texts.join(separator);
}

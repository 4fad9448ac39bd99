/** V8 copies shorter parts, and refers to the original text for longer ones. */
const LEAST_REFERENCE = 13;

/**
 * Returns the same text with characters of its own. V8 keeps a part of a text, or a concatenation, as a reference. Its fast path of
 * JSON.stringify does not support them, so that an object with one of them takes three times as long.
 */
export function flatText(text: string): string {
  if (text.length < LEAST_REFERENCE) return text;
  return JSON.parse(JSON.stringify(text));
}

/** Characters from which V8 keeps such a reference: it copies what is shorter. */
const LEAST_REFERENCE = 13;

/**
 * The same text with characters of its own. V8 keeps what is cut out of a text, or put together of several, as a reference to those; its quick way
 * to write JSON knows no such references, and an object with one of them takes three times as long.
 */
export function flatText(text: string): string {
  if (text.length < LEAST_REFERENCE) return text;
  return JSON.parse(JSON.stringify(text));
}

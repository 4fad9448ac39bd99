/** Checks whether a text from outside is the JSON of a set of fields: nested objects and nothing else. */

const OPEN = 0x7b;
const CLOSE = 0x7d;
const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
/** the character that replaces bytes that are no UTF-8 */
const REPLACEMENT = 0xfffd;
/** the limit of nesting, which no schema reaches */
const MAX_DEPTH = 1_000;
/** escapes of `JSON.stringify`; `u` is followed by four digits */
const ESCAPES: ReadonlySet<string> = new Set('"\\bfnrtu');
const DIGITS = /^[0-9a-f]{4}$/;

/** @param text is scanned once, without recursion */
export function isSetText(text: string): boolean {
  let depth = 0;
  for (let at = 0; ; ) {
    if (text.charCodeAt(at++) !== OPEN || ++depth > MAX_DEPTH) return false;
    if (text.charCodeAt(at) === QUOTE) {
      at = afterName(text, at);
      continue;
    }
    for (;;) {
      if (text.charCodeAt(at++) !== CLOSE) return false;
      if (--depth === 0) return at === text.length;
      if (text.charCodeAt(at) === COMMA) break;
    }
    at = afterName(text, at + 1);
  }
}

/** @param quote index of the opening quote @returns the index after the colon; the length of the text if there is no valid name */
function afterName(text: string, quote: number): number {
  if (text.charCodeAt(quote) !== QUOTE) return text.length;
  for (let at = quote + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return text.charCodeAt(at + 1) === COLON ? at + 2 : text.length;
    if (code < SPACE || code === REPLACEMENT) return text.length;
    if (code === BACKSLASH && !isEscape(text, ++at)) return text.length;
  }
  return text.length;
}

/** @param at index after the backslash */
function isEscape(text: string, at: number): boolean {
  const escaped = text[at] as string;
  return ESCAPES.has(escaped) && (escaped !== 'u' || DIGITS.test(text.slice(at + 1, at + 5)));
}

/** The escapes of characters that Go shows with a backslash and one character. */
export const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Matches a character that may need an escape: any but printable ASCII without the quotation mark and the backslash. Few texts have one. */
const UNUSUAL = /[^ !#-[\]-~]/;
const SPECIAL = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** Quotes a text as Go's `%q` does, by which 1.32 quotes values and names in its messages. */
export function goQuote(text: string): string {
  if (!UNUSUAL.test(text)) return `"${text}"`;
  return `"${text.replace(SPECIAL, (character) => ESCAPES[character] ?? escaped(character.codePointAt(0) as number))}"`;
}

function escaped(point: number): string {
  if (point < 0x80) return `\\x${point.toString(16).padStart(2, '0')}`;
  return point < 0x10000 ? `\\u${point.toString(16).padStart(4, '0')}` : `\\U${point.toString(16).padStart(8, '0')}`;
}

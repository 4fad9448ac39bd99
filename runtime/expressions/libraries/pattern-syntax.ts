/** Translates the pattern syntax of 1.32 to that of the library that runs patterns. */
import { RE2JS, RE2JSSyntaxException } from 're2js';

/** character properties that the library knows but 1.32 does not */
const UNKNOWN = [
  'Cn LC Assigned Unknown Alphabetic ASCII_Hex_Digit Dash Emoji Emoji_Component Emoji_Modifier Emoji_Modifier_Base Emoji_Presentation',
  'Extended_Pictographic Hex_Digit Lowercase Math Quotation_Mark Terminal_Punctuation Uppercase White_Space',
  'Beria_Erfe Garay Gurung_Khema Kirat_Rai Ol_Onal Sidetic Sunuwar Tai_Yo Todhri Tolong_Siki Tulu_Tigalari',
]
  .join(' ')
  .replaceAll(' ', '|');
const UNKNOWN_PROPERTY = new RegExp(String.raw`\\Q[\s\S]*?(?:\\E|$)|\\[pP]\{\^?(${UNKNOWN})\}|\\[\s\S]`, 'gu');
/** a suffix that makes the library refuse such a property too */
const MARK = '\ue000';

/** Matches quoted, escaped and bracketed parts, which are skipped, or a named group. */
const NAMED_GROUP = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]|\(\?P?<(\w+)>/gu;
const AGAIN = /_again_\d+_(?=>)/g;

/** @returns the pattern, or its error in the words of 1.32, which always shows the faulty part */
export function readPattern(text: string): RE2JS | string {
  try {
    return RE2JS.compile(withOwnNames(text.replace(UNKNOWN_PROPERTY, marked)));
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) return error instanceof Error ? error.message : String(error);
    // without a part from the library, it is the whole pattern, or '' for a trailing backslash
    const where = error.input ?? (error.error.startsWith('trailing backslash') ? '' : text);
    return `error parsing regexp: ${error.error}: \`${where.replaceAll(`${MARK}}`, '}').replace(AGAIN, '')}\``;
  }
}

const marked = (part: string, name: string | undefined): string => (name === undefined ? part : `${part.slice(0, -1)}${MARK}}`);

/** Renames repeated names of groups, which 1.32 allows and the library does not. */
function withOwnNames(text: string): string {
  if (!text.includes('(?')) return text;
  const names = new Set<string>();
  let count = 0;
  return text.replace(NAMED_GROUP, (part, name: string | undefined) => {
    if (name === undefined || !names.has(name)) {
      if (name !== undefined) names.add(name);
      return part;
    }
    return `${part.slice(0, -1)}_again_${++count}_>`;
  });
}

/** Texts of patterns as 1.32 reads them, where the library that runs them reads another syntax. */
import { RE2JS, RE2JSSyntaxException } from 're2js';

/** Properties of characters that the library knows, and 1.32 does not. */
const UNKNOWN = [
  'Cn LC Assigned Unknown Alphabetic ASCII_Hex_Digit Dash Emoji Emoji_Component Emoji_Modifier Emoji_Modifier_Base Emoji_Presentation',
  'Extended_Pictographic Hex_Digit Lowercase Math Quotation_Mark Terminal_Punctuation Uppercase White_Space',
  'Beria_Erfe Garay Gurung_Khema Kirat_Rai Ol_Onal Sidetic Sunuwar Tai_Yo Todhri Tolong_Siki Tulu_Tigalari',
]
  .join(' ')
  .replaceAll(' ', '|');
const UNKNOWN_PROPERTY = new RegExp(String.raw`\\Q[\s\S]*?(?:\\E|$)|\\[pP]\{\^?(${UNKNOWN})\}|\\[\s\S]`, 'gu');
/** Added to the name of a property, it makes it one that the library does not know either. */
const MARK = '\ue000';

/** What is quoted, escaped, or in a class; else a group with a name. */
const NAMED_GROUP = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]|\(\?P?<(\w+)>/gu;
const AGAIN = /_again_\d+_(?=>)/g;

/** @returns what is wrong with a text that is no pattern, in the words of 1.32, which always show where */
export function readPattern(text: string): RE2JS | string {
  try {
    return RE2JS.compile(withOwnNames(text.replace(UNKNOWN_PROPERTY, marked)));
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) return error instanceof Error ? error.message : String(error);
    // where the library shows nothing, the whole is meant, or what stands behind the last backslash
    const where = error.input ?? (error.error.startsWith('trailing backslash') ? '' : text);
    return `error parsing regexp: ${error.error}: \`${where.replaceAll(`${MARK}}`, '}').replace(AGAIN, '')}\``;
  }
}

const marked = (part: string, name: string | undefined): string => (name === undefined ? part : `${part.slice(0, -1)}${MARK}}`);

/** Several groups may have one name in 1.32. */
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

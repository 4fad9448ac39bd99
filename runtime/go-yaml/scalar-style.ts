/** In which style the writer of YAML in 1.32 puts a text: without quotes, in either kind of quotes, or as a block of lines. */
import { isNoText } from './resolved.ts';

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

/** Line feed, carriage return, next line, line and paragraph separators. */
export const BREAK: RegExp = /[\n\r\x85\u2028\u2029]/;

/** What is written as it is: tabs, controls, byte order marks and all beyond the basic plane are escaped. */
const PRINTABLE = /^[\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]*$/;
const SPACE_BEFORE_BREAK = / [\n\r\x85\u2028\u2029]/;
const SPACE_AFTER_BREAK = /[\n\r\x85\u2028\u2029] /;
/** A text that begins or ends with a blank or a break. */
const BLANK_EDGE = /^[ \n\r\x85\u2028\u2029]|[ \n\r\x85\u2028\u2029]$/;
/** What would begin something else, at the beginning or inside. */
const INDICATORS = /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[?:-](?: |$))|:(?: |$)| #/;

/** @param isKey whether the text must stay on its line, before a colon */
export function styleOf(text: string, isKey: boolean): ScalarStyle {
  const hasLines = BREAK.test(text);
  if (!PRINTABLE.test(text) || SPACE_BEFORE_BREAK.test(text)) return 'double';
  if (hasLines && isKey) return 'double';
  if (text.includes('\n')) return text.endsWith(' ') ? 'double' : 'literal';
  if (isNoText(text)) return 'double';
  if (!hasLines && !BLANK_EDGE.test(text) && !INDICATORS.test(text)) return 'plain';
  return SPACE_AFTER_BREAK.test(text) ? 'double' : 'single';
}

/** Looks for further documents in a YAML text. */

/** A mark that begins or ends a document. */
const MARK = String.raw`(?:---|\.\.\.)(?![^ \t\n\r])`;
/** content of a further document; a mark at the beginning of the line is skipped */
const CONTENT_BUT_MARKS = new RegExp(String.raw`(?:^|[\n\r])\uFEFF?(?:${MARK}|(?!${MARK}))[ \t]*[^ \t\n\r#%\uFEFF]`);

/** @param rest of a text, behind a document */
export function hasContent(rest: string): boolean {
  return CONTENT_BUT_MARKS.test(rest);
}

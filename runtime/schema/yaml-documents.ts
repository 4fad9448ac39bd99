/** The documents of a text in YAML: the first one counts, of others it only matters whether there are any. */

/** A mark that ends a document or begins one. */
const MARK = String.raw`(?:---|\.\.\.)(?![^ \t\n\r])`;
const LINE_WITH_MARK = new RegExp(String.raw`(?:^|[\n\r])\uFEFF?${MARK}`, 'g');
/** The first line that is more than a comment or a directive. */
const CONTENT = /(?:^|[\n\r])(?:\uFEFF?[ \t]*[^ \t\n\r#%\uFEFF]|[ \t]+%)/;
/** The same where marks do not count. */
const CONTENT_BUT_MARKS = new RegExp(String.raw`(?:^|[\n\r])\uFEFF?(?:${MARK}|(?!${MARK}))[ \t]*[^ \t\n\r#%\uFEFF]`);

export interface FirstDocument {
  /** as far as the mark of the next one */
  readonly text: string;
  /** whether another one holds something */
  readonly hasMore: boolean;
}

/** Marks stand in the first column, and everywhere there: also within a text that is in quotes or a block. */
export function firstDocument(text: string): FirstDocument {
  const end = endOfFirst(text);
  return { text: text.slice(0, end), hasMore: CONTENT_BUT_MARKS.test(text.slice(end)) };
}

function endOfFirst(text: string): number {
  const content = CONTENT.exec(text);
  if (content === null) return text.length;
  LINE_WITH_MARK.lastIndex = content.index;
  let mark = LINE_WITH_MARK.exec(text);
  if (mark?.index === content.index && mark[0].endsWith('---')) mark = LINE_WITH_MARK.exec(text);
  return mark === null ? text.length : mark.index + (/^[\n\r]/.test(mark[0]) ? 1 : 0);
}

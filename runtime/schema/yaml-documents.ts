/** The documents of a text in YAML: the first one counts, of others it only matters whether there are any. */
import { newYamlSyntaxError } from './yaml-syntax-error.ts';

/** A mark that ends a document or begins one. */
const MARK = String.raw`(?:---|\.\.\.)(?![^ \t\n\r])`;
const LINE_WITH_MARK = new RegExp(String.raw`(?:^|[\n\r])\uFEFF?${MARK}`, 'g');
/** The first line that is more than a comment or a directive. */
const CONTENT = /(?:^|[\n\r])(?:\uFEFF?[ \t]*[^ \t\n\r#%\uFEFF]|[ \t]+%)/;
/** A line before the content, with its name and what follows it. */
const DIRECTIVE = /(?:^|[\n\r])\uFEFF?%([^ \t\n\r]*)[ \t]*([^ \t\n\r]*)/g;
/** What 1.32 knows of them. */
const VERSION = '1.1';
/** The same where marks do not count. */
const CONTENT_BUT_MARKS = new RegExp(String.raw`(?:^|[\n\r])\uFEFF?(?:${MARK}|(?!${MARK}))[ \t]*[^ \t\n\r#%\uFEFF]`);

export interface FirstDocument {
  /** as far as the mark of the next one */
  readonly text: string;
  /** whether another one holds something */
  readonly hasMore: boolean;
}

/**
 * Marks stand in the first column, and everywhere there: also within a text that is in quotes or a block.
 * @throws YamlSyntaxError for directives that 1.32 does not know, and other versions of the language
 */
export function firstDocument(text: string): FirstDocument {
  const end = endOfFirst(text);
  return { text: text.slice(0, end), hasMore: CONTENT_BUT_MARKS.test(text.slice(end)) };
}

function endOfFirst(text: string): number {
  const content = CONTENT.exec(text);
  checkDirectives(text, content?.index ?? text.length);
  if (content === null) return text.length;
  LINE_WITH_MARK.lastIndex = content.index;
  let mark = LINE_WITH_MARK.exec(text);
  if (mark?.index === content.index && mark[0].endsWith('---')) mark = LINE_WITH_MARK.exec(text);
  return mark === null ? text.length : mark.index + (/^[\n\r]/.test(mark[0]) ? 1 : 0);
}

/** The library has no word for directives that it does not know, and takes any version that begins with 1. */
function checkDirectives(text: string, end: number): void {
  for (const { 1: name, 2: version, index } of text.slice(0, end).matchAll(DIRECTIVE)) {
    const position = text.indexOf('%', index);
    if (name !== 'YAML' && name !== 'TAG') throw newYamlSyntaxError('found unknown directive name', text, position);
    if (name === 'YAML' && version !== VERSION) throw newYamlSyntaxError('found incompatible YAML document', text, position);
  }
}

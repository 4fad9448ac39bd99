/** Finds the first document of a YAML text, and tells whether others have content. */
import { newYamlSyntaxError } from './yaml-syntax-error.ts';

/** A mark that begins or ends a document. */
const MARK = String.raw`(?:---|\.\.\.)(?![^ \t\n\r])`;
const LINE_WITH_MARK = new RegExp(String.raw`(?:^|[\n\r])\uFEFF?${MARK}`, 'g');
/** the first line that is more than a comment or a directive */
const CONTENT = /(?:^|[\n\r])(?:\uFEFF?[ \t]*[^ \t\n\r#%\uFEFF]|[ \t]+%)/;
/** a directive before the content, with its name and first argument */
const DIRECTIVE = /(?:^|[\n\r])\uFEFF?%([^ \t\n\r]*)[ \t]*([^ \t\n\r]*)/g;
/** the version of YAML that 1.32 accepts */
const VERSION = '1.1';
/** content of a further document; a mark at the beginning of the line is skipped */
const CONTENT_BUT_MARKS = new RegExp(String.raw`(?:^|[\n\r])\uFEFF?(?:${MARK}|(?!${MARK}))[ \t]*[^ \t\n\r#%\uFEFF]`);

export interface FirstDocument {
  /** the text up to the mark of the next document */
  readonly text: string;
  /** whether a later document has content */
  readonly hasMore: boolean;
}

/**
 * A mark counts wherever it is in the first column, even within a quoted text or a block.
 * @throws YamlSyntaxError for directives that 1.32 does not know, and for other versions of YAML
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

/** Checks directives, because the library ignores unknown ones and accepts any version that begins with 1. */
function checkDirectives(text: string, end: number): void {
  for (const { 1: name, 2: version, index } of text.slice(0, end).matchAll(DIRECTIVE)) {
    const position = text.indexOf('%', index);
    if (name !== 'YAML' && name !== 'TAG') throw newYamlSyntaxError('found unknown directive name', text, position);
    if (name === 'YAML' && version !== VERSION) throw newYamlSyntaxError('found incompatible YAML document', text, position);
  }
}

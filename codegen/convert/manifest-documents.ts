/**
 * The documents of a file of manifests. Every character of the file belongs to one of them, so the file is what they are put together.
 * Lines that begin with `---` or `...` end a document wherever they stand, also within texts (YAML 1.2, 9.1.2), so no parser is needed to part them.
 */
import { JsonSyntaxError, parseJson } from '../../runtime/schema/json-text.ts';
import { isObject, type JsonObject } from '../../runtime/schema/member.ts';
import { parseYaml, YamlSyntaxError } from '../../runtime/schema/parse-yaml.ts';
import { ManifestError } from './manifest-error.ts';
import type { ManifestFile } from './manifest-files.ts';

export interface ManifestDocument {
  /** as it stands in the file, with the mark that begins it and the line break that ends it */
  readonly text: string;
  /** of the file, counted from 1, on which the text begins */
  readonly line: number;
  /** among the documents that hold something, counted from 1 */
  readonly number: number;
  /** undefined if the document is empty or has only comments */
  readonly value: JsonObject | undefined;
  readonly isJson: boolean;
}

/** Of one file. */
const MAX_DOCUMENTS = 20_000;
/** Characters of one document: what a request may bring. */
const MAX_DOCUMENT_LENGTH = 3 * 1024 * 1024;

/** @throws ManifestError for wrong syntax, for documents that are not objects, and beyond the limits */
export function* manifestDocuments({ name, text }: Pick<ManifestFile, 'name' | 'text'>): Generator<ManifestDocument> {
  let line = 1;
  let number = 0;
  for (const part of /^\uFEFF?\s*\{/.test(text) ? jsonParts(text) : yamlParts(text)) {
    const parsed = parse(part, name, line);
    if (parsed.value !== undefined) number++;
    if (number > MAX_DOCUMENTS) throw new ManifestError(name, line, `there are more than ${MAX_DOCUMENTS} documents; split the file.`);
    yield { text: part, line, number, ...parsed };
    line += part.split('\n').length - 1;
  }
}

/** On which line of a document's text its first member stands, from 0. */
export function firstLine(text: string): number {
  const lines = text.split('\n');
  const index = lines.findIndex((line) => !/^\s*(?:#.*)?$|^---\s*(?:#.*)?$|^%|^\.\.\./.test(line));
  return Math.max(index, 0);
}

function parse(text: string, file: string, line: number): Pick<ManifestDocument, 'value' | 'isJson'> {
  if (text.length > MAX_DOCUMENT_LENGTH)
    throw new ManifestError(file, line, `the document is longer than ${MAX_DOCUMENT_LENGTH} characters; a server takes none of that size.`);
  const isJson = /^\uFEFF?\s*\{/.test(text) && isJsonText(text);
  let value: unknown;
  try {
    value = isJson ? parseJson(text.replace(/^\uFEFF/, '')).value : parseYaml(text).value;
  } catch (error) {
    if (!(error instanceof YamlSyntaxError) && !(error instanceof JsonSyntaxError)) throw error;
    throw syntaxError(error.message, file, line);
  }
  if (value === null || value === undefined) return { value: undefined, isJson };
  if (!isObject(value))
    throw new ManifestError(file, line + firstLine(text), 'the document is no object; a manifest has apiVersion and kind.');
  return { value, isJson };
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return true;
  } catch {
    return false;
  }
}

/** The reader counts lines from the beginning of the document. */
function syntaxError(message: string, file: string, line: number): ManifestError {
  const [, place] = /\bline (\d+)/.exec(message) ?? [];
  if (place === undefined) return new ManifestError(file, line, message);
  const [first = message] = message.split('\n');
  const problem = first.replace(/:?\s*(?:at )?line \d+(?:, column (\d+))?:?\s*$/, (_, column) =>
    column === undefined ? '' : `, at column ${column}`,
  );
  return new ManifestError(file, line + Number(place) - 1, problem);
}

/** A document begins with `---`, or behind `...`, or with the directives before its `---`. */
function* yamlParts(text: string): Generator<string> {
  let start = 0;
  let hasDirectives = false;
  let isEnded = false;
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline + 1;
    const begins = isMark(text, at, '---');
    if (isEnded || (begins && !hasDirectives)) {
      if (at > start) yield text.slice(start, at);
      start = at;
      isEnded = false;
    }
    if (begins) hasDirectives = false;
    else if (text[at] === '%' && text.slice(start, at).trim() === '') hasDirectives = true;
    isEnded ||= isMark(text, at, '...');
    at = end;
  }
  if (start < text.length) yield text.slice(start);
}

function isMark(text: string, at: number, mark: string): boolean {
  return text.startsWith(mark, at) && /^[\s]?$/.test(text.charAt(at + mark.length));
}

/** Splits consecutive JSON texts. Other text behind them becomes a part of its own, which the reader refuses. */
function* jsonParts(text: string): Generator<string> {
  let start = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') {
      if (--depth > 0) continue;
      const rest = /\s*/y;
      rest.lastIndex = at + 1;
      rest.exec(text);
      if (text[rest.lastIndex] !== '{') break;
      yield text.slice(start, rest.lastIndex);
      start = rest.lastIndex;
      at = start - 1;
      depth = 0;
    }
  }
  const last = text.slice(start);
  if (isJsonText(last)) yield last;
  else yield* yamlParts(last);
}

function endOfString(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\') end++;
    else if (text[end] === '"') return end;
  }
  return text.length;
}

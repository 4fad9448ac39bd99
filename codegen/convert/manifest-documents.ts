/**
 * Parts a file of manifests into documents. Every character of the file belongs to one of them, so that the file can be put together from them again.
 * Lines that begin with `---` or `...` end a document wherever they stand, also within texts (YAML 1.2, 9.1.2), so parting them needs no parser.
 */
import { JsonSyntaxError, parseJson } from '../../runtime/schema/json/json-text.ts';
import { isObject, type JsonObject } from '../../runtime/schema/json/member.ts';
import { parseYaml, YamlSyntaxError } from '../../runtime/schema/yaml/parse-yaml.ts';
import { ManifestError } from './manifest-error.ts';
import type { ManifestFile } from './manifest-files.ts';

/** One document of a file, parsed. */
export interface ManifestDocument {
  /** The text as it stands in the file, with the mark that begins the document and the line break that ends it. */
  readonly text: string;
  /** Line of the file on which the text begins, counted from 1. */
  readonly line: number;
  /** Number of the document, counted from 1, among those of the file that hold something. */
  readonly number: number;
  /** Undefined if the document is empty or has only comments. */
  readonly value: JsonObject | undefined;
  readonly isJson: boolean;
}

/** Greatest number of documents in one file. */
const MAX_DOCUMENTS = 20_000;
/** Greatest number of characters in one document: as many as a request may bring. */
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

/** @returns the line of a document's text, counted from 0, on which its first member stands */
export function firstLine(text: string): number {
  const lines = text.split('\n');
  const index = lines.findIndex((line) => !/^\s*(?:#.*)?$|^---\s*(?:#.*)?$|^%|^\.\.\./.test(line));
  return Math.max(index, 0);
}

/** The line of a document's text, counted from 0, on which its last character stands. */
const lastLine = (text: string): number => text.trimEnd().split('\n').length - 1;

function parse(text: string, file: string, line: number): Pick<ManifestDocument, 'value' | 'isJson'> {
  if (text.length > MAX_DOCUMENT_LENGTH)
    throw new ManifestError(file, line, `the document is longer than ${MAX_DOCUMENT_LENGTH} characters; a server takes none of that size.`);
  const isJson = /^\uFEFF?\s*\{/.test(text) && isJsonText(text);
  let value: unknown;
  try {
    value = isJson ? parseJson(text.replace(/^\uFEFF/, '')).value : parseYaml(text).value;
  } catch (error) {
    if (!(error instanceof YamlSyntaxError) && !(error instanceof JsonSyntaxError)) throw error;
    // the reader counts lines from the beginning of the document, and the error names the line of the file
    if (error instanceof YamlSyntaxError) throw new ManifestError(file, line + Math.min(error.line ?? 0, lastLine(text)), error.problem);
    throw new ManifestError(file, line, error.message);
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

/** A document begins with `---`, or after `...`, or with the directives before its `---`. */
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

/** Parts JSON texts that follow each other. Other text after them becomes a part of its own, which the reader refuses. */
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

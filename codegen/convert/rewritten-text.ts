/**
 * The text of a document whose objects have changed. Where only words change, nothing else of the text does; where members come, go or move, the document
 * is printed anew, with its comments.
 */
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  type ScalarTag,
  type Tags,
  type ToStringOptions,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { deepEqual } from '../../runtime/schema/equal.ts';
import { isObject, type JsonObject } from '../../runtime/schema/member.ts';
import { parseYaml } from '../../runtime/schema/parse-yaml.ts';
import { isRawNumber, numberText, numeric, rawNumber } from '../../runtime/schema/scalar/raw-number.ts';
import { scalarTags } from '../../runtime/schema/yaml-tags.ts';
import type { ManifestDocument } from './manifest-documents.ts';

export interface RewrittenText {
  readonly text: string;
  /** comments within the object could not be kept: anchors stand in each other's way */
  readonly losesComments: boolean;
}

/** As manifests are read; numbers that stay are printed as they were written, such as 0644. */
const READING = { version: '1.1', intAsBigInt: true, uniqueKeys: false, logLevel: 'silent', customTags: printedTags } as const;

function printedTags(tags: Tags): Tags {
  return scalarTags(tags).map((tag) => {
    if (typeof tag === 'string' || !/:(?:int|float)$/.test(tag.tag)) return tag;
    const isInteger = tag.tag.endsWith(':int');
    const identify = (value: unknown) => (isInteger ? typeof value === 'bigint' : typeof value === 'number');
    return { ...tag, identify, stringify: ({ source, value }: Scalar) => source ?? String(value) } as ScalarTag;
  });
}

/** @param document that was read without an error; `value` is what it shall say */
export function rewritten({ text, isJson }: Pick<ManifestDocument, 'text' | 'isJson'>, value: JsonObject): RewrittenText {
  const ways = [withOtherWords, isJson ? jsonText : printedWithComments];
  for (const way of ways) {
    const written = attempt(() => way(text, value));
    if (written !== undefined && says(written, value)) return { text: written, losesComments: false };
  }
  if (isJson) return { text: jsonText(text, value), losesComments: false };
  const document = parseDocument(text, READING);
  document.contents = created(document, value) as typeof document.contents;
  return { text: print(document, text), losesComments: true };
}

/** The library refuses what its own rules for aliases do not allow once nodes have moved. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function printedWithComments(text: string, value: JsonObject): string {
  const document = parseDocument(text, READING);
  document.contents = changed(document, document.contents as Node, value) as typeof document.contents;
  return print(document, text);
}

/** With the indentation that the text has. */
function jsonText(text: string, value: JsonObject): string {
  const [, indent] = /^\uFEFF?\s*\{\r?\n([ \t]+)/.exec(text) ?? [];
  const [, before = '', after = ''] = /^(\uFEFF?\s*)[\s\S]*?(\s*)$/.exec(text) ?? [];
  return `${before}${JSON.stringify(value, null, indent)}${after}`;
}

function says(text: string, value: JsonObject): boolean {
  return attempt(() => deepEqual(parseYaml(text).value, JSON.parse(JSON.stringify(value), exactly))) === true;
}

/** Numbers that the platform would round keep their digits. */
function exactly(this: unknown, _name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined || String(value) === context.source) return value;
  return rawNumber(context.source);
}

/** @returns undefined where more changes than words on one line */
function withOtherWords(text: string, value: JsonObject): string | undefined {
  const changes: { start: number; end: number; word: string }[] = [];
  const { contents } = parseDocument(text, READING);
  if (!collectWords(contents, value, changes)) return undefined;
  let result = text;
  for (const { start, end, word } of changes.sort((a, b) => b.start - a.start)) result = result.slice(0, start) + word + result.slice(end);
  return result;
}

function collectWords(node: unknown, value: unknown, changes: { start: number; end: number; word: string }[]): boolean {
  if (isMap(node)) {
    if (!isObject(value) || node.items.length !== Object.keys(value).length) return false;
    return node.items.every((pair) => {
      const key = keyOf(pair);
      return key !== undefined && Object.hasOwn(value, key) && collectWords(pair.value, value[key], changes);
    });
  }
  if (isSeq(node))
    return (
      Array.isArray(value) &&
      node.items.length === value.length &&
      node.items.every((item, index) => collectWords(item, value[index], changes))
    );
  if (node === null) return value === null;
  if (!isScalar(node) || node.range == null) return false;
  if (isSame(node.value, value)) return true;
  if (typeof value !== 'string' || typeof node.value !== 'string' || (node.anchor ?? '') !== '') return false;
  const word = wordOf(value, node.type);
  if (word === undefined) return false;
  const [start, end] = node.range;
  changes.push({ start, end, word });
  return true;
}

function wordOf(text: string, type: Scalar.Type | undefined | null): string | undefined {
  if (type === Scalar.QUOTE_DOUBLE) return JSON.stringify(text);
  if (type === Scalar.QUOTE_SINGLE) return /[\n\r]/.test(text) ? undefined : `'${text.replaceAll("'", "''")}'`;
  return type === Scalar.PLAIN && /^[A-Za-z][\w./-]*$/.test(text) ? text : undefined;
}

/** The node for a value: the one that is there where it may stay, with its comments. */
function changed(document: Document, node: unknown, value: unknown): Node {
  if (isMap(node) && isObject(value) && !hasMerge(node)) return changedMap(document, node, value);
  if (isSeq(node) && Array.isArray(value)) return changedList(document, node, value);
  if (isScalar(node) && !isObject(value) && !Array.isArray(value)) {
    if (isSame(node.value, value)) return node;
    node.value = plain(value);
    delete node.source;
    delete node.format;
    return node;
  }
  // An alias stays as long as it says the same.
  if (isAlias(node) && deepEqual(jsonOf(document, node), value)) return node;
  return withComments(created(document, value), node);
}

function hasMerge({ items }: YAMLMap): boolean {
  return items.some((pair) => keyOf(pair) === '<<');
}

function changedMap(document: Document, map: YAMLMap, value: JsonObject): Node {
  const gone = map.items.filter((pair) => !Object.hasOwn(value, keyOf(pair) ?? ''));
  const known = new Set(map.items.map(keyOf));
  const added = Object.keys(value).filter((name) => !known.has(name));
  for (const [pair, name] of renamed(document, gone, added, value)) {
    (pair.key as Scalar).value = name;
    delete (pair.key as Scalar).source;
    gone.splice(gone.indexOf(pair), 1);
    added.splice(added.indexOf(name), 1);
  }
  for (const pair of map.items) {
    const name = keyOf(pair);
    if (name !== undefined && Object.hasOwn(value, name)) pair.value = changed(document, pair.value, value[name]);
  }
  const comments = gone.flatMap(commentsOf);
  const place = Math.max(...gone.map((pair) => map.items.indexOf(pair)), -1);
  map.items = map.items.filter((pair) => !gone.includes(pair));
  const pairs = added.map(
    (name) => document.createPair(document.createNode(name), created(document, value[name])) as Pair<unknown, unknown>,
  );
  // What takes the place of members that have gone stands where they stood.
  const at = place < 0 ? map.items.length : Math.min(place - gone.length + 1, map.items.length);
  map.items.splice(at, 0, ...pairs);
  const next = map.items[at]?.key;
  if (comments.length > 0 && isScalar(next)) next.commentBefore = [...comments, next.commentBefore].filter(Boolean).join('\n');
  if (map.flow === true && map.items.length === 0) map.comment = comments.join('\n') || null;
  return map;
}

/** Members that have another name and the same value now; a member that is the only one to go has become the only one to come. */
function renamed(document: Document, gone: readonly Pair[], added: readonly string[], value: JsonObject): [pair: Pair, name: string][] {
  const [only, name] = [gone[0], added[0]];
  if (gone.length === 1 && added.length === 1 && only !== undefined && name !== undefined && isScalar(only.key)) return [[only, name]];
  const left = new Set(added);
  return gone.flatMap((pair): [Pair, string][] => {
    const same = [...left].find((each) => deepEqual(jsonOf(document, pair.value), value[each]));
    if (same === undefined || !isScalar(pair.key)) return [];
    left.delete(same);
    return [[pair, same]];
  });
}

function changedList(document: Document, list: YAMLSeq, value: readonly unknown[]): Node {
  list.items = value.map((element, index) =>
    index < list.items.length ? changed(document, list.items[index], element) : created(document, element),
  );
  return list;
}

/** Comments of a member and of everything below it, in their order. */
function commentsOf(pair: Pair): string[] {
  return [...commentsIn(pair.key), ...commentsIn(pair.value)];
}

function commentsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { commentBefore, comment } = node as Node;
  const below = isCollection(node) ? node.items.flatMap((item) => (isMap(node) ? commentsOf(item as Pair) : commentsIn(item))) : [];
  return [commentBefore, ...below, comment].filter((each): each is string => typeof each === 'string' && each !== '');
}

function withComments(node: Node, old: unknown): Node {
  const comments = commentsIn(old);
  if (comments.length > 0) node.commentBefore = comments.join('\n');
  return node;
}

function created(document: Document, value: unknown): Node {
  return document.createNode(plain(value), { aliasDuplicateObjects: false }) as Node;
}

/** Raw numbers as what the library prints with all their digits. */
function plain(value: unknown): unknown {
  if (isRawNumber(value)) {
    const text = numberText(value) as string;
    return /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
  }
  if (Array.isArray(value)) return value.map(plain);
  if (isObject(value)) return new Map(Object.entries(value).map(([name, member]) => [name, plain(member)]));
  return value;
}

function keyOf(pair: Pair): string | undefined {
  return isScalar(pair.key) ? String(pair.key.value) : undefined;
}

function isSame(read: unknown, value: unknown): boolean {
  if (typeof read === 'bigint') return String(read) === numberText(value);
  return typeof read === 'number' ? read === numeric(value) : read === value;
}

function jsonOf(document: Document, node: unknown): unknown {
  const value = (node as Node | null)?.toJS?.(document) as unknown;
  if (value === undefined) return null;
  return JSON.parse(
    JSON.stringify(value, (_name, each) => (typeof each === 'bigint' ? rawNumber(String(each)) : each)),
    exactly,
  );
}

function print(document: Document, text: string): string {
  const printed = document.toString({ lineWidth: 0, minContentWidth: 0, ...layoutOf(document, text) });
  const ended = text.endsWith('\n') ? printed : printed.replace(/\n$/, '');
  return text.includes('\r\n') ? ended.replaceAll('\n', '\r\n') : ended;
}

/** Indentation as the text has it. */
function layoutOf(document: Document, text: string): ToStringOptions {
  const layout: { indent?: number; indentSeq?: boolean } = {};
  const column = (node: unknown): number | undefined => {
    const start = (node as Node | undefined)?.range?.[0];
    return start === undefined ? undefined : start - (text.lastIndexOf('\n', start - 1) + 1);
  };
  const look = (node: unknown): void => {
    if (isSeq(node) && node.flow !== true) for (const item of node.items) look(item);
    if (!isMap(node) || node.flow === true) return;
    for (const { key, value } of node.items) {
      const at = column(key);
      if (isMap(value) && value.flow !== true && at !== undefined) layout.indent ??= (column(value.items[0]?.key) ?? at + 2) - at;
      if (isSeq(value) && value.flow !== true && at !== undefined) layout.indentSeq ??= (column(value) ?? 0) > at;
      look(value);
    }
  };
  look(document.contents);
  const { indent = 2, indentSeq = false } = layout;
  return { indent: Math.min(Math.max(indent, 2), 8), indentSeq, flowCollectionPadding: !/\{[^\s}]/.test(text) };
}

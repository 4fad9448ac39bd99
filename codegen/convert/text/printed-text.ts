/** Has the YAML library print a document anew, with or without its comments. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { deepEqual } from '../../../runtime/schema/equal.ts';
import { isObject, type JsonObject } from '../../../runtime/schema/json/member.ts';
import { commentsIn, commentsOf, created, hasMerge, isSame, jsonOf, keyOf, layoutOf, memberChanges, plain, READING } from './yaml-nodes.ts';

/** Prints a document that says `value`, with the comments of `text` at members that stay, or beside them. */
export function printedWithComments(text: string, value: JsonObject): string {
  const document = parseDocument(text, READING);
  document.contents = changed(document, document.contents as Node, value) as typeof document.contents;
  return print(document, text);
}

/** Prints a document that says `value`, with the layout of `text` but none of its comments. */
export function printedWithoutComments(text: string, value: JsonObject): string {
  const document = parseDocument(text, READING);
  document.contents = created(document, value) as typeof document.contents;
  return print(document, text);
}

/** @returns the node for a value: the present node with its comments, changed in place, if it still fits */
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
  // An alias stays as long as its value is the same.
  if (isAlias(node) && deepEqual(jsonOf(document, node), value)) return node;
  return withComments(created(document, value), node);
}

function changedMap(document: Document, map: YAMLMap, value: JsonObject): Node {
  const { renamed, gone, added } = memberChanges(document, map, value);
  for (const [pair, name] of renamed) {
    (pair.key as Scalar).value = name;
    delete (pair.key as Scalar).source;
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
  // New members take the places of those that are gone.
  const at = place < 0 ? map.items.length : Math.min(place - gone.length + 1, map.items.length);
  map.items.splice(at, 0, ...pairs);
  const next = map.items[at]?.key;
  if (comments.length > 0 && isScalar(next)) next.commentBefore = [...comments, next.commentBefore].filter(Boolean).join('\n');
  if (map.flow === true && map.items.length === 0) map.comment = comments.join('\n') || null;
  return map;
}

function changedList(document: Document, list: YAMLSeq, value: readonly unknown[]): Node {
  list.items = value.map((element, index) =>
    index < list.items.length ? changed(document, list.items[index], element) : created(document, element),
  );
  return list;
}

function withComments(node: Node, old: unknown): Node {
  const comments = commentsIn(old);
  if (comments.length > 0) node.commentBefore = comments.join('\n');
  return node;
}

function print(document: Document, text: string): string {
  const printed = document.toString({ lineWidth: 0, minContentWidth: 0, ...layoutOf(document, text) });
  const ended = text.endsWith('\n') ? printed : printed.replace(/\n$/, '');
  return text.includes('\r\n') ? ended.replaceAll('\n', '\r\n') : ended;
}

/** Compares nodes of the YAML library with values, and makes nodes of values. */
import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type ScalarTag,
  type Tags,
  type ToStringOptions,
  type YAMLMap,
} from 'yaml';
import { deepEqual } from '../../../runtime/schema/equal.ts';
import { isObject, type JsonObject } from '../../../runtime/schema/json/member.ts';
import { isRawNumber, numberText, numeric, rawNumber } from '../../../runtime/schema/scalar/raw-number.ts';
import { scalarTags } from './yaml-tags.ts';

/** Options that read documents as manifests are read. A number that stays is printed as it was written, such as 0644. */
export const READING = { version: '1.1', intAsBigInt: true, uniqueKeys: false, logLevel: 'silent', customTags: printedTags } as const;

function printedTags(tags: Tags): Tags {
  return scalarTags(tags).map((tag) => {
    if (typeof tag === 'string' || !/:(?:int|float)$/.test(tag.tag)) return tag;
    const isInteger = tag.tag.endsWith(':int');
    const identify = (value: unknown) => (isInteger ? typeof value === 'bigint' : typeof value === 'number');
    return { ...tag, identify, stringify: ({ source, value }: Scalar) => source ?? String(value) } as ScalarTag;
  });
}

/** How the members of a map are to change. */
export interface MemberChanges {
  /** Pairs that get another name. */
  readonly renamed: ReadonlyMap<Pair, string>;
  readonly gone: readonly Pair[];
  readonly added: readonly string[];
}

/** @returns how the members of a map must change so that it has those of `value` */
export function memberChanges(document: Document, map: YAMLMap, value: JsonObject): MemberChanges {
  const known = new Set(map.items.map(keyOf));
  const gone = map.items.filter((pair) => !Object.hasOwn(value, keyOf(pair) ?? ''));
  const added = Object.keys(value).filter((name) => !known.has(name));
  const others = new Map(renamed(document, gone, added, value));
  const names = new Set(others.values());
  return { renamed: others, gone: gone.filter((pair) => !others.has(pair)), added: added.filter((name) => !names.has(name)) };
}

/** A member that is gone counts as renamed if a new one has its value, or if it is the only one to go and only one comes. */
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

/** Whether a map takes over members of another one, by the key `<<`. */
export function hasMerge({ items }: YAMLMap): boolean {
  return items.some((pair) => keyOf(pair) === '<<');
}

/** @returns the comments of a member and of everything below it, in their order */
export function commentsOf(pair: Pair): string[] {
  return [...commentsIn(pair.key), ...commentsIn(pair.value)];
}

/** @returns the comments of a node and of everything in it, in their order */
export function commentsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { commentBefore, comment } = node as Node;
  const below = isCollection(node) ? node.items.flatMap((item) => (isMap(node) ? commentsOf(item as Pair) : commentsIn(item))) : [];
  return [commentBefore, ...below, comment].filter((each): each is string => typeof each === 'string' && each !== '');
}

/** @returns a new node for a value; an object that it holds twice does not become an anchor and an alias */
export function created(document: Document, value: unknown): Node {
  return document.createNode(plain(value), { aliasDuplicateObjects: false }) as Node;
}

/** Makes of raw numbers what the library prints with all their digits. */
export function plain(value: unknown): unknown {
  if (isRawNumber(value)) {
    const text = numberText(value) as string;
    return /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
  }
  if (Array.isArray(value)) return value.map(plain);
  if (isObject(value)) return new Map(Object.entries(value).map(([name, member]) => [name, plain(member)]));
  return value;
}

/** @returns the name of a member; undefined for a key that is no scalar */
export function keyOf(pair: Pair): string | undefined {
  return isScalar(pair.key) ? String(pair.key.value) : undefined;
}

/** Whether a scalar that was read from YAML is the given JSON value. */
export function isSame(read: unknown, value: unknown): boolean {
  if (typeof read === 'bigint') return String(read) === numberText(value);
  return typeof read === 'number' ? read === numeric(value) : read === value;
}

/** @returns the JSON value of a node, with aliases resolved; null for a node that is absent */
export function jsonOf(document: Document, node: unknown): unknown {
  const value = (node as Node | null)?.toJS?.(document) as unknown;
  if (value === undefined) return null;
  return JSON.parse(
    JSON.stringify(value, (_name, each) => (typeof each === 'bigint' ? rawNumber(String(each)) : each)),
    exactly,
  );
}

/** Keeps the digits of numbers that the platform would round. */
export function exactly(this: unknown, _name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined || String(value) === context.source) return value;
  return rawNumber(context.source);
}

/** @returns options by which the library indents as the text does */
export function layoutOf(document: Document, text: string): ToStringOptions {
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

/** Entries of managedFields in their stored form: the set of each remains text until it is read. */

import { writeJson } from '../contract/json-writer.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';
import type { FieldSet } from './field-set.ts';
import { setOfText, textOfSet } from './set-text.ts';

/** An entry with the order of members in which this server writes it. */
export interface Entry {
  readonly manager?: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: string;
  /** absent if an entry has no set */
  readonly fieldsV1?: FieldSet;
  readonly subresource?: string;
}

type Head = Omit<Entry, 'fieldsV1' | 'subresource'>;

/** The text of an entry that was read from the store or written before. JSON and comparisons ignore it, because it is a symbol. */
const TEXT = Symbol('text');

interface Written {
  [TEXT]?: string;
}

/** @returns undefined for an entry that has not been written yet */
export function textOfEntry(entry: object): string | undefined {
  return (entry as Written)[TEXT];
}

/** Separates two entries. It occurs nowhere else, because sets contain no lists. */
const BETWEEN = '},{"';
const FIELDS = ',"fieldsV1":';
const SUBRESOURCE = ',"subresource":"';

/**
 * @param text the JSON of a list of results of `entryText`, without spaces
 * @returns entries that look like parsed ones
 */
export function entriesOfText(text: string): object[] {
  const entries: object[] = [];
  const end = text.length - 1;
  for (let start = 1; start < end; ) {
    const found = text.indexOf(BETWEEN, start);
    const next = found === -1 ? end : found + 1;
    entries.push(entryOfText(text.slice(start, next)));
    start = next + 1;
  }
  return entries;
}

function entryOfText(text: string): object {
  const fields = text.indexOf(FIELDS);
  if (fields === -1) return parseNativeJson(text);
  const entry = withFields(headOfText(text.slice(0, fields)), text);
  const end = endOfFields(text);
  if (end < text.length - 1)
    (entry as { subresource?: string }).subresource = parseNativeJson(text.slice(end + SUBRESOURCE.length - 1, -1));
  return entry;
}

/** Returns where the set ends. After it comes the end of the entry, or its subresource, which ends with a quote. */
function endOfFields(text: string): number {
  return text.at(-2) === '"' ? text.lastIndexOf(SUBRESOURCE) : text.length - 1;
}

/** Beginnings of entries that are remembered at most. */
const MAX_HEADS = 1_024;
const heads = new Map<string, Head>();

/** Parses the members before the set. Many objects have the same ones. @param text their JSON without the closing brace */
function headOfText(text: string): Head {
  const known = heads.get(text);
  if (known !== undefined) return known;
  const head = parseNativeJson(`${text}}`) as Head;
  if (heads.size >= MAX_HEADS) heads.clear();
  heads.set(text, head);
  return head;
}

/** All entries share this getter, so that they have the same hidden class. It reads the set from the text of the entry. */
const FIELDS_MEMBER: PropertyDescriptor = {
  get(this: object): FieldSet {
    const text = textOfEntry(this) as string;
    return setOfText(text.slice(text.indexOf(FIELDS) + FIELDS.length, endOfFields(text)));
  },
  enumerable: true,
  configurable: true,
};

/** @param text of the whole entry, with a set in canonical form */
function withFields(head: Head, text: string): object {
  return Object.defineProperty({ ...head, [TEXT]: text }, 'fieldsV1', FIELDS_MEMBER);
}

/** @param head the members before the set, of an entry without a subresource @param fields JSON of a set in canonical form */
export function entryWithText(head: Head, fields: string): object {
  return withFields(head, `${beforeFields(head)}${fields}}`);
}

/** The text of an entry's set; undefined if the entry has not been written yet, or has no set. */
export function fieldsTextOf(entry: object): string | undefined {
  const text = textOfEntry(entry);
  const fields = text === undefined ? -1 : text.indexOf(FIELDS);
  return fields === -1 ? undefined : text?.slice(fields + FIELDS.length, endOfFields(text));
}

/** @param members the members of an entry in their order, without its set @param fields JSON of a set that `isSetText` accepts */
export function entryOf({ subresource, ...head }: Omit<Entry, 'fieldsV1'>, fields: string): object {
  const text = `${JSON.stringify(head).slice(0, -1)}${FIELDS}${fields}${subresourceText(subresource)}}`;
  const entry = withFields(head, text);
  if (subresource !== undefined) (entry as { subresource?: string }).subresource = subresource;
  return entry;
}

const subresourceText = (name: string | undefined): string =>
  name === undefined ? '' : `${SUBRESOURCE.slice(0, -1)}${JSON.stringify(name)}`;

let lastHead: Head | undefined;
let lastBefore = '';

/** Remembers the last head, because entries that one manager writes within a second have the same. */
function beforeFields(head: Head): string {
  const { manager, operation, apiVersion, time } = head;
  const isLast =
    lastHead?.time === time && lastHead?.manager === manager && lastHead?.apiVersion === apiVersion && lastHead?.operation === operation;
  if (!isLast) {
    lastHead = head;
    lastBefore = `${JSON.stringify(head).slice(0, -1)}${FIELDS}`;
  }
  return lastBefore;
}

/** The JSON of an entry that this server has made or stored. */
export function entryText(entry: object): string {
  const known = textOfEntry(entry);
  if (known !== undefined) return known;
  const { fieldsV1, subresource, ...head } = entry as Entry;
  if (fieldsV1 === undefined) return writeJson(entry);
  const text = `${JSON.stringify(head).slice(0, -1)}${FIELDS}${textOfSet(fieldsV1)}${subresourceText(subresource)}}`;
  (entry as Written)[TEXT] = text;
  return text;
}

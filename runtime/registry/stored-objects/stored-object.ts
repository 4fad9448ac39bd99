/**
 * The bytes of a stored object: a header for selecting, then the JSON that clients get.
 *
 *   0  u8   layout, 2
 *   1  u8   flags: bit 0 deletionTimestamp is set, bit 1 there are no owner references (not set in what earlier releases have stored),
 *           bits 2 to 7 the upper bits of the number of labels
 *   2  u16  the lower bits of the number of labels
 *   4  u32  schema hash of the stored kind
 *   8  u32  offset of the JSON
 *  12  u16  length of the JSON's beginning `{"kind":…,"apiVersion":…,`, which list items leave out
 *  14  u16  number of selectable fields
 *  16  u32  length of the JSON of the metadata
 *  20  …    labels (key, value …) then selectable fields (value …), each as u16 length and UTF-8 bytes; before fields of 64 KB and more stand
 *           0xffff and the length as u32
 *
 * The JSON begins with kind, apiVersion, metadata; its resourceVersion is followed by a gap that the store fills.
 */

import { entriesOfText, entryText } from '../../apply/managed-entries.ts';
import type { StructType } from '../../contract/descriptor.ts';
import { writeJson } from '../../contract/json-writer.ts';
import type { KindData } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { type Omitted, textWithout } from '../../schema/json/json-members.ts';
import { setMember } from '../../schema/json/member.ts';
import { flatText } from '../../schema/text/flat-text.ts';
import { keptValue, REVISION_GAP, type StoredBytes } from '../../storage/storage.ts';
import { ByteBuilder, LONG_LENGTH } from './byte-builder.ts';
import { parseJsonText, parseStoredJson } from './parse-stored-json.ts';

const LAYOUT = 2;
const FIXED = 20;
const DELETING = 1;
const UNOWNED = 2;
/** The number of bits for flags, which are below the bits for the number of labels. */
const FLAG_BITS = 2;
/** The text at the place where the store writes the revision; it is as long as the gap without the closing quote. */
const PLACEHOLDER = flatText('0'.repeat(REVISION_GAP - 1));
const MARK = '"resourceVersion":"';
const METADATA_MEMBER = '"metadata":';

/** An object whose members are those of the metadata, in the order in which they are stored; its values do not matter. */
export type MetadataOrder = object;

/** @param type of a kind that is stored */
export function metadataOrder({ fields, metadata: ofStructural }: StructType): MetadataOrder {
  const metadata = ofStructural ?? fields.find(({ name }) => name === 'metadata')?.type;
  const members = metadata?.kind === 'struct' ? metadata.fields : [];
  return Object.fromEntries(members.map(({ name }) => [name, undefined]));
}

/** The members in the order in which they would be stored. @param type of the kind whose object they are */
export function inStoredOrder(metadata: ApiObject['metadata'], type: StructType): ApiObject['metadata'] {
  const members = metadata as Record<string, unknown>;
  const ordered: Record<string, unknown> = {};
  for (const name in metadataOrder(type)) if (members[name] !== undefined) ordered[name] = members[name];
  return Object.assign(ordered, metadata);
}

/** The order of metadata in which resourceVersion comes first, and the other members keep their order. */
const AS_THEY_STAND: MetadataOrder = { resourceVersion: undefined };

/**
 * @param object of the stored version, kind and apiVersion first; its metadata.resourceVersion is overwritten
 * @param fields values of the resource's selectable fields, in their order
 * @param order resourceVersion stands before maps with keys of any name; members that it lacks follow
 * @param rest what another object has stored behind its metadata, where this one has the same there
 */
export function encodeStoredObject(
  object: ApiObject,
  schemaHash: number,
  fields: readonly string[],
  order: MetadataOrder = AS_THEY_STAND,
  rest?: Buffer,
): StoredBytes {
  const { kind, apiVersion, metadata } = object;
  const { labels } = metadata;
  value.begin(FIXED);
  let labelCount = 0;
  for (const key in labels) {
    value.countedText(key);
    value.countedText(labels[key] as string);
    labelCount++;
  }
  for (const field of fields) value.countedText(field);
  const start = value.length;
  const beginningLength = value.text(beginningOf(kind, apiVersion));
  value.text(METADATA_MEMBER);
  const metadataStart = value.length;
  const revisionOffset = metadataStart + addMetadata(metadata, order);
  const metadataLength = value.length - metadataStart;
  if (rest === undefined) addRest(object);
  else value.bytes(rest);
  const bytes = value.finish();
  bytes[0] = LAYOUT;
  bytes[1] =
    (metadata.deletionTimestamp === undefined ? 0 : DELETING) | (hasOwners(metadata) ? 0 : UNOWNED) | ((labelCount >> 16) << FLAG_BITS);
  bytes.writeUInt16LE(labelCount & 0xffff, 2);
  bytes.writeUInt32LE(schemaHash >>> 0, 4);
  bytes.writeUInt32LE(start, 8);
  bytes.writeUInt16LE(beginningLength, 12);
  bytes.writeUInt16LE(fields.length, 14);
  bytes.writeUInt32LE(metadataLength, 16);
  return { bytes, revisionOffset };
}

const hasOwners = ({ ownerReferences = [] }: ApiObject['metadata']): boolean => ownerReferences.length > 0;

/** The bytes of the object that is being encoded. One builder suffices, because nothing else runs meanwhile. */
const value = new ByteBuilder();

/** Names that are remembered at most. */
const MAX_QUOTED = 1_000;
const quotedNames = new Map<string, string>();

/** Returns the JSON of a name that a schema has, which is cached. */
function quoted(name: string): string {
  const known = quotedNames.get(name);
  if (known !== undefined) return known;
  const text = JSON.stringify(name);
  if (quotedNames.size < MAX_QUOTED) quotedNames.set(name, text);
  return text;
}

const beginningOf = (kind: string, apiVersion: string): string => `{"kind":${quoted(kind)},"apiVersion":${quoted(apiVersion)},`;

/** Whether two objects have the very same values behind their metadata. */
export function sharesRest(object: ApiObject, other: ApiObject): boolean {
  let more = 0;
  for (const name in object) {
    if (IN_FRONT.has(name) || object[name] === undefined) continue;
    if (object[name] !== other[name]) return false;
    more++;
  }
  for (const name in other) if (!IN_FRONT.has(name) && other[name] !== undefined) more--;
  return more === 0;
}

const IN_FRONT: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata']);

/** The members that follow the metadata, each with the comma before it, and the end of the object. */
function addRest(object: ApiObject): void {
  for (const name in object) {
    if (IN_FRONT.has(name)) continue;
    const member = writeJson(object[name]);
    if (member === undefined) continue;
    value.text(`,${quoted(name)}:`);
    value.text(member);
  }
  value.text('}');
}

const MANAGED_FIELDS_MEMBER = ',"managedFields":';

/** @returns bytes before the revision */
function addMetadata(metadata: ApiObject['metadata'], order: MetadataOrder): number {
  const text = writeJson(orderedMetadata(metadata, order));
  const length = value.text(text);
  const revision = text.indexOf(MARK) + MARK.length;
  if (metadata.managedFields !== undefined) {
    value.replaceLast(MANAGED_FIELDS_MEMBER);
    let before = '[';
    for (const entry of metadata.managedFields) {
      value.text(before);
      value.text(entryText(entry as object));
      before = ',';
    }
    value.text(before === '[' ? '[]}' : ']}');
  }
  return length === text.length ? revision : Buffer.byteLength(text.slice(0, revision));
}

/**
 * The members but managedFields in their order, whatever order writes have left them in, with the placeholder in the place of resourceVersion.
 * Readers of the bytes rely on it: the uid stands before those of owners, and managedFields comes last. A selfLink is never stored.
 */
function orderedMetadata(metadata: ApiObject['metadata'], order: MetadataOrder): object {
  const ordered = { ...order } as Record<string, unknown>;
  for (const name in metadata) ordered[name] = metadata[name as keyof ApiObject['metadata']];
  ordered.resourceVersion = PLACEHOLDER;
  ordered.managedFields = undefined;
  ordered.selfLink = undefined;
  return ordered;
}

/** Whether a value of the store is an object of this layout. */
export function isStoredObject(value: Buffer): boolean {
  return value.length >= FIXED && value[0] === LAYOUT;
}

const u16 = (bytes: Buffer, at: number): number => (bytes[at] as number) | ((bytes[at + 1] as number) << 8);

/** @param at where its length stands */
const textStart = (bytes: Buffer, at: number): number => at + (u16(bytes, at) === LONG_LENGTH ? 6 : 2);

function textEnd(bytes: Buffer, at: number): number {
  const length = u16(bytes, at);
  return length === LONG_LENGTH ? at + 6 + bytes.readUInt32LE(at + 2) : at + 2 + length;
}

/** Whether the bytes are the key, which is ASCII as all keys of labels. */
function isText(bytes: Buffer, start: number, end: number, key: string): boolean {
  if (end - start !== key.length) return false;
  for (let i = 0; i < key.length; i++) if (bytes[start + i] !== key.charCodeAt(i)) return false;
  return true;
}

/** Reads the header of stored bytes in place; valid as long as the bytes are. Labels and fields are read once, when first asked for. */
export class StoredObject {
  readonly bytes: Buffer;
  #labels: Readonly<Record<string, string>> | undefined;
  #fields: readonly string[] | undefined;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  /** The same for as long as the caller likes, of bytes that a range or a change of the store has. */
  kept(): StoredObject {
    return new StoredObject(keptValue(this.bytes));
  }
  get schemaHash(): number {
    return this.bytes.readUInt32LE(4);
  }
  get deleting(): boolean {
    return ((this.bytes[1] as number) & DELETING) !== 0;
  }
  /** No owner references, for certain; where it is false the object may have some. */
  get unowned(): boolean {
    return ((this.bytes[1] as number) & UNOWNED) !== 0;
  }
  /** Whether it was stored as an object of this kind in this version. */
  isOf(kind: string, apiVersion: string): boolean {
    const start = this.bytes.readUInt32LE(8);
    const beginning = beginningOf(kind, apiVersion);
    return this.bytes.toString('latin1', start, start + this.bytes.readUInt16LE(12)) === beginning;
  }
  /** the whole object as JSON */
  get json(): Buffer {
    return this.bytes.subarray(this.bytes.readUInt32LE(8));
  }
  /** The bytes that follow the opening brace of an item in a list. */
  get item(): Buffer {
    return this.bytes.subarray(this.bytes.readUInt32LE(8) + this.bytes.readUInt16LE(12));
  }
  /** The resource version that the store has filled in. */
  get resourceVersion(): string {
    const start = this.revisionOffset;
    return this.bytes.toString('latin1', start, this.bytes.indexOf(0x22, start));
  }
  /** The place of the revision in the bytes. */
  get revisionOffset(): number {
    return this.bytes.indexOf(MARK, this.#metadataStart) + MARK.length;
  }

  /** The metadata alone, as JSON. */
  get metadata(): Buffer {
    const start = this.#metadataStart;
    return this.bytes.subarray(start, start + this.bytes.readUInt32LE(16));
  }
  get #metadataStart(): number {
    return this.bytes.readUInt32LE(8) + this.bytes.readUInt16LE(12) + METADATA_MEMBER.length;
  }
  /** The JSON that follows the metadata, up to the end of the object. */
  get rest(): Buffer {
    return this.json.subarray(this.#metadataEnd);
  }
  get labelCount(): number {
    return (((this.bytes[1] as number) >> FLAG_BITS) << 16) | u16(this.bytes, 2);
  }
  /** the bytes of labels and selectable fields, as text of a character each */
  get foundBy(): string {
    return this.bytes.toString('latin1', FIXED, this.bytes.readUInt32LE(8));
  }
  /** Returns the value of one label without decoding the others; undefined if the object does not have the label. */
  label(key: string): string | undefined {
    if (this.#labels !== undefined) return Object.hasOwn(this.#labels, key) ? this.#labels[key] : undefined;
    const { bytes } = this;
    let at = FIXED;
    for (let left = this.labelCount; left > 0; left--) {
      const keyEnd = at + 2 + u16(bytes, at);
      const valueEnd = keyEnd + 2 + u16(bytes, keyEnd);
      if (isText(bytes, at + 2, keyEnd, key)) return bytes.toString('utf8', keyEnd + 2, valueEnd);
      at = valueEnd;
    }
    return undefined;
  }
  get labels(): Readonly<Record<string, string>> {
    this.#labels ??= this.#readLabels();
    return this.#labels;
  }
  /** The value of one selectable field, without reading the others; undefined where fewer were given. */
  field(index: number): string | undefined {
    if (this.#fields !== undefined) return this.#fields[index];
    const { bytes } = this;
    if (index >= u16(bytes, 14)) return undefined;
    let at = this.#labelsEnd;
    for (let left = index; left > 0; left--) at = textEnd(bytes, at);
    return bytes.toString('utf8', textStart(bytes, at), textEnd(bytes, at));
  }
  /** values of the selectable fields, in the order in which they were given */
  get fields(): readonly string[] {
    this.#fields ??= this.#readFields();
    return this.#fields;
  }
  /** The object; the sets of its managedFields are parsed when they are first asked for. */
  parse(): ApiObject {
    const { json } = this;
    const owners = json.subarray(0, this.#metadataEnd).indexOf(MANAGED_FIELDS_MEMBER, 0, 'latin1');
    if (owners === -1) return parseStoredJson(json) as ApiObject;
    const end = this.#metadataEnd - 1;
    const object = parseJsonText(textAround(json, owners, end)) as ApiObject;
    object.metadata.managedFields = entriesOfText(json.toString('utf8', owners + MANAGED_FIELDS_MEMBER.length, end));
    return object;
  }
  /** The object without some of its members, which cost a look at their bytes and nothing else: for who reads a little of long objects. */
  parseWithout(omitted: Omitted, told?: Parameters<typeof textWithout>[2]): ApiObject {
    return parseJsonText(textWithout(this.json, omitted, told)) as ApiObject;
  }
  /** offset in the JSON of what follows the metadata */
  get #metadataEnd(): number {
    return this.bytes.readUInt16LE(12) + METADATA_MEMBER.length + this.bytes.readUInt32LE(16);
  }
  #readLabels(): Record<string, string> {
    const labels: Record<string, string> = {};
    let at = FIXED;
    for (let left = this.labelCount; left > 0; left--) {
      const keyLength = this.bytes.readUInt16LE(at);
      const key = this.bytes.toString('utf8', at + 2, at + 2 + keyLength);
      at += 2 + keyLength;
      const valueLength = this.bytes.readUInt16LE(at);
      setMember(labels, key, this.bytes.toString('utf8', at + 2, at + 2 + valueLength));
      at += 2 + valueLength;
    }
    return labels;
  }
  get #labelsEnd(): number {
    let at = FIXED;
    for (let left = 2 * this.labelCount; left > 0; left--) at += 2 + u16(this.bytes, at);
    return at;
  }
  #readFields(): string[] {
    const { bytes } = this;
    let at = this.#labelsEnd;
    const values: string[] = [];
    for (let left = u16(bytes, 14); left > 0; left--) {
      values.push(bytes.toString('utf8', textStart(bytes, at), textEnd(bytes, at)));
      at = textEnd(bytes, at);
    }
    return values;
  }
}

/** Bytes up to which a text with a gap is put together as bytes: most objects are shorter. */
const MOST_JOINED = 16 * 1024;
const joined = Buffer.allocUnsafeSlow(MOST_JOINED);

/** The text of all bytes but some. It is one text: whoever reads one that is put together of two copies it first. */
function textAround(json: Buffer, from: number, to: number): string {
  const length = from + json.length - to;
  if (length > MOST_JOINED) return json.toString('utf8', 0, from) + json.toString('utf8', to);
  json.copy(joined, 0, 0, from);
  json.copy(joined, from, to);
  return joined.toString('utf8', 0, length);
}

/** Whether an object was stored under the schema of a kind: its bytes say all that it is. */
export function isOfSchema(stored: StoredObject, { schemaHash }: Pick<KindData, 'schemaHash'>): boolean {
  return stored.schemaHash === schemaHash >>> 0;
}

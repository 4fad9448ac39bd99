/** What lists make of single stored objects, besides copying them: each form of an item, from the object's stored bytes. */
import { writeJson } from '../../contract/json-writer.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Kind } from '../../registry/kinds/kind.ts';
import type { Preparation } from '../../registry/lists/list.ts';
import { rowTemplate, timeMarks } from '../../registry/lists/row-template.ts';
import { partialObjectMetadata, shownMetadata, tableRow } from '../../registry/lists/table.ts';
import { ALWAYS_SHORT, isLong } from '../../registry/stored-objects/long-value.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { encodeProtobuf } from '../../schema/protobuf/codec.ts';
import type { Entry } from '../../storage/storage.ts';
import { type FormPlace, type ItemForm, type LongForms, placeOf } from '../long-form.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { listFieldNumber, listKindOf } from './list-value.ts';

/** What forms are made with. */
export type FormSubject = Pick<ResourceRequest, 'server' | 'registry' | 'kind' | 'store' | 'negotiated'>;

type Stored = Pick<Entry, 'value'>;
/** @returns pieces, which may be part of the value, and need not last longer than that */
export type MakeItem = (entry: Stored) => readonly Buffer[];

const BEGINNING = Buffer.from('{');
const NEXT_ITEM = Buffer.from(',{');
const CLOSE = Buffer.from('}');

/** Forms that need nothing to be loaded. */
const MAKERS: Readonly<Record<Exclude<ItemForm, 'protobuf'>, (subject: FormSubject, metaVersion: string) => MakeItem>> = {
  stored: storedItem,
  json:
    ({ kind, store }) =>
    ({ value }) => [NEXT_ITEM, itemOf(kind, kind.fromHub(store.decodeStored(new StoredObject(value))))],
  metadata: partialItem,
  cells: cellsTemplate,
  object: wholeObject,
};

/** @param metaVersion of the metadata kinds, as it was negotiated. @returns a promise where something has to be loaded first */
export function itemMaker(subject: FormSubject, metaVersion: string, form: ItemForm): MakeItem | Promise<MakeItem> {
  return form === 'protobuf' ? protobufItem(subject, metaVersion) : MAKERS[form](subject, metaVersion);
}

/** Whether the bytes are a form as they are, so that making it costs nothing. */
function isThere({ kind, store }: FormSubject, form: ItemForm, stored: StoredObject): boolean {
  if (!store.isCurrent(stored)) return false;
  if (form === 'stored') return true;
  if (form === 'metadata') return kind.hub.rules.fieldAnnotations === undefined;
  return form === 'object' && kind.hub === kind;
}

/** The items of one list in one form. Those that are much work are made by another thread, before they are added. */
export class ItemForms implements Preparation {
  readonly #request: ResourceRequest;
  readonly #place: FormPlace;
  readonly #form: ItemForm;
  readonly #make: MakeItem;
  readonly #hasLongCells: boolean;
  #made: { readonly revision: number; readonly bytes: Buffer } | undefined;

  constructor(request: ResourceRequest, form: ItemForm, make: MakeItem) {
    this.#request = request;
    this.#place = placeOf(request);
    this.#form = form;
    this.#make = make;
    this.#hasLongCells = form === 'cells' && request.kind.hub.hasLongTable;
  }

  static of(request: ResourceRequest, metaVersion: string, form: Exclude<ItemForm, 'protobuf'>): ItemForms {
    return new ItemForms(request, form, MAKERS[form](request, metaVersion));
  }

  isFor({ value }: Pick<Entry, 'value'>): boolean {
    if (this.#hasLongCells) return true;
    if (value.length <= ALWAYS_SHORT) return false;
    const stored = new StoredObject(value);
    return isLong(stored.json, 'reading') && !isThere(this.#request, this.#form, stored);
  }

  async prepare({ revision, value }: Entry): Promise<void> {
    const { server, client } = this.#request;
    const order = { place: this.#place, form: { item: this.#form }, value };
    this.#made = { revision, bytes: await (server.longRequests as LongForms).form(order, client) };
  }

  readonly make = (entry: Entry): readonly Buffer[] => {
    const made = this.#made;
    if (made?.revision !== entry.revision) return this.#make(entry);
    this.#made = undefined;
    return [made.bytes];
  };
}

function storedItem({ store, kind }: FormSubject): MakeItem {
  const { isGo } = kind.compiled;
  return ({ value }) => {
    const stored = new StoredObject(value);
    if (!store.isCurrent(stored)) return [BEGINNING, itemOf(kind, store.decodeStored(stored))];
    return [BEGINNING, isGo ? stored.item : stored.json.subarray(1)];
  };
}

/** @returns the object's JSON without its opening brace, as list items are: those of Go's types say neither kind nor apiVersion */
function itemOf({ compiled }: Kind, object: ApiObject): Buffer {
  if (!compiled.isGo) return Buffer.from(writeJson(object).slice(1));
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return Buffer.from(writeJson(rest).slice(1));
}

/** What a list of metadata has of an object: its metadata, which is the same in all versions of a kind, copied out of the stored JSON. */
function partialItem(subject: FormSubject, metaVersion: string): MakeItem {
  const { kind, store } = subject;
  const beginning = Buffer.from(`,{"kind":"PartialObjectMetadata","apiVersion":${JSON.stringify(metaVersion)},"metadata":`);
  return ({ value }) => {
    const stored = new StoredObject(value);
    const metadata = isThere(subject, 'metadata', stored)
      ? stored.metadata
      : Buffer.from(writeJson(shownMetadata(kind.hub, store.decodeStored(stored).metadata)));
    return [beginning, metadata, CLOSE];
  };
}

function cellsTemplate({ kind, store }: FormSubject, metaVersion: string): MakeItem {
  return ({ value }) => {
    const object = store.decodeStored(new StoredObject(value));
    const { object: _none, ...row } = tableRow(kind.hub, object, object, 'None', metaVersion, timeMarks);
    return [rowTemplate(`${writeJson(row).slice(0, -1)},"object":`)];
  };
}

function wholeObject(subject: FormSubject): MakeItem {
  const { kind, store } = subject;
  return ({ value }) => {
    const stored = new StoredObject(value);
    if (isThere(subject, 'object', stored)) return [stored.json];
    return [Buffer.from(writeJson(kind.fromHub(store.decodeStored(stored))))];
  };
}

async function protobufItem(subject: FormSubject, metaVersion: string): Promise<MakeItem> {
  const { kind, store, registry, negotiated } = subject;
  const partial = negotiated.transform === 'none' ? undefined : await registry.metaKind('PartialObjectMetadata');
  const tag = tagOf(listFieldNumber(await listKindOf(subject), 'items'));
  return ({ value }) => {
    const object = store.decodeStored(new StoredObject(value));
    const item =
      partial === undefined
        ? encodeProtobuf(kind.compiled, kind.fromHub(object))
        : encodeProtobuf(partial.compiled, partialObjectMetadata(kind.hub, object, metaVersion));
    return [lead(tag, item.length), item];
  };
}

/** Makes the tag of a protobuf field with a length. */
const tagOf = (field: number): number => (field << 3) | 2;

/** Makes the bytes before those of a field: its tag and the number of its bytes. */
function lead(tag: number, length: number): Buffer {
  const bytes = [tag];
  let rest = length;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

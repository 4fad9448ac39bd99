/**
 * The items of a list as JSON text, from stored bytes: copied where the client speaks the stored version, else made once for each
 * revision of an object and kept for the lists that follow.
 */
import type { ApiObject } from '../../contract/object.ts';
import type { FormView } from '../../registry/derived-forms.ts';
import { RowTemplate, timeMarks } from '../../registry/row-template.ts';
import { StoredObject } from '../../registry/stored-object.ts';
import { type IncludeObject, shownMetadata, tableRow } from '../../registry/table.ts';
import type { Entry } from '../../storage/storage.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { includeObject } from '../respond.ts';
import type { Chunks } from './chunks.ts';

const BRACE = 0x7b;
const CLOSE = Buffer.from('}');
const NULL = Buffer.from('null');

/** Adds one item to the chunks of the list. */
export type AddItem = (entry: Entry) => void;

/** Bytes that are kept as they are sent. */
export class CachedBytes {
  readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  get size(): number {
    return this.bytes.length;
  }
}

/** The way from entries to items, for what was negotiated. */
export function jsonItems(request: ResourceRequest, metaVersion: string, chunks: Chunks): AddItem {
  switch (request.negotiated.transform) {
    case 'Table':
      return tableRows(request, metaVersion, chunks);
    case 'PartialObjectMetadataList':
      return partialItems(request, metaVersion, chunks);
    default:
      return request.kind.hub === request.kind ? storedItems(request, chunks) : convertedItems(request, chunks);
  }
}

function storedItems({ kind, store }: ResourceRequest, chunks: Chunks): AddItem {
  const hash = kind.data.schemaHash >>> 0;
  return ({ value }) => {
    const stored = new StoredObject(value);
    chunks.byte(BRACE);
    chunks.bytes(stored.schemaHash === hash ? stored.item : withoutType(store.decodeStored(stored)));
  };
}

function convertedItems(request: ResourceRequest, chunks: Chunks): AddItem {
  const { kind, store } = request;
  const forms = formsOf<CachedBytes>(request, `json ${kind.apiVersion}`);
  return (entry) => {
    chunks.byte(BRACE);
    const item = kept(forms, entry, ({ value }) => new CachedBytes(withoutType(kind.fromHub(store.decodeStored(new StoredObject(value))))));
    chunks.bytes(item.bytes);
  };
}

/** @returns the object's JSON without its opening brace, kind and apiVersion, as list items are */
function withoutType(object: ApiObject): Buffer {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return Buffer.from(JSON.stringify(rest).slice(1));
}

/** Metadata is the same in all versions of a kind: it is copied out of the stored JSON. */
function partialItems({ kind, store }: ResourceRequest, metaVersion: string, chunks: Chunks): AddItem {
  const beginning = Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":${JSON.stringify(metaVersion)},"metadata":`);
  const { rules, data } = kind.hub;
  const asStored = (stored: StoredObject) => rules.fieldAnnotations === undefined && stored.schemaHash === data.schemaHash >>> 0;
  return ({ value }) => {
    const stored = new StoredObject(value);
    chunks.bytes(beginning);
    chunks.bytes(
      asStored(stored) ? stored.metadata : Buffer.from(JSON.stringify(shownMetadata(kind.hub, store.decodeStored(stored).metadata))),
    );
    chunks.bytes(CLOSE);
  };
}

/** Rows whose cells are kept, with ages that are filled in for each list; what stands beside the cells comes from the stored bytes. */
function tableRows(request: ResourceRequest, metaVersion: string, chunks: Chunks): AddItem {
  const forms = formsOf<RowTemplate>(request, 'cells');
  const now = Date.now();
  const cells = (entry: Entry): RowTemplate => cellsTemplate(request, entry, metaVersion);
  const addObject = rowObject(request, metaVersion, chunks);
  return (entry) => {
    kept(forms, entry, cells).fill(now, chunks);
    addObject(entry);
    chunks.bytes(CLOSE);
  };
}

function cellsTemplate({ kind, store }: ResourceRequest, { value }: Entry, metaVersion: string): RowTemplate {
  const object = store.decodeStored(new StoredObject(value));
  const { object: _none, ...row } = tableRow(kind.hub, object, object, 'None', metaVersion, timeMarks);
  return new RowTemplate(`${JSON.stringify(row).slice(0, -1)},"object":`);
}

function rowObject(request: ResourceRequest, metaVersion: string, chunks: Chunks): AddItem {
  const include: IncludeObject = includeObject(request.info.query, request.negotiated);
  if (include === 'None') return () => chunks.bytes(NULL);
  if (include === 'Object') return ({ value }) => chunks.bytes(wholeObject(request, new StoredObject(value)));
  return partialItems(request, metaVersion, chunks);
}

function wholeObject({ kind, store }: ResourceRequest, stored: StoredObject): Buffer {
  if (kind.hub === kind && stored.schemaHash === kind.data.schemaHash >>> 0) return stored.json;
  return Buffer.from(JSON.stringify(kind.fromHub(store.decodeStored(stored))));
}

/** @param name what the form depends on besides the resource and its stored version */
export function formsOf<Form extends { readonly size: number }>(request: ResourceRequest, name: string): FormView<Form> {
  const { kind, resource, server } = request;
  const { group, resource: plural } = resource.groupResource;
  return server.derivedForms.of(`${group} ${plural} ${kind.hub.data.schemaHash} ${name}`);
}

export function kept<Form>(forms: FormView<Form>, entry: Entry, make: (entry: Entry) => Form): Form {
  let form = forms.get(entry.revision);
  if (form === undefined) {
    form = make(entry);
    forms.set(entry.revision, form);
  }
  return form;
}

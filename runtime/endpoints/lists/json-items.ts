/**
 * The items of a list as JSON text, from stored bytes: copied where the client speaks the stored version, else made once for each
 * revision of an object and kept for the lists that follow.
 */

import type { ApiObject } from '../../contract/object.ts';
import type { RunView } from '../../registry/derived-forms.ts';
import type { Kind } from '../../registry/kind.ts';
import type { ObjectList } from '../../registry/list.ts';
import { fillRow, rowTemplate, timeMarks } from '../../registry/row-template.ts';
import { StoredObject } from '../../registry/stored-object.ts';
import { type IncludeObject, shownMetadata, tableRow } from '../../registry/table.ts';
import type { Entry } from '../../storage/storage.ts';
import type { Chunks } from '../chunks.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { includeObject } from '../respond.ts';
import { SharedItems } from '../shared-items.ts';
import type { FormRun, Span } from './form-run.ts';
import { RunReader, type RunReaderOptions } from './run-reader.ts';

const COMMA = 0x2c;
const BEGINNING = Buffer.from('{');
const CLOSE = Buffer.from('}');
const NULL = Buffer.from('null');

/** The items of one list, each with a comma before it but the first. */
export interface JsonItems {
  /** @returns bytes that were made or copied of the entry's value */
  add(entry: Entry): number;
  /** Hands over what it still holds; nothing is added then. */
  end(): void;
}

/** Adds items one by one, without commas. */
export interface ItemWriter {
  add(entry: Entry): void;
  /** Call when all are added. */
  end(): void;
}

const NOTHING = (): void => {};

/** The way from entries to items, for what was negotiated. */
export function jsonItems(request: ResourceRequest, metaVersion: string, chunks: Chunks, objects: ObjectList): JsonItems {
  const { everything, limited } = objects;
  if (everything && !limited && isStored(request)) return sharedItems(request, chunks);
  const runs = everything ? itemRuns(request, metaVersion) : undefined;
  return runs === undefined ? new CopiedItems(chunks, itemWriter(request, metaVersion, chunks, everything)) : new RunItems(chunks, runs);
}

/** Whether items are what is stored. */
const isStored = ({ kind, negotiated }: ResourceRequest): boolean => negotiated.transform === 'none' && kind.hub === kind;

function sharedItems(request: ResourceRequest, chunks: Chunks): JsonItems {
  const { listBudget, sharedRuns } = request.server;
  const restOf = storedItem(request);
  return new SharedItems({
    shared: sharedRuns,
    name: nameOf(request, 'json'),
    chunks,
    isOneOfMany: () => listBudget.leases > 1,
    itemOf: ({ value }) => [BEGINNING, restOf(value)],
  });
}

/** Whole lists whose items are kept as they are sent. */
function itemRuns(request: ResourceRequest, metaVersion: string): RunSource | undefined {
  const { negotiated } = request;
  if (negotiated.transform === 'Table') return undefined;
  if (negotiated.transform === 'PartialObjectMetadataList') return partialRuns(request, metaVersion);
  return isStored(request) ? undefined : convertedRuns(request, true);
}

/**
 * As `jsonItems`, for who wants one item after the other.
 * @param everything whether the list selects all objects of its range
 */
export function itemWriter(request: ResourceRequest, metaVersion: string, chunks: Chunks, everything: boolean): ItemWriter {
  switch (request.negotiated.transform) {
    case 'Table':
      return tableRows(request, metaVersion, chunks, everything);
    case 'PartialObjectMetadataList':
      return partialItems(request, metaVersion, chunks);
    default:
      return isStored(request) ? storedItems(request, chunks) : keptItems(convertedRuns(request, false), chunks);
  }
}

/** Kept items, without the one who takes them. */
type RunSource = Omit<RunReaderOptions, 'take'>;

/** Copies of what is kept. */
function keptItems(runs: RunSource, chunks: Chunks): ItemWriter {
  const reader = new RunReader({ ...runs, take: NOTHING });
  return {
    add(entry) {
      reader.add(entry);
      const { run, index } = reader;
      chunks.bytes(run.bytes, run.start(index) + 1, run.ends[index]);
    },
    end: () => reader.end(),
  };
}

/** Items that are written for this list alone. */
class CopiedItems implements JsonItems {
  readonly #chunks: Chunks;
  readonly #writer: ItemWriter;
  #first = true;

  constructor(chunks: Chunks, writer: ItemWriter) {
    this.#chunks = chunks;
    this.#writer = writer;
  }

  add(entry: Entry): number {
    const before = this.#chunks.length;
    if (this.#first) this.#first = false;
    else this.#chunks.byte(COMMA);
    this.#writer.add(entry);
    return this.#chunks.length - before;
  }

  end(): void {
    this.#writer.end();
  }
}

/** Items that are kept, each with the comma before it. */
class RunItems implements JsonItems {
  readonly #chunks: Chunks;
  readonly #reader: RunReader;
  #first = true;

  constructor(chunks: Chunks, runs: RunSource) {
    this.#chunks = chunks;
    this.#reader = new RunReader({ ...runs, take: (span) => this.#take(span) });
  }

  add(entry: Entry): number {
    return this.#reader.add(entry);
  }

  end(): void {
    this.#reader.end();
  }

  #take(span: Span): void {
    if (this.#first) this.#chunks.bytes(span.run.bytes, span.start + 1, span.end);
    else span.addTo(this.#chunks);
    this.#first = false;
  }
}

function storedItems(request: ResourceRequest, chunks: Chunks): ItemWriter {
  const restOf = storedItem(request);
  return {
    add({ value }) {
      chunks.bytes(BEGINNING);
      chunks.bytes(restOf(value));
    },
    end: NOTHING,
  };
}

/** @returns what gives the bytes of an item behind its opening brace */
function storedItem({ store, kind }: ResourceRequest): (value: Buffer) => Buffer {
  const { isGo } = kind.compiled;
  return (value) => {
    const stored = new StoredObject(value);
    return store.isCurrent(stored) ? (isGo ? stored.item : stored.json.subarray(1)) : itemOf(kind, store.decodeStored(stored));
  };
}

const NEXT_ITEM = Buffer.from(',{');

function convertedRuns(request: ResourceRequest, joins: boolean): RunSource {
  const { kind, store } = request;
  return {
    runs: runsOf(request, `json ${kind.apiVersion}`),
    joins,
    make: ({ value }) => [NEXT_ITEM, itemOf(kind, kind.fromHub(store.decodeStored(new StoredObject(value))))],
  };
}

/** @returns the object's JSON without its opening brace, as list items are: those of Go's types say neither kind nor apiVersion */
function itemOf({ compiled }: Kind, object: ApiObject): Buffer {
  if (!compiled.isGo) return Buffer.from(JSON.stringify(object).slice(1));
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return Buffer.from(JSON.stringify(rest).slice(1));
}

/** What a list of metadata has of an object: its metadata, which is the same in all versions of a kind, copied out of the stored JSON. */
function partialPieces({ kind, store }: ResourceRequest, metaVersion: string): (entry: Entry) => Buffer[] {
  const beginning = Buffer.from(`,{"kind":"PartialObjectMetadata","apiVersion":${JSON.stringify(metaVersion)},"metadata":`);
  const hidesNothing = kind.hub.rules.fieldAnnotations === undefined;
  return ({ value }) => {
    const stored = new StoredObject(value);
    const asStored = hidesNothing && store.isCurrent(stored);
    const metadata = asStored ? stored.metadata : Buffer.from(JSON.stringify(shownMetadata(kind.hub, store.decodeStored(stored).metadata)));
    return [beginning, metadata, CLOSE];
  };
}

/** Rows of tables have the same objects, and share them. */
const partialRuns = (request: ResourceRequest, metaVersion: string): RunSource => ({
  runs: runsOf(request, `json ${metaVersion}`),
  joins: true,
  make: partialPieces(request, metaVersion),
});

/** For lists of few objects, of which nothing is kept. */
function partialItems(request: ResourceRequest, metaVersion: string, chunks: Chunks): ItemWriter {
  const piecesOf = partialPieces(request, metaVersion);
  return {
    add(entry) {
      const [beginning, metadata, end] = piecesOf(entry) as [Buffer, Buffer, Buffer];
      chunks.bytes(beginning, 1);
      chunks.bytes(metadata);
      chunks.bytes(end);
    },
    end: NOTHING,
  };
}

/** Rows whose cells are kept, with ages that are filled in for each list. */
function tableRows(request: ResourceRequest, metaVersion: string, chunks: Chunks, everything: boolean): ItemWriter {
  const now = Date.now();
  const cells = new RunReader({
    runs: runsOf(request, 'cells'),
    joins: everything,
    make: (entry) => [cellsTemplate(request, entry, metaVersion)],
    take: NOTHING,
  });
  const object = rowObject(request, metaVersion, chunks, everything);
  return {
    add(entry) {
      cells.add(entry);
      const { run, index } = cells;
      fillRow(run.bytes, run.start(index), run.ends[index] as number, now, chunks);
      object.add(entry);
      chunks.bytes(CLOSE);
    },
    end() {
      cells.end();
      object.end();
    },
  };
}

function cellsTemplate({ kind, store }: ResourceRequest, { value }: Entry, metaVersion: string): Buffer {
  const object = store.decodeStored(new StoredObject(value));
  const { object: _none, ...row } = tableRow(kind.hub, object, object, 'None', metaVersion, timeMarks);
  return rowTemplate(`${JSON.stringify(row).slice(0, -1)},"object":`);
}

function rowObject(request: ResourceRequest, metaVersion: string, chunks: Chunks, everything: boolean): ItemWriter {
  const include: IncludeObject = includeObject(request.info.query, request.negotiated);
  if (include === 'None') return { add: () => chunks.bytes(NULL), end: NOTHING };
  if (include === 'Object') return { add: ({ value }) => chunks.bytes(wholeObject(request, new StoredObject(value))), end: NOTHING };
  return everything ? keptItems(partialRuns(request, metaVersion), chunks) : partialItems(request, metaVersion, chunks);
}

function wholeObject({ kind, store }: ResourceRequest, stored: StoredObject): Buffer {
  if (kind.hub === kind && store.isCurrent(stored)) return stored.json;
  return Buffer.from(JSON.stringify(kind.fromHub(store.decodeStored(stored))));
}

/** @param form what it depends on besides the resource and its stored version */
export function runsOf(request: ResourceRequest, form: string): RunView<FormRun> {
  return request.server.derivedForms.of(request.kind.hub, form);
}

function nameOf({ kind, resource }: ResourceRequest, form: string): string {
  const { group, resource: plural } = resource.groupResource;
  return `${group} ${plural} ${kind.hub.version} ${kind.hub.data.schemaHash} ${form}`;
}

/**
 * The items of a list as JSON text, from stored bytes: copied where the client speaks the stored version, else made once for each
 * revision of an object and kept for the lists that follow.
 */

import type { RunView } from '../../registry/lists/derived-forms.ts';
import type { ObjectList, Preparation } from '../../registry/lists/list.ts';
import { fillRow } from '../../registry/lists/row-template.ts';
import type { IncludeObject } from '../../registry/lists/table.ts';
import type { Entry } from '../../storage/storage.ts';
import type { Chunks } from '../answers/chunks.ts';
import { includeObject } from '../answers/respond.ts';
import { SharedItems } from '../answers/shared-items.ts';
import type { ResourceRequest } from '../resource-request.ts';
import type { FormRun, Span } from './form-run.ts';
import { ItemForms } from './item-forms.ts';
import { RunReader, type RunReaderOptions } from './run-reader.ts';

const COMMA = 0x2c;
const CLOSE = Buffer.from('}');
const NULL = Buffer.from('null');

/** The items of one list, each with a comma before it but the first. */
export interface JsonItems {
  /** prepares entries that take long */
  readonly prepared: Preparation;
  /** Adds an entry. @returns the number of bytes that were made or copied from its value */
  add(entry: Entry): number;
  /** Passes on what it still holds. Nothing may be added after that. */
  end(): void;
}

/** Adds items one by one, without commas. */
export interface ItemWriter {
  /** prepares entries that take long */
  readonly prepared: Preparation;
  add(entry: Entry): void;
  /** Must be called when all entries are added. */
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
  const forms = ItemForms.of(request, '', 'stored');
  return new SharedItems({
    shared: sharedRuns,
    name: nameOf(request, 'json'),
    chunks,
    isOneOfMany: () => listBudget.leases > 1,
    prepared: forms,
    itemOf: forms.make,
  });
}

/** Whole lists whose items are kept as they are sent. */
function itemRuns(request: ResourceRequest, metaVersion: string): RunSource | undefined {
  const { negotiated } = request;
  if (negotiated.transform === 'Table') return undefined;
  if (negotiated.transform === 'PartialObjectMetadataList') return partialRuns(request, metaVersion);
  return isStored(request) ? undefined : convertedRuns(request, metaVersion, true);
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
      return copiedItems(ItemForms.of(request, metaVersion, 'metadata'), chunks, 1);
    default:
      return isStored(request)
        ? copiedItems(ItemForms.of(request, metaVersion, 'stored'), chunks)
        : keptItems(convertedRuns(request, metaVersion, false), chunks);
  }
}

/** Kept items, without the one who takes them. */
type RunSource = Omit<RunReaderOptions, 'take'>;

/** Copies of what is kept. */
function keptItems(runs: RunSource, chunks: Chunks): ItemWriter {
  const reader = new RunReader({ ...runs, take: NOTHING });
  return {
    prepared: reader,
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

  get prepared(): Preparation {
    return this.#writer.prepared;
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

  get prepared(): Preparation {
    return this.#reader;
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

/** Items of which nothing is kept. @param skipped bytes of each that are left out at its beginning */
function copiedItems(forms: ItemForms, chunks: Chunks, skipped = 0): ItemWriter {
  return {
    prepared: forms,
    add(entry) {
      let start = skipped;
      for (const piece of forms.make(entry)) {
        chunks.bytes(piece, start);
        start = 0;
      }
    },
    end: NOTHING,
  };
}

const convertedRuns = (request: ResourceRequest, metaVersion: string, joins: boolean): RunSource => ({
  runs: runsOf(request, `json ${request.kind.apiVersion}`),
  joins,
  forms: ItemForms.of(request, metaVersion, 'json'),
});

/** Rows of tables have the same objects, and share them. */
const partialRuns = (request: ResourceRequest, metaVersion: string): RunSource => ({
  runs: runsOf(request, `json ${metaVersion}`),
  joins: true,
  forms: ItemForms.of(request, metaVersion, 'metadata'),
});

/** Rows whose cells are kept, with ages that are filled in for each list. */
function tableRows(request: ResourceRequest, metaVersion: string, chunks: Chunks, everything: boolean): ItemWriter {
  const now = Date.now();
  const cells = new RunReader({
    runs: runsOf(request, 'cells'),
    joins: everything,
    forms: ItemForms.of(request, metaVersion, 'cells'),
    take: NOTHING,
  });
  const object = rowObject(request, metaVersion, chunks, everything);
  return {
    prepared: both(cells, object.prepared),
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

const both = (one: Preparation, other: Preparation): Preparation => ({
  isFor: (entry) => one.isFor(entry) || other.isFor(entry),
  async prepare(entry) {
    if (one.isFor(entry)) await one.prepare(entry);
    if (other.isFor(entry)) await other.prepare(entry);
  },
});

const NO_PREPARATION: Preparation = { isFor: () => false, prepare: () => Promise.resolve() };

function rowObject(request: ResourceRequest, metaVersion: string, chunks: Chunks, everything: boolean): ItemWriter {
  const include: IncludeObject = includeObject(request.info.query, request.negotiated);
  if (include === 'None') return { prepared: NO_PREPARATION, add: () => chunks.bytes(NULL), end: NOTHING };
  if (include === 'Object') return copiedItems(ItemForms.of(request, metaVersion, 'object'), chunks);
  return everything
    ? keptItems(partialRuns(request, metaVersion), chunks)
    : copiedItems(ItemForms.of(request, metaVersion, 'metadata'), chunks, 1);
}

/** @param form what it depends on besides the resource and its stored version */
export function runsOf(request: ResourceRequest, form: string): RunView<FormRun> {
  return request.server.derivedForms.of(request.kind.hub, form);
}

function nameOf({ kind, resource }: ResourceRequest, form: string): string {
  const { group, resource: plural } = resource.groupResource;
  return `${group} ${plural} ${kind.hub.version} ${kind.hub.data.schemaHash} ${form}`;
}

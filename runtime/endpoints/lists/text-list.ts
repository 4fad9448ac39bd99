import { nextSlice, type ObjectList, type Preparation, type Slices } from '../../registry/lists/list.ts';
import type { Entry } from '../../storage/storage.ts';
import { Chunks, lengthOf, Part } from '../answers/chunks.ts';
import { wantsPretty } from '../answers/respond.ts';
import { nextTurn } from '../request/request-turns.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { type JsonItems, jsonItems } from './json-items.ts';
import { LaidOutItems } from './laid-out-items.ts';
import { type ListLayout, listLayout, STAND_IN } from './list-layout.ts';
import { listValue } from './list-value.ts';

/** Takes the place of a Table's columns. No other member of a list equals it. */
const COLUMNS = { columns: null };

/** A list in JSON or YAML. Its metadata come before its items, unless the list may end early, because they are known only after the items then. */
export class TextList {
  empty = true;
  readonly #request: ResourceRequest;
  readonly #objects: ObjectList;
  readonly #metaVersion: string;
  readonly #layout: ListLayout;
  readonly #columns: Buffer | undefined;
  readonly #chunks = new Chunks();
  #items: JsonItems;

  /** @param columns the JSON of a Table's columns, of compact JSON; absent: they are made here */
  constructor(request: ResourceRequest, objects: ObjectList, metaVersion: string, columns?: Buffer) {
    const { negotiated, context } = request;
    this.#request = request;
    this.#objects = objects;
    this.#metaVersion = metaVersion;
    this.#columns = columns;
    this.#layout = listLayout(negotiated.encoding === 'yaml' ? 'yaml' : 'json', wantsPretty(context, negotiated));
    this.#items = this.#begin();
  }

  #begin(): JsonItems {
    if (!this.#objects.limited) this.#chunks.bytes(this.#around()[0]);
    return this.#layout.item === undefined
      ? jsonItems(this.#request, this.#metaVersion, this.#chunks, this.#objects)
      : new LaidOutItems(this.#request, this.#metaVersion, this.#chunks, this.#layout.item);
  }

  get prepared(): Preparation {
    return this.#items.prepared;
  }

  /** @returns bytes that were made of the entry */
  add(entry: Entry): number {
    this.empty = false;
    return this.#items.add(entry);
  }

  /** Forgets what was added. */
  clear(): void {
    this.empty = true;
    this.#chunks.clear();
    this.#items = this.#begin();
  }

  get length(): number {
    return this.#chunks.length;
  }

  full(): Part[] {
    return this.#chunks.full();
  }

  /** Reads slices until one has an item. @returns whether there is one. @throws StatusError Timeout where nobody waits any longer */
  async readFirst(slices: Slices): Promise<boolean> {
    while (this.empty) {
      await nextTurn(this.#request.client);
      if (!(await nextSlice(slices))) break;
    }
    return !this.empty;
  }

  /** The text of a list without a limit, while it is read. @throws StatusError Timeout where nobody waits any longer, and as `slices` */
  async *parts(slices: Slices): AsyncGenerator<Part, void> {
    do {
      yield* this.#chunks.full();
      await nextTurn(this.#request.client);
    } while (await nextSlice(slices));
    this.#items.end();
    this.#chunks.bytes(this.#around()[1]);
    yield* this.#chunks.rest();
  }

  /** Once all is read: what stands before what is taken out already, and what is left. */
  finish(): { readonly beginning: Part[]; readonly rest: Part[]; readonly restLength: number } {
    if (this.empty) {
      const text = Part.of(this.#withColumns(this.#layout.empty(this.#valueWith([]))));
      return { beginning: [], rest: [text], restLength: text.length };
    }
    this.#items.end();
    const [beginning, end] = this.#around();
    this.#chunks.bytes(end);
    const rest = this.#chunks.rest();
    return { beginning: this.#objects.limited ? [Part.of(beginning)] : [], rest, restLength: lengthOf(rest) };
  }

  #around(): readonly [Buffer, Buffer] {
    const [beginning, end] = this.#layout.around(this.#valueWith([STAND_IN]));
    return [this.#withColumns(beginning), Buffer.from(end)];
  }

  #withColumns(text: string): Buffer {
    if (this.#columns === undefined) return Buffer.from(text);
    const [before = '', behind = ''] = text.split(JSON.stringify(COLUMNS));
    return Buffer.concat([Buffer.from(before), this.#columns, Buffer.from(behind)]);
  }

  #valueWith(items: object[]) {
    const columns = this.#columns && COLUMNS;
    return listValue(this.#request, this.#metaVersion, this.#objects.revision, this.#objects.outcome, items, columns);
  }
}

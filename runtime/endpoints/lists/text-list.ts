import { setImmediate as turn } from 'node:timers/promises';
import type { ObjectList } from '../../registry/list.ts';
import type { Entry } from '../../storage/storage.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { wantsPretty } from '../respond.ts';
import { Chunks, Part } from './chunks.ts';
import { addItems, type JsonItems, jsonItems } from './json-items.ts';
import { type ListLayout, listLayout, STAND_IN } from './list-layout.ts';
import { listValue } from './list-value.ts';

/** A list as text, JSON or YAML. Its metadata may stand before its items: where the list may end early, it is known after them. */
export class TextList {
  empty = true;
  readonly #request: ResourceRequest;
  readonly #objects: ObjectList;
  readonly #metaVersion: string;
  readonly #layout: ListLayout;
  readonly #chunks = new Chunks();
  #items: JsonItems;

  constructor(request: ResourceRequest, objects: ObjectList, metaVersion: string) {
    const { negotiated, context } = request;
    this.#request = request;
    this.#objects = objects;
    this.#metaVersion = metaVersion;
    this.#layout = listLayout(negotiated.encoding === 'yaml' ? 'yaml' : 'json', wantsPretty(context, negotiated));
    this.#items = this.#begin();
  }

  #begin(): JsonItems {
    if (!this.#objects.limited) this.#chunks.bytes(this.#around()[0]);
    return this.#layout.item === undefined
      ? jsonItems(this.#request, this.#metaVersion, this.#chunks, this.#objects.everything)
      : this.#laidOut(this.#layout.item);
  }

  #laidOut(item: (compact: Buffer) => Buffer): JsonItems {
    const compact = new Chunks();
    const addCompact = addItems(this.#request, this.#metaVersion, compact, false);
    let separator = '';
    return {
      add: (entry) => {
        addCompact(entry);
        const parts = compact.rest();
        const before = this.#chunks.length;
        this.#chunks.ascii(separator);
        this.#chunks.bytes(item(parts.length === 1 ? (parts[0] as Part).bytes : Buffer.concat(parts.map(({ bytes }) => bytes))));
        for (const part of parts) part.sent();
        separator = this.#layout.separator;
        return this.#chunks.length - before;
      },
      end: () => {},
    };
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

  /** Reads slices until one has an item. @returns whether there is one */
  async readFirst(slices: Generator<void>): Promise<boolean> {
    while (this.empty) {
      await turn();
      if (slices.next().done === true) break;
    }
    return !this.empty;
  }

  /** The text of a list without a limit, while it is read. */
  async *parts(slices: Generator<void>): AsyncGenerator<Part, void> {
    do {
      yield* this.#chunks.full();
      await turn();
    } while (slices.next().done !== true);
    this.#items.end();
    this.#chunks.bytes(this.#around()[1]);
    yield* this.#chunks.rest();
  }

  /** The whole text, once all is read. */
  whole(): Part[] {
    this.#items.end();
    const [beginning, end] = this.#around();
    this.#chunks.bytes(end);
    const parts = this.#chunks.rest();
    return this.#objects.limited ? [Part.of(beginning), ...parts] : parts;
  }

  /** The text of the list that has no items, once all is read. */
  get emptyText(): string {
    return this.#layout.empty(this.#valueWith([]));
  }

  #around(): readonly [Buffer, Buffer] {
    const [beginning, end] = this.#layout.around(this.#valueWith([STAND_IN]));
    return [Buffer.from(beginning), Buffer.from(end)];
  }

  #valueWith(items: object[]) {
    return listValue(this.#request, this.#metaVersion, this.#objects.revision, this.#objects.outcome, items);
  }
}

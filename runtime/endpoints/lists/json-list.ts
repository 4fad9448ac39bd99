import { setImmediate as turn } from 'node:timers/promises';
import type { ObjectList } from '../../registry/list.ts';
import type { Entry } from '../../storage/storage.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { Chunks, Part } from './chunks.ts';
import { type AddItem, jsonItems } from './json-items.ts';
import { listValue } from './list-value.ts';

const COMMA = 0x2c;
const END = ']}\n';

/** A list as JSON text. Its metadata stands before its items: where the list may end early, it is known after them. */
export class JsonList {
  empty = true;
  readonly #request: ResourceRequest;
  readonly #objects: ObjectList;
  readonly #metaVersion: string;
  readonly #chunks = new Chunks();
  readonly #addItem: AddItem;

  constructor(request: ResourceRequest, objects: ObjectList, metaVersion: string) {
    this.#request = request;
    this.#objects = objects;
    this.#metaVersion = metaVersion;
    this.#addItem = jsonItems(request, metaVersion, this.#chunks);
    this.clear();
  }

  /** @returns bytes that were made of the entry */
  add(entry: Entry): number {
    const before = this.#chunks.length;
    if (this.empty) this.empty = false;
    else this.#chunks.byte(COMMA);
    this.#addItem(entry);
    return this.#chunks.length - before;
  }

  /** Forgets what was added. */
  clear(): void {
    this.empty = true;
    this.#chunks.clear();
    if (!this.#objects.limited) this.#chunks.bytes(this.#head());
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
    this.#chunks.ascii(END);
    yield* this.#chunks.rest();
  }

  /** The whole text, once all is read. */
  whole(): Part[] {
    this.#chunks.ascii(END);
    const parts = this.#chunks.rest();
    return this.#objects.limited ? [Part.of(this.#head()), ...parts] : parts;
  }

  #head(): Buffer {
    const text = JSON.stringify(listValue(this.#request, this.#metaVersion, this.#objects.revision, this.#objects.outcome, [{}]));
    return Buffer.from(text.slice(0, text.lastIndexOf('{}')));
  }
}

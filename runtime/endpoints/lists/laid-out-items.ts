/** Items of lists for people, indented JSON and YAML, each made of its compact JSON. */
import type { Preparation } from '../../registry/lists/list.ts';
import { ALWAYS_SHORT, isLong } from '../../registry/stored-objects/long-value.ts';
import type { Entry } from '../../storage/storage.ts';
import { Chunks, type Part } from '../answers/chunks.ts';
import { type LongForms, placeOf } from '../long-form.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { type ItemWriter, itemWriter, type JsonItems } from './json-items.ts';
import type { ItemLayout } from './list-layout.ts';

export class LaidOutItems implements JsonItems, Preparation {
  readonly #request: ResourceRequest;
  readonly #chunks: Chunks;
  readonly #layout: ItemLayout;
  readonly #compact = new Chunks();
  readonly #writer: ItemWriter;
  #separator = '';
  /** the bytes that another thread has made for the next entry */
  #made: Buffer | undefined;

  constructor(request: ResourceRequest, metaVersion: string, chunks: Chunks, layout: ItemLayout) {
    this.#request = request;
    this.#chunks = chunks;
    this.#layout = layout;
    this.#writer = itemWriter(request, metaVersion, this.#compact, false);
  }

  get prepared(): Preparation {
    return this;
  }

  isFor(entry: Entry): boolean {
    return entry.value.length > ALWAYS_SHORT || this.#writer.prepared.isFor(entry);
  }

  async prepare(entry: Entry): Promise<void> {
    const { prepared } = this.#writer;
    if (prepared.isFor(entry)) await prepared.prepare(entry);
    const { server, client } = this.#request;
    const { name, work, of } = this.#layout;
    const value = this.#compactOf(entry, (json) => Buffer.from(json));
    this.#made = isLong(value, work)
      ? await (server.longRequests as LongForms).form({ place: placeOf(this.#request), form: { layout: name }, value }, client)
      : Buffer.from(of(value));
  }

  add(entry: Entry): number {
    const made = this.#made;
    const before = this.#chunks.length;
    this.#chunks.ascii(this.#separator);
    if (made === undefined) this.#compactOf(entry, (json) => this.#chunks.bytes(this.#layout.of(json)));
    else this.#chunks.bytes(made);
    this.#made = undefined;
    this.#separator = this.#layout.separator;
    return this.#chunks.length - before;
  }

  end(): void {
    this.#writer.end();
  }

  /** @param take gets bytes that are valid while it is called */
  #compactOf<T>(entry: Entry, take: (json: Buffer) => T): T {
    this.#writer.add(entry);
    const parts = this.#compact.rest();
    const taken = take(parts.length === 1 ? (parts[0] as Part).bytes : Buffer.concat(parts.map(({ bytes }) => bytes)));
    for (const part of parts) part.sent();
    return taken;
  }
}

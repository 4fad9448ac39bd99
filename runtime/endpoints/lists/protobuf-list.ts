import type { Kind } from '../../registry/kinds/kind.ts';
import type { ObjectList, Preparation } from '../../registry/lists/list.ts';
import { encodeProtobuf, envelopeAround } from '../../schema/protobuf/codec.ts';
import type { Entry } from '../../storage/storage.ts';
import { Chunks, lengthOf, Part } from '../answers/chunks.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { ItemForms, itemMaker } from './item-forms.ts';
import { runsOf } from './json-items.ts';
import { listFieldNumber, listKindOf, listValue } from './list-value.ts';
import { RunReader } from './run-reader.ts';

/**
 * A list as protobuf. Its envelope says how long it is before it begins, so its items are all made before the first is sent.
 */
export class ProtobufList {
  readonly #request: ResourceRequest;
  readonly #objects: ObjectList;
  readonly #metaVersion: string;
  readonly #list: Kind;
  readonly #forms: ItemForms;
  #reader: RunReader;
  /** bytes of all items with their tags and lengths */
  length = 0;
  /** bytes that `full` gave away */
  #taken = 0;
  readonly #chunks = new Chunks();

  private constructor(request: ResourceRequest, objects: ObjectList, metaVersion: string, list: Kind, forms: ItemForms) {
    this.#request = request;
    this.#objects = objects;
    this.#metaVersion = metaVersion;
    this.#list = list;
    this.#forms = forms;
    this.#reader = this.#begin();
  }

  static async of(request: ResourceRequest, objects: ObjectList, metaVersion: string): Promise<ProtobufList> {
    const forms = new ItemForms(request, 'protobuf', await itemMaker(request, metaVersion, 'protobuf'));
    return new ProtobufList(request, objects, metaVersion, await listKindOf(request), forms);
  }

  #begin(): RunReader {
    const request = this.#request;
    const form = request.negotiated.transform === 'none' ? request.kind.apiVersion : this.#metaVersion;
    return new RunReader({
      runs: runsOf(request, `protobuf ${form}`),
      joins: this.#objects.everything,
      forms: this.#forms,
      take: (span) => {
        span.addTo(this.#chunks);
        this.length += span.length;
      },
    });
  }

  get prepared(): Preparation {
    return this.#reader;
  }

  /** @returns bytes that were made of the entry: none where they were there already */
  add(entry: Entry): number {
    return this.#reader.add(entry);
  }

  /** Forgets what was added. */
  clear(): void {
    this.#chunks.clear();
    this.length = 0;
    this.#taken = 0;
    this.#reader = this.#begin();
  }

  full(): Part[] {
    const parts = this.#chunks.full();
    this.#taken += lengthOf(parts);
    return parts;
  }

  /** Once all is read: what stands before what is taken out already, and what is left. */
  finish(): { readonly beginning: Part[]; readonly rest: Part[]; readonly restLength: number } {
    this.#reader.end();
    const value = listValue(this.#request, this.#metaVersion, this.#objects.revision, this.#objects.outcome, []);
    const metadata = encodeProtobuf(this.#list.compiled, value);
    const { before, after } = envelopeAround(value.apiVersion, value.kind, metadata.length + this.length);
    const itemsFirst = listFieldNumber(this.#list, 'items') < listFieldNumber(this.#list, 'metadata');
    const [beginning, end] = itemsFirst ? [before, Buffer.concat([metadata, after])] : [Buffer.concat([before, metadata]), after];
    const restLength = this.length - this.#taken + end.length;
    this.#chunks.bytes(end);
    return { beginning: [Part.of(beginning)], rest: this.#chunks.rest(), restLength };
  }
}

import type { Kind } from '../../registry/kind.ts';
import type { ObjectList } from '../../registry/list.ts';
import { StoredObject } from '../../registry/stored-object.ts';
import { partialObjectMetadata } from '../../registry/table.ts';
import { encodeProtobuf, envelopeAround } from '../../schema/protobuf/codec.ts';
import type { Entry } from '../../storage/storage.ts';
import { Chunks, lengthOf, Part } from '../chunks.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { runsOf } from './json-items.ts';
import { listFieldNumber, listKindOf, listValue } from './list-value.ts';
import { RunReader } from './run-reader.ts';

/** Of the wire type that has a length. */
const tagOf = (field: number): number => (field << 3) | 2;

type Encode = (entry: Entry) => Buffer;

/**
 * A list as protobuf. Its envelope says how long it is before it begins, so its items are all made before the first is sent.
 */
export class ProtobufList {
  readonly #request: ResourceRequest;
  readonly #objects: ObjectList;
  readonly #metaVersion: string;
  readonly #list: Kind;
  readonly #partial: Kind | undefined;
  #reader: RunReader;
  /** bytes of all items with their tags and lengths */
  length = 0;
  /** bytes that `full` gave away */
  #taken = 0;
  readonly #chunks = new Chunks();

  private constructor(request: ResourceRequest, objects: ObjectList, metaVersion: string, list: Kind, partial: Kind | undefined) {
    this.#request = request;
    this.#objects = objects;
    this.#metaVersion = metaVersion;
    this.#list = list;
    this.#partial = partial;
    this.#reader = this.#begin();
  }

  static async of(request: ResourceRequest, objects: ObjectList, metaVersion: string): Promise<ProtobufList> {
    const partial =
      request.negotiated.transform === 'PartialObjectMetadataList' ? await request.registry.metaKind('PartialObjectMetadata') : undefined;
    return new ProtobufList(request, objects, metaVersion, await listKindOf(request), partial);
  }

  #begin(): RunReader {
    const request = this.#request;
    const tag = tagOf(listFieldNumber(this.#list, 'items'));
    const encode = encoder(request, this.#metaVersion, this.#partial);
    return new RunReader({
      runs: runsOf(request, `protobuf ${this.#partial === undefined ? request.kind.apiVersion : this.#metaVersion}`),
      joins: this.#objects.everything,
      make: (entry) => {
        const item = encode(entry);
        return [lead(tag, item.length), item];
      },
      take: (span) => {
        span.addTo(this.#chunks);
        this.length += span.length;
      },
    });
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

function encoder({ kind, store }: ResourceRequest, metaVersion: string, partial: Kind | undefined): Encode {
  return ({ value }) => {
    const object = store.decodeStored(new StoredObject(value));
    return partial === undefined
      ? encodeProtobuf(kind.compiled, kind.fromHub(object))
      : encodeProtobuf(partial.compiled, partialObjectMetadata(kind.hub, object, metaVersion));
  };
}

/** What stands before a field's bytes: its tag and their number. */
function lead(tag: number, length: number): Buffer {
  const bytes = [tag];
  let rest = length;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

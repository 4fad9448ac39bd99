import type { FormView } from '../../registry/derived-forms.ts';
import type { Kind } from '../../registry/kind.ts';
import type { ObjectList } from '../../registry/list.ts';
import { StoredObject } from '../../registry/stored-object.ts';
import { partialObjectMetadata } from '../../registry/table.ts';
import { encodeProtobuf, envelopeAround } from '../../schema/protobuf.ts';
import type { Entry } from '../../storage/storage.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { Chunks, type Part } from './chunks.ts';
import { CachedBytes, formsOf } from './json-items.ts';
import { listFieldNumber, listKindOf, listValue } from './list-value.ts';

/** Of the wire type that has a length. */
const tagOf = (field: number): number => (field << 3) | 2;

type Encode = (entry: Entry) => Buffer;

/**
 * A list as protobuf. Its envelope says how long it is before it begins, so its items are all made before the first is sent; what is kept of
 * them for other lists is not copied until then.
 */
export class ProtobufList {
  readonly #request: ResourceRequest;
  readonly #objects: ObjectList;
  readonly #metaVersion: string;
  readonly #list: Kind;
  readonly #forms: FormView<CachedBytes>;
  readonly #encode: Encode;
  readonly #tag: number;
  #items: Buffer[] = [];
  /** bytes of all items with their tags and lengths */
  #length = 0;

  private constructor(request: ResourceRequest, objects: ObjectList, metaVersion: string, list: Kind, partial: Kind | undefined) {
    const { kind } = request;
    this.#request = request;
    this.#objects = objects;
    this.#metaVersion = metaVersion;
    this.#list = list;
    this.#forms = formsOf(request, `protobuf ${partial === undefined ? kind.apiVersion : metaVersion}`);
    this.#encode = encoder(request, metaVersion, partial);
    this.#tag = tagOf(listFieldNumber(list, 'items'));
  }

  static async of(request: ResourceRequest, objects: ObjectList, metaVersion: string): Promise<ProtobufList> {
    const partial =
      request.negotiated.transform === 'PartialObjectMetadataList'
        ? await request.server.registry.metaKind('PartialObjectMetadata')
        : undefined;
    return new ProtobufList(request, objects, metaVersion, await listKindOf(request), partial);
  }

  /** @returns bytes that were made of the entry: none where they were there already */
  add(entry: Entry): number {
    const kept = this.#forms.get(entry.revision);
    const bytes = kept?.bytes ?? this.#encode(entry);
    if (kept === undefined) this.#forms.set(entry.revision, new CachedBytes(bytes));
    this.#items.push(bytes);
    this.#length += 1 + varintLength(bytes.length) + bytes.length;
    return kept === undefined ? bytes.length : 0;
  }

  /** Forgets what was added. */
  clear(): void {
    this.#items = [];
    this.#length = 0;
  }

  /** The whole message, once all is read. */
  whole(): { readonly length: number; readonly parts: Iterable<Part> } {
    const value = listValue(this.#request, this.#metaVersion, this.#objects.revision, this.#objects.outcome, []);
    const metadata = encodeProtobuf(this.#list.compiled, value);
    const { before, after } = envelopeAround(value.apiVersion, value.kind, metadata.length + this.#length);
    const itemsFirst = listFieldNumber(this.#list, 'items') < listFieldNumber(this.#list, 'metadata');
    const [beginning, end] = itemsFirst ? [before, Buffer.concat([metadata, after])] : [Buffer.concat([before, metadata]), after];
    return { length: beginning.length + this.#length + end.length, parts: this.#parts(beginning, end) };
  }

  *#parts(beginning: Buffer, end: Buffer): Generator<Part, void> {
    const chunks = new Chunks();
    chunks.bytes(beginning);
    for (const bytes of this.#items) {
      chunks.byte(this.#tag);
      addVarint(chunks, bytes.length);
      chunks.bytes(bytes);
      yield* chunks.full();
    }
    chunks.bytes(end);
    yield* chunks.rest();
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

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest >>>= 7) length++;
  return length;
}

function addVarint(chunks: Chunks, value: number): void {
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) chunks.byte((rest & 0x7f) | 0x80);
  chunks.byte(rest);
}

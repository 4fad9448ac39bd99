/** The items of a list as messages, made once for each revision of an object. */
import type { Kind } from '../../registry/kind.ts';
import { StoredObject } from '../../registry/stored-object.ts';
import { partialObjectMetadata } from '../../registry/table.ts';
import { encodeProtobuf } from '../../schema/protobuf.ts';
import type { ResourceRequest } from '../resource-request.ts';
import type { Chunks } from './chunks.ts';
import { type AddItem, CachedBytes, formsOf, kept } from './json-items.ts';
import { listFieldNumber } from './list-value.ts';

/** Of the wire type that has a length. */
const tagOf = (field: number): number => (field << 3) | 2;

export async function protobufItems(request: ResourceRequest, metaVersion: string, chunks: Chunks, list: Kind): Promise<AddItem> {
  const tag = tagOf(listFieldNumber(list, 'items'));
  const { kind, store, server, negotiated } = request;
  const partial =
    negotiated.transform === 'PartialObjectMetadataList' ? await server.registry.metaKind('PartialObjectMetadata') : undefined;
  const forms = formsOf<CachedBytes>(request, `protobuf ${partial === undefined ? kind.apiVersion : metaVersion}`);
  return (entry) => {
    const { bytes } = kept(forms, entry, ({ value }) => {
      const object = store.decodeStored(new StoredObject(value));
      return new CachedBytes(
        partial === undefined
          ? encodeProtobuf(kind.compiled, kind.fromHub(object))
          : encodeProtobuf(partial.compiled, partialObjectMetadata(kind.hub, object, metaVersion)),
      );
    });
    chunks.byte(tag);
    addVarint(chunks, bytes.length);
    chunks.bytes(bytes);
  };
}

function addVarint(chunks: Chunks, value: number): void {
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) chunks.byte((rest & 0x7f) | 0x80);
  chunks.byte(rest);
}

/** CBOR as a client reads it. */
import { decodeCbor } from '../../runtime/schema/cbor/decode.ts';
import { SELF_DESCRIBED } from '../../runtime/schema/cbor/head.ts';
import { UNLIMITED } from '../../runtime/schema/cbor/well-formed.ts';
import type { Json } from './client.ts';

/** A document that says that it is CBOR. */
export function readCbor(bytes: Buffer): Json {
  if (!bytes.subarray(0, SELF_DESCRIBED.length).equals(SELF_DESCRIBED)) throw new Error(`no CBOR: ${bytes.toString('latin1', 0, 100)}`);
  return decodeCbor(bytes, undefined, UNLIMITED).value;
}

/** Documents behind each other, of which the last one may not be complete. */
export function readCborSequence(bytes: Buffer): Json[] {
  const documents: Json[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const length = lengthOfFirst(rest);
    if (length === undefined) break;
    documents.push(readCbor(rest.subarray(0, length)));
    rest = rest.subarray(length);
  }
  return documents;
}

/** What follows a document is refused, with the place where it begins. */
function lengthOfFirst(bytes: Buffer): number | undefined {
  try {
    decodeCbor(bytes, undefined, UNLIMITED);
    return bytes.length;
  } catch (error) {
    const [, place] = /extraneous data starting at index (\d+)$/.exec((error as Error).message) ?? [];
    return place === undefined ? undefined : Number(place);
  }
}

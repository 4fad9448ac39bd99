/** Custom resources that stand in etcd as CBOR: what is read becomes the JSON that it says. */
import { writeJson } from '../../contract/json-writer.ts';
import { decodeCbor } from '../../schema/cbor/decode.ts';
import { encodeCborDocument } from '../../schema/cbor/encode.ts';
import { CborError } from '../../schema/cbor/error.ts';
import { OF_CLIENTS, requireWellFormed, UNLIMITED } from '../../schema/cbor/well-formed.ts';
import { parseStoredJson } from '../stored-objects/parse-stored-json.ts';

/** @throws CborError */
export const jsonOfCbor = (value: Buffer): Buffer => Buffer.from(writeJson(decodeCbor(value, undefined, UNLIMITED).value));

/** @param json of an object, without its revision. @returns JSON for what 1.32 would not read again: it has limits for what it reads, and none for what it writes */
export function cborOfJson(json: Buffer): Buffer {
  try {
    const cbor = encodeCborDocument(parseStoredJson(json));
    requireWellFormed(cbor, OF_CLIENTS);
    return cbor;
  } catch (error) {
    if (error instanceof CborError || error instanceof RangeError) return json;
    throw error;
  }
}

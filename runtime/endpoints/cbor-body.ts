/** Bodies in CBOR: loaded when the first one comes. */
import type { ApiObject } from '../contract/object.ts';
import type { Kind } from '../registry/kind.ts';
import { type CborNames, decodeCbor, namesOfCbor } from '../schema/cbor/decode.ts';
import { CborError } from '../schema/cbor/error.ts';
import { isObject } from '../schema/member.ts';
import { requireKind } from './body-kind.ts';
import { UnrecognizedBodyError } from './unrecognized-body.ts';

export interface ParsedCbor {
  readonly value: unknown;
  /** what stands twice is refused, however strict validation is */
  readonly duplicates: readonly string[];
  /** sentences for strict validation */
  readonly problems?: readonly string[];
}

/**
 * A body as an object that is to be one of `kind`. Of Go's kinds the names are read first, then all else by its type; of others the names of what can be read.
 * @throws UnrecognizedBodyError, WrongKindError; CborError for what is none of the type
 */
export function parseCborObject(body: Buffer, kind: Kind): ParsedCbor {
  if (!kind.compiled.isGo) return { value: untyped(body, kind), duplicates: [] };
  requireKind(cborNames(body, kind) as Partial<ApiObject>, kind);
  const { value, unknownAt } = decodeCbor(body, kind.compiled);
  const problems = unknownAt === undefined ? [] : [`cbor: found unknown field at map element index ${unknownAt}`];
  return { value, duplicates: [], problems };
}

function untyped(body: Buffer, kind: Kind): unknown {
  const { value, problem } = read(body);
  if (problem === undefined && (value === null || isObject(value))) return value;
  cborNames(body, kind);
  throw problem;
}

function read(body: Buffer): { readonly value?: unknown; readonly problem?: CborError } {
  try {
    return { value: decodeCbor(body).value };
  } catch (error) {
    if (error instanceof CborError) return { problem: error };
    throw error;
  }
}

/** What a body says that it is. @throws UnrecognizedBodyError */
export function cborNames(body: Buffer, { compiled: { identity } }: Kind): CborNames {
  try {
    return namesOfCbor(body, identity);
  } catch (error) {
    if (error instanceof CborError) throw new UnrecognizedBodyError(`unable to determine group/version/kind: ${error.message}`);
    throw error;
  }
}

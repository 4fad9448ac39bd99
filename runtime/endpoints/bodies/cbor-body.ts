/** Bodies in CBOR: loaded when the first one comes. */
import type { ApiObject } from '../../contract/object.ts';
import type { Kind } from '../../registry/kinds/kind.ts';
import { type CborNames, decodeCbor, namesOfCbor, unknownField } from '../../schema/cbor/decode.ts';
import { diagnosed } from '../../schema/cbor/diagnostic.ts';
import { CborError } from '../../schema/cbor/error.ts';
import { isObject } from '../../schema/json/member.ts';
import { newBadRequest } from '../../status/status.ts';
import { requireKind } from './body-kind.ts';
import { UnrecognizedBodyError } from './unrecognized-body.ts';

export interface ParsedCbor {
  readonly value: unknown;
  /** the paths of members that occur twice, for which the body is refused, however strict validation is */
  readonly duplicates: readonly string[];
  /** sentences for strict validation */
  readonly problems?: readonly string[];
}

/**
 * A body as an object that is to be one of `kind`. Of Go's kinds the names are read first, then all else by its type; of others the names of what can be read.
 * @throws UnrecognizedBodyError, WrongKindError; CborError for what is none of the type
 */
export function parseCborObject(body: Buffer, kind: Kind): ParsedCbor {
  if (!kind.compiled.isGo) return { value: named(untyped(body, kind), body, kind), duplicates: [] };
  requireKind(cborNames(body, kind) as Partial<ApiObject>, kind);
  const { value, unknownAt } = decodeCbor(body, kind.compiled);
  const problems = unknownAt === undefined ? [] : [unknownField(unknownAt)];
  return { value, duplicates: [], problems };
}

function untyped(body: Buffer, kind: Kind): unknown {
  const { value, problem } = read(body);
  if (problem === undefined && (value === null || isObject(value))) return value;
  cborNames(body, kind);
  throw problem;
}

/**
 * An object that says what it is: a name that is no text is none, and one of no version names no kind.
 * @throws UnrecognizedBodyError without a kind; StatusError BadRequest without a version
 */
function named(value: unknown, body: Buffer, wanted: Kind): unknown {
  const { kind, apiVersion } = (value ?? {}) as Partial<Record<string, unknown>>;
  const version = typeof apiVersion === 'string' ? apiVersion : '';
  if (typeof kind !== 'string' || kind === '' || version.indexOf('/') !== version.lastIndexOf('/'))
    throw new UnrecognizedBodyError(`Object 'Kind' is missing in '${diagnosed(body)}'`);
  if (version === '')
    throw newBadRequest(
      `${kind} in version "" cannot be handled as a ${wanted.kind}: Object 'apiVersion' is missing in '${diagnosed(body)}'`,
    );
  return value;
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

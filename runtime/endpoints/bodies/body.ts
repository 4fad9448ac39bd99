/** Decodes the bodies of requests. */

import type { ApiObject } from '../../contract/object.ts';
import type { Encoding } from '../../negotiation/negotiation.ts';
import type { Kind, Origin } from '../../registry/kinds/kind.ts';
import { CborError } from '../../schema/cbor/error.ts';
import { DecodeError, errorByName, errorInWritten, type MemberOrder, strictErrors, unknownFieldsOf } from '../../schema/codec/codec.ts';
import type { MemberPath } from '../../schema/emptied-members.ts';
import { asWritten } from '../../schema/json/json-exact.ts';
import { JsonSyntaxError, parseJson, type Repetition } from '../../schema/json/json-text.ts';
import { isObject } from '../../schema/json/member.ts';
import { decodeProtobuf, type Envelope, unwrapEnvelope } from '../../schema/protobuf/codec.ts';
import { ProtobufError } from '../../schema/protobuf/error.ts';
import { jsonKind } from '../../schema/scalar/scalar-error.ts';
import { utf8Text } from '../../schema/text/utf8-text.ts';
import { InexpressibleValueError, parseYaml, YamlSyntaxError } from '../../schema/yaml/parse-yaml.ts';
import { yamlText } from '../../schema/yaml/yaml-bytes.ts';
import { newBadRequest } from '../../status/status.ts';
import { type KnownKinds, type Members, requireKind, requireOptions, WrongKindError } from './body-kind.ts';
import { MissingKindError, newUnreadableNames, UnrecognizedBodyError } from './unrecognized-body.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** A body as a JSON value, with what strict validation has to say of it before its type is known. */
export interface ParsedBody {
  readonly value: unknown;
  /** paths of members that stood twice */
  readonly duplicates: readonly string[];
  /** the JSON text, where the value was made from one */
  readonly text?: string;
  /** the YAML text, where the value was made from one */
  readonly yaml?: string;
  /** sentences for strict validation that name no path of the object */
  readonly problems?: readonly string[];
  /** what YAML has to say of keys that stand twice: warnings of their own, but one error together */
  readonly repeatedKeys?: readonly string[];
  /** set if a patch has made the value */
  readonly patched?: PatchedValue;
  /** the order in which unknown members, and members of wrong types, are reported; absent for the order in which they were written */
  readonly order?: MemberOrder;
}

/** What is special about decoding a value that a patch has made. */
export interface PatchedValue {
  /** Returns the text that errors show as the patch. */
  text(): string;
  /** Returns the value with the types of its kind, if a patch in another form than JSON can set them. @throws DecodeError */
  readonly restored?: () => unknown;
}

/** @throws UnrecognizedBodyError with the syntax error */
export function parseBody(body: Buffer, encoding: 'json' | 'yaml', repetition: Repetition = 'adds'): ParsedBody {
  try {
    if (encoding === 'json') return parseJson(utf8Text(body), body, repetition);
    const yaml = yamlText(body);
    const { problems, ...parsed } = parseYaml(yaml);
    return { ...parsed, yaml, repeatedKeys: problems, order: 'byName' };
  } catch (error) {
    if (error instanceof InexpressibleValueError) throw new UnrecognizedBodyError(error.message);
    if (error instanceof JsonSyntaxError) throw newUnreadableNames(error.message);
    if (error instanceof YamlSyntaxError) throw new UnrecognizedBodyError(`yaml: ${error.message}`);
    throw error;
  }
}

export interface DecodedBody {
  /** the object in the version of the request, with defaults */
  readonly object: ApiObject;
  /** the texts of `Warning` headers */
  readonly warnings: readonly string[];
  /** see the result of `Kind.decode` */
  readonly emptied?: readonly MemberPath[] | undefined;
  /** the JSON value that the object was decoded from; absent if the body was in another form */
  readonly sent?: unknown;
}

/**
 * A request body as an object of `kind`.
 * @param warn is told of what strict validation would refuse, where it is to be warned of; also for a body that is refused
 * @throws StatusError BadRequest for syntax, a wrong type, or (at level Strict) unknown and duplicate fields
 * @returns a promise that rejects with StatusError BadRequest for another kind than the path's
 */
export function decodeObject(
  body: Buffer,
  encoding: Encoding,
  kind: Kind,
  validation: FieldValidation,
  kinds: KnownKinds,
  warn: (texts: readonly string[]) => void,
): DecodedBody | Promise<DecodedBody> {
  if (encoding === 'cbor') return decodeCborObject(body, kind, validation, kinds, warn);
  try {
    // parts of YAML may stand in several places
    const decoded =
      encoding === 'protobuf'
        ? decodeEnvelope(body, kind)
        : decodeParsed(parseBody(body, encoding, kind.compiled.isGo ? 'adds' : 'replaces'), kind, validation, {
            reuses: encoding === 'json',
          });
    warn(decoded.warnings);
    return decoded;
  } catch (error) {
    return refused(error, body, kind, validation, kinds, warn);
  }
}

async function decodeCborObject(
  body: Buffer,
  kind: Kind,
  validation: FieldValidation,
  kinds: KnownKinds,
  warn: (texts: readonly string[]) => void,
): Promise<DecodedBody> {
  const { parseCborObject } = await import('./cbor-body.ts');
  try {
    const decoded = decodeParsed(parseCborObject(body, kind), kind, validation, { reuses: true });
    warn(decoded.warnings);
    return decoded;
  } catch (error) {
    if (error instanceof CborError) throw newBadRequest(`${cannotBeHandled(kind)}: ${error.message}`);
    return refused(error, body, kind, validation, kinds, warn);
  }
}

/** What is said of a body that is none of its kind. @throws the error, or what becomes of it */
function refused(
  error: unknown,
  body: Buffer,
  kind: Kind,
  validation: FieldValidation,
  kinds: KnownKinds,
  warn: (texts: readonly string[]) => void,
): Promise<never> {
  if (error instanceof MissingKindError && validation === 'Ignore') throw error.ignoring(kind);
  if (error instanceof UnrecognizedBodyError) throw error.of(kind, body);
  if (!(error instanceof WrongKindError)) throw error;
  const explaining = error.explain(kinds, (problems) => {
    if (validation === 'Warn') warn(problems);
    return validation === 'Strict' && problems.length > 0;
  });
  return explaining.then((explained) => Promise.reject(explained));
}

/**
 * As `decodeObject`, of a value that is parsed already.
 * @throws StatusError BadRequest, WrongKindError
 */
export function decodeParsed(parsed: ParsedBody, kind: Kind, validation: FieldValidation, from?: Origin): DecodedBody {
  const value = requireMembers(parsed.value);
  requireKind(value, kind, {
    members: membersAsRead(parsed, value),
    duplicates: parsed.duplicates,
    text: () => parsed.yaml ?? parsed.patched?.text() ?? parsed.text,
  });
  const context = parsed.patched === undefined ? `${cannotBeHandled(kind)}: ` : '';
  try {
    const isRepeated = parsed.duplicates.length > 0 && parsed.text !== undefined && kind.compiled.isGo;
    const wrong = isRepeated ? errorInWritten(kind.compiled, parsed.text) : undefined;
    if (wrong !== undefined) throw wrong;
    const { object, unknownFields, emptied } = kind.decode(value, from);
    requireConvertible(object, kind);
    // An empty list is none to the type, but it asks to forget the owners of the object's fields.
    const { managedFields } = (value.metadata ?? {}) as ApiObject['metadata'];
    if (Array.isArray(managedFields) && managedFields.length === 0) object.metadata.managedFields = [];
    const unknown =
      parsed.order !== undefined && unknownFields.length > 0 ? unknownFieldsOf(kind.compiled, value, parsed.order) : unknownFields;
    const { repeatedKeys = [] } = parsed;
    const problems = [...(parsed.problems ?? []), ...strictErrors(parsed, kind.compiled, unknown)];
    const errors = repeatedKeys.length === 0 ? problems : [`yaml: unmarshal errors:\n  ${repeatedKeys.join('\n  ')}`, ...problems];
    if (validation === 'Strict' && errors.length > 0) throw newBadRequest(`${context}strict decoding error: ${errors.join(', ')}`);
    return { object, warnings: validation === 'Warn' ? [...repeatedKeys, ...problems] : [], emptied, sent: value };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const { message } = parsed.order === 'byName' ? errorByName(kind.compiled, value, error) : error;
    throw newBadRequest(`${context}${message}`);
  }
}

/** The members of a body itself; all occurrences of those that stand twice. */
function membersAsRead({ text, duplicates, order }: ParsedBody, value: object): Members {
  const written = text !== undefined && duplicates.length > 0 ? asWritten(text) : undefined;
  const members = written?.members.get(written.value) ?? Object.entries(value);
  return order === 'byName' ? members.toSorted(([a], [b]) => (a < b ? -1 : 1)) : members;
}

/** Decodes a body with the options of a request. @throws StatusError BadRequest, which does not say as what the body was read */
export function decodeOptions(body: Buffer, encoding: Encoding, kind: Kind): ApiObject | Promise<ApiObject> {
  if (encoding === 'cbor') return decodeCborOptions(body, kind);
  try {
    if (encoding === 'protobuf') {
      const { kind: name, apiVersion, raw } = openEnvelope(body);
      requireOptions({ kind: name, apiVersion }, kind);
      return kind.decode(decodeProtobuf(kind.compiled, raw)).object;
    }
    const value = requireMembers(parseBody(body, encoding).value);
    requireOptions(value, kind);
    return kind.decode(value).object;
  } catch (error) {
    if (error instanceof DecodeError || error instanceof ProtobufError) throw newBadRequest(error.message);
    throw error;
  }
}

async function decodeCborOptions(body: Buffer, kind: Kind): Promise<ApiObject> {
  const [{ cborNames }, { decodeCbor }] = await Promise.all([import('./cbor-body.ts'), import('../../schema/cbor/decode.ts')]);
  requireOptions(cborNames(body, kind), kind);
  try {
    return kind.decode(requireMembers(decodeCbor(body, kind.compiled).value)).object;
  } catch (error) {
    if (error instanceof DecodeError || error instanceof CborError) throw newBadRequest(error.message);
    throw error;
  }
}

/** @throws DecodeError */
function requireConvertible(object: ApiObject, { rules }: Kind): void {
  const problem = rules.conversionProblem?.(object);
  if (problem !== undefined) throw new DecodeError(problem);
}

export function cannotBeHandled(kind: Kind): string {
  return `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}`;
}

/** @throws StatusError BadRequest for a body that is neither an object nor null */
function requireMembers(value: unknown): Partial<ApiObject> {
  if (value === null || value === undefined) return {};
  if (isObject(value)) return value as Partial<ApiObject>;
  throw newUnreadableNames(
    `json: cannot unmarshal ${jsonKind(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
  );
}

function decodeEnvelope(body: Buffer, kind: Kind): DecodedBody {
  const { apiVersion, kind: name, raw } = openEnvelope(body);
  requireKind({ kind: name, apiVersion }, kind);
  try {
    const { object } = kind.decode(decodeProtobuf(kind.compiled, raw));
    requireConvertible(object, kind);
    return { object, warnings: [] };
  } catch (error) {
    throw newBadRequest(`${cannotBeHandled(kind)}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @throws UnrecognizedBodyError */
export function openEnvelope(body: Buffer): Envelope {
  try {
    return unwrapEnvelope(body);
  } catch (error) {
    throw error instanceof ProtobufError ? new UnrecognizedBodyError(error.message) : error;
  }
}

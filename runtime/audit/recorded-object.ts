/** Makes the JSON of events from bodies of requests and answers. */

import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { writeJson } from '../contract/json-writer.ts';
import type { ApiObject } from '../contract/object.ts';
import type { Negotiator } from '../negotiation/negotiation.ts';
import type { Kind } from '../registry/kinds/kind.ts';
import { parseJson } from '../schema/json/json-text.ts';
import { isObject } from '../schema/json/member.ts';
import { decodeProtobuf, unwrapEnvelope } from '../schema/protobuf/codec.ts';
import { parseYaml } from '../schema/yaml/parse-yaml.ts';
import type { RecordedJson } from './audit-event.ts';
import type { Sent, SentForm } from './request-recorder.ts';

const unzip = promisify(gunzip);

/** Finds the kinds that decode binary bodies. */
export interface Kinds {
  findKind(group: string, version: string, kind: string): Promise<Kind | undefined>;
  metaKind(kind: string): Promise<Kind>;
}

/** The form of an answer's body, and what is recorded of it. */
export interface RecordedForm {
  readonly contentType: string;
  readonly isZipped: boolean;
  readonly omitManagedFields: boolean;
}

/** @returns what events contain of an object that was sent */
export function sentObject(object: ApiObject, { whole, omitManagedFields }: SentForm): Sent {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = object.metadata ?? {};
  return { objectRef: { name, namespace, uid, resourceVersion }, ...(whole && { json: objectJson(object, omitManagedFields) }) };
}

/** @returns what events contain of a patch */
export const sentPatch = (body: Buffer, { whole }: SentForm): Sent => ({ objectRef: {}, ...(whole && { json: patchJson(body) }) });

function objectJson(object: ApiObject, omitManagedFields: boolean): string {
  return writeJson(omitManagedFields ? withoutManagedFields(object) : object);
}

/**
 * Makes the JSON of an answer's object.
 * @param body must not be changed any more, because the result may be a part of it
 * @returns undefined if the body is not an object
 * @throws Error if the body cannot be read; a promise rejects with it
 */
export function answerJson(
  body: Buffer,
  { contentType, isZipped, omitManagedFields }: RecordedForm,
  negotiator: Pick<Negotiator, 'encodingOf'>,
  kinds: Kinds,
): RecordedJson | undefined | Promise<RecordedJson | undefined> {
  const encoding = negotiator.encodingOf(contentType);
  if (encoding === undefined || body.length === 0) return undefined;
  const read = (plain: Buffer): RecordedJson | undefined | Promise<RecordedJson> => {
    if (encoding === 'cbor') return ofCbor(plain).then((object) => objectJson(object, omitManagedFields));
    if (encoding === 'protobuf') return decoded(plain, kinds).then((object) => objectJson(object, omitManagedFields));
    if (encoding === 'json' && !omitManagedFields) {
      const line = lineOf(plain);
      if (line !== undefined) return line;
    }
    const text = plain.toString();
    const { value } = encoding === 'yaml' ? parseYaml(text) : parseJson(text, plain);
    return isObject(value) ? objectJson(value as ApiObject, omitManagedFields) : undefined;
  };
  return isZipped ? unzip(body).then(read) : read(body);
}

const LINE_FEED = 0x0a;
const SPACE = 0x20;

/** Returns JSON without the white space at its end, so that it can be part of a line. @returns undefined if it has several lines, or is not UTF-8 */
function lineOf(json: Buffer): Buffer | undefined {
  let end = json.length;
  while (end > 0 && (json[end - 1] as number) <= SPACE) end--;
  const feed = json.indexOf(LINE_FEED);
  return (feed === -1 || feed >= end) && isUtf8(json) ? json.subarray(0, end) : undefined;
}

async function decoded(body: Buffer, kinds: Kinds): Promise<ApiObject> {
  const { apiVersion, kind: name, raw } = unwrapEnvelope(body);
  const slash = apiVersion.indexOf('/');
  const kind =
    (await kinds.findKind(apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1), name)) ?? (await kinds.metaKind(name));
  return { kind: name, apiVersion, ...(decodeProtobuf(kind.compiled, raw) as object) } as ApiObject;
}

async function ofCbor(body: Buffer): Promise<ApiObject> {
  const [{ decodeCbor }, { UNLIMITED }] = await Promise.all([import('../schema/cbor/decode.ts'), import('../schema/cbor/well-formed.ts')]);
  return decodeCbor(body, undefined, UNLIMITED).value as ApiObject;
}

/** Makes the JSON of a patch, which may be YAML. @returns undefined if it is neither JSON nor YAML */
function patchJson(body: Buffer): string | undefined {
  const text = body.toString();
  for (const parse of [parseJson, parseYaml])
    try {
      return writeJson(parse(text).value);
    } catch {
      // the next parser is tried; if none can read the patch, the client is told so elsewhere, and nothing is recorded of it
    }
  return undefined;
}

/** Removes the managed fields of an object, of the items of a list, and of the objects in the rows of a table. */
function withoutManagedFields(object: object): object {
  const { kind, metadata, items, rows } = object as { kind?: string; metadata?: object; items?: unknown; rows?: unknown };
  return {
    ...object,
    ...(isObject(metadata) && { metadata: { ...metadata, managedFields: undefined } }),
    ...(Array.isArray(items) && { items: items.map(ofMember) }),
    ...(kind === 'Table' && Array.isArray(rows) && { rows: rows.map(ofRow) }),
  };
}

const ofMember = (member: unknown): unknown => (isObject(member) ? withoutManagedFields(member) : member);

function ofRow(row: unknown): unknown {
  return isObject(row) && isObject(row.object) ? { ...row, object: withoutManagedFields(row.object) } : row;
}

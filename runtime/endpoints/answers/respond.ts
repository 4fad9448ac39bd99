/** Encodes answers in the form that was negotiated, and sends them. */

import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'koa';
import type { BodyPieces } from '../../connections/body-pieces.ts';
import { answerOf } from '../../connections/client-answer.ts';
import type { Identity } from '../../contract/identity.ts';
import { writeJson } from '../../contract/json-writer.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Negotiated, Negotiator } from '../../negotiation/negotiation.ts';
import type { KindTable } from '../../registry/cells/kind-table.ts';
import { goType, type Kind } from '../../registry/kinds/kind.ts';
import { type IncludeObject, partialObjectMetadata, tableRow } from '../../registry/lists/table.ts';
import type { Registry } from '../../registry/resources/registry.ts';
import { encodeProtobuf, wrapEnvelope } from '../../schema/protobuf/codec.ts';
import { newBadRequest, type Status, StatusError } from '../../status/status.ts';
import { requestOf } from '../request/client-request.ts';
import type { Query, RequestInfo } from '../request/request-info.ts';
import { loadCborForms } from './cbor-forms.ts';
import { toYaml } from './yaml-text.ts';

/** What answers need of the server. */
export interface AnswerServer {
  readonly identity: Identity;
  readonly negotiator: Negotiator;
  readonly registry: Registry;
}

/** The bytes above which answers, including errors, are compressed for clients that accept gzip, as in 1.32. */
export const GZIP_THRESHOLD = 128 * 1024;
/** The level of compression, which is the fastest one, as in 1.32. */
export const GZIP_LEVEL = 1;
const compress = promisify(gzip);

/** Matches the weight 0 in a clause of `Accept-Encoding`, which refuses the encoding (RFC 9110, section 12.5.3). */
const REFUSED = /;\s*q=0(?:\.0{0,3})?\s*$/i;

/** Tells whether `Accept-Encoding` names gzip. `*` does not count. */
export function takesGzip(context: Context): boolean {
  const header = context.req.headers['accept-encoding'];
  if (typeof header !== 'string') return false;
  const clause = header.split(',').find((each) => each.split(';', 1)[0]?.trim().toLowerCase() === 'gzip');
  return clause !== undefined && !REFUSED.test(clause);
}

/** Says in the headers that the answer is compressed, and that it depends on `Accept-Encoding`. */
export function markAsGzip(response: ServerResponse): void {
  response.setHeader('content-encoding', 'gzip');
  const others = response.getHeader('vary')?.toString();
  if (others?.includes('Accept-Encoding')) return;
  response.setHeader('vary', others === undefined ? 'Accept-Encoding' : `${others}, Accept-Encoding`);
}

/** @param threshold length in bytes above which the answer is compressed for a client that accepts that */
export function sendBytes(
  context: Context,
  status: number,
  contentType: string,
  bytes: Buffer | string,
  threshold = GZIP_THRESHOLD,
): Promise<void> {
  const size = Buffer.byteLength(bytes);
  if (size > threshold && takesGzip(context)) return sendCompressed(context, status, contentType, bytes);
  answerOf(context).send(status, contentType, bytes, size);
  return SENT;
}

/** Does the same as `sendBytes` for a long body in several pieces. */
export async function sendPieces(context: Context, status: number, contentType: string, pieces: BodyPieces): Promise<void> {
  const { res } = context;
  let body = pieces;
  if (pieces.length > GZIP_THRESHOLD && takesGzip(context)) {
    const { gzipPieces } = await import('../../connections/compressed-pieces.ts');
    body = await gzipPieces(pieces, GZIP_LEVEL);
    markAsGzip(res);
  }
  res.setHeader('content-type', contentType);
  res.setHeader('content-length', body.length);
  answerOf(context).sendPieces(status, body);
}

const SENT = Promise.resolve();

async function sendCompressed(context: Context, status: number, contentType: string, bytes: Buffer | string): Promise<void> {
  const compressed = await compress(bytes, { level: GZIP_LEVEL });
  markAsGzip(context.res);
  answerOf(context).send(status, contentType, compressed);
}

/** Answers with the plain JSON of an object, and a line feed, as in 1.32. Copies the bytes before it returns. */
export function sendJsonLine(context: Context, status: number, json: Buffer): Promise<void> {
  const { trace } = requestOf(context);
  if (trace === undefined) return sendLine(context, status, json);
  const part = trace.beginAnswer(JSON_TYPE, 'json');
  part.begins(json.length + 1);
  return part.until(sendLine(context, status, json));
}

function sendLine(context: Context, status: number, json: Buffer): Promise<void> {
  if (json.length >= GZIP_THRESHOLD && takesGzip(context))
    return sendCompressed(context, status, JSON_TYPE, Buffer.concat([json, LINE_END]));
  answerOf(context).sendLine(status, JSON_TYPE, json);
  return SENT;
}

const JSON_TYPE = 'application/json';
const LINE_END = Buffer.from('\n');

/** Programs that show answers to people: as in 1.32 they get indented JSON unless they say otherwise. */
const VIEWERS = /^(?:curl|Wget|Mozilla\/5\.0)/;
/** What counts as true in the query. */
const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);

/** Whether JSON is to be indented: the Accept header or the query asks for it, or the client is a viewer and the query says nothing. */
export function wantsPretty(context: Context, negotiated: Negotiated): boolean {
  if (negotiated.pretty) return true;
  const asked = (context.state.info as RequestInfo | undefined)?.query.get('pretty') ?? '';
  return asked === '' ? VIEWERS.test(context.req.headers['user-agent'] ?? '') : TRUE.has(asked);
}

/** Indented text ends without a line feed, as in 1.32. */
function jsonText(value: object, pretty: boolean): string {
  return pretty ? writeJson(value, 2) : `${writeJson(value)}\n`;
}

/** Encodes a value without a schema of its own: a Status, a discovery document. */
export function encodeValue(value: object, encoding: 'json' | 'yaml', pretty: boolean): string {
  if (encoding === 'yaml') return toYaml(value);
  return jsonText(value, pretty);
}

/** Encodes a Status. */
export async function encodeStatus(
  server: AnswerServer,
  status: Status,
  negotiated: Negotiated,
  pretty: boolean,
): Promise<{ contentType: string; bytes: Buffer | string }> {
  if (negotiated.encoding === 'protobuf') {
    const kind = await server.registry.current.metaKind('Status');
    return { contentType: server.negotiator.contentType(negotiated), bytes: envelope(kind, status as unknown as ApiObject, 'v1') };
  }
  const contentType = server.negotiator.contentType(negotiated);
  if (negotiated.encoding === 'cbor') return { contentType, bytes: (await loadCborForms()).cborOf(status) };
  return { contentType, bytes: encodeValue(status, negotiated.encoding, pretty) };
}

function envelope(kind: Kind, object: ApiObject, apiVersion: string): Buffer {
  return Buffer.from(wrapEnvelope(apiVersion, kind.kind, encodeProtobuf(kind.compiled, object)));
}

/** Encodes one object of the path's version, or what a transform has made of it, such as a Table. */
export async function encodeObject(
  server: AnswerServer,
  kind: Kind,
  object: ApiObject,
  negotiated: Negotiated,
  pretty: boolean,
): Promise<Buffer | string> {
  if (negotiated.encoding === 'cbor') return (await loadCborForms()).cborOfObject(kind, object);
  if (negotiated.encoding !== 'protobuf') return encodeValue(object, negotiated.encoding, pretty);
  if (object.kind === kind.kind) return envelope(kind, object, object.apiVersion);
  const meta = await server.registry.current.metaKind(object.kind);
  return envelope(meta, object, object.apiVersion);
}

/** What the rows of a Table have besides their cells. Other transforms ignore the parameter. @throws StatusError BadRequest */
export function includeObject(query: Query, { transform }: Negotiated): IncludeObject {
  const value = transform === 'Table' ? (query.get('includeObject') ?? '') : '';
  if (value === '' || value === 'Metadata') return 'Metadata';
  if (value === 'None' || value === 'Object') return value;
  throw newBadRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/**
 * Makes of one object what was asked for: the object itself, a Table or its metadata.
 * @param hub the object in its stored version, of which cells are made
 * @param shown the object in the path's version
 * @param table absent: the table of the kind
 * @throws StatusError NotAcceptable
 */
export function transformObject(
  server: AnswerServer,
  kind: Kind,
  hub: ApiObject,
  shown: ApiObject,
  negotiated: Negotiated,
  query: Query,
  table?: KindTable,
): ApiObject {
  const metaVersion = server.identity.text(`meta.\${groupDomain}/${negotiated.transformVersion}`);
  switch (negotiated.transform) {
    case 'Table':
      return {
        kind: 'Table',
        apiVersion: metaVersion,
        metadata: hub.metadata.resourceVersion === undefined ? {} : { resourceVersion: hub.metadata.resourceVersion },
        columnDefinitions: (table ?? kind.hub.table).columnDefinitions,
        rows: [tableRow(kind.hub, hub, shown, includeObject(query, negotiated), metaVersion, Date.now(), table)],
      };
    case 'PartialObjectMetadata':
      return partialObjectMetadata(kind.hub, hub, metaVersion);
    case 'PartialObjectMetadataList':
      throw notAList(kind);
    default:
      return shown;
  }
}

function notAList(kind: Kind): StatusError {
  return notAcceptable(`you requested PartialObjectMetadataList, but the requested object is not a list (*${goType(kind.hub)})`);
}

/** @throws StatusError NotAcceptable for a form that no list has */
export function requireListForm(kind: Kind, { transform }: Negotiated): void {
  if (transform !== 'PartialObjectMetadata') return;
  throw notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (*${goType(kind.hub)}List)`);
}

function notAcceptable(message: string): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'NotAcceptable',
    code: 406,
  });
}

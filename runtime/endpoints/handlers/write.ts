/** Steps that create, update and patch share: the body, the kind's checks of identity, and who owns which fields. */
import type { RuleContext } from '../../contract/kind.ts';
import type { ApiObject, ObjectMeta } from '../../contract/object.ts';
import { managerOfUserAgent } from '../../kinds/metadata/managed-fields.ts';
import { dropDuplicateOwners } from '../../kinds/metadata/owner-references.ts';
import type { Encoding } from '../../negotiation/negotiation.ts';
import { clearSystemMetadata } from '../../registry/strategy.ts';
import type { MemberPath } from '../../schema/emptied-members.ts';
import { newBadRequest, newUnsupportedMediaType } from '../../status/status.ts';
import { decodeObject } from '../body.ts';
import { requireNamespace } from '../namespace-of-path.ts';
import { type WriteOptions, writeOptions } from '../options.ts';
import { readBody } from '../read-body.ts';
import { type ResourceRequest, requireName } from '../resource-request.ts';
import { addWarnings } from '../warnings.ts';

/** @throws StatusError UnsupportedMediaType */
export function bodyEncoding(request: ResourceRequest): Encoding {
  const { server, context, kind } = request;
  const encoding = server.negotiator.encodingOf(context.req.headers['content-type'] ?? '');
  const available = server.negotiator.available(false);
  if (encoding === undefined) throw newUnsupportedMediaType(available);
  // custom objects have no binary form
  if (encoding === 'protobuf' && !kind.compiled.isGo)
    throw newUnsupportedMediaType(available.filter((type) => server.negotiator.encodingOf(type) !== 'protobuf'));
  return encoding;
}

/** What the client sends, and how it wants it to be written. */
export interface Write {
  readonly options: WriteOptions;
  /** of the kind that the path speaks */
  readonly object: ApiObject;
  /** as `decode` gives it */
  readonly emptied?: readonly MemberPath[] | undefined;
  /** the JSON value that it was decoded from; absent where it was none */
  readonly sent?: unknown;
}

/**
 * Reads the body and the options of a create or an update; the client is warned of what strict validation would refuse.
 * @throws StatusError in the order of 1.32: a create of a type that is not taken is refused before its body and its options are looked at, an update after them
 */
export async function readWrite(request: ResourceRequest, verb: 'create' | 'update'): Promise<Write> {
  const { server, client, registry, kind, info, context } = request;
  const encoding = verb === 'create' ? bodyEncoding(request) : undefined;
  const body = await readBody(request);
  const options = writeOptions(info.query, verb, server.identity);
  client.trace?.current.event('About to convert to expected version');
  const decoding = decodeObject(body, encoding ?? bodyEncoding(request), kind, options.fieldValidation, registry, (texts) =>
    addWarnings(context, texts),
  );
  const decoded = decoding instanceof Promise ? await decoding : decoding;
  client.recorder?.sent(decoded.object);
  client.trace?.current.event('Conversion done');
  return { options, object: decoded.object, emptied: decoded.emptied, sent: decoded.sent };
}

/**
 * Makes what a client sent an object that is new here.
 * @throws StatusError BadRequest when it names another namespace than the path
 */
export function beginNew(request: ResourceRequest, object: ApiObject): void {
  clearSystemMetadata(request.kind, object.metadata);
  requireNamespace(request, object);
}

/** Does what a create or an update asks for, once its body is read: a trace says when it begins and what becomes of it. @throws what `write` rejects with */
export function tracedWrite<T>({ client }: ResourceRequest, write: () => Promise<T>): Promise<T> {
  const part = client.trace?.beginWrite();
  const writing = write();
  part?.follow(writing);
  return writing;
}

/** What rules may ask of the server, and tell the client, while an object is written. @param sent as `RuleContext` has it, of the version of the path */
export function writeContext({ server, kind, client }: ResourceRequest, dryRun: boolean, sent?: () => unknown): RuleContext {
  const context = server.ruleContext(dryRun, client);
  return kind.hub === kind && sent !== undefined ? { ...context, sent } : context;
}

/** @throws StatusError BadRequest when the object names another one than the path */
export function requireSameName(request: ResourceRequest, object: ApiObject): void {
  const { info } = request;
  requireName(info);
  const sent = object.metadata.name ?? '';
  if (sent === '') throw newBadRequest(`the name of the object (${info.name} based on URL) was undeterminable: name must be provided`);
  if (sent !== info.name) throw newBadRequest(`the name of the object (${sent}) does not match the name on the URL (${info.name})`);
}

/**
 * Says who owns which fields of an object that is about to be written, before admission changes more of it.
 * @param old the stored object; undefined for a new one
 * @param object of the hub; changed
 * @param write what the client sent
 * @returns a promise where it waits for something
 */
export function trackFields(
  request: ResourceRequest,
  old: ApiObject | undefined,
  object: ApiObject,
  { options, emptied }: Omit<Write, 'object'>,
): Promise<void> | undefined {
  warnOfDuplicateOwners(request, object.metadata);
  const { server, client, resource, kind, info } = request;
  const fields = server.fieldManagers.of(resource, kind, info.subresource);
  const now = client.chosen('time', Date.now);
  return fields.update(old, object, managerOf(request, options), now, emptied, client);
}

/** References to owners that say the same are written once; the client is told. Changes `metadata`. */
export function warnOfDuplicateOwners({ context }: ResourceRequest, metadata: ObjectMeta): void {
  const warning = dropDuplicateOwners(metadata, 'sent');
  if (warning !== undefined) addWarnings(context, [warning]);
}

export function managerOf({ context }: ResourceRequest, { fieldManager }: WriteOptions): string {
  return fieldManager === '' ? managerOfUserAgent(context.req.headers['user-agent'] ?? '') : fieldManager;
}

/** The steps that create, update and patch share: reading the body, checking name and namespace, and keeping track of who owns which fields. */
import type { RuleContext } from '../../../contract/kind-rules.ts';
import type { ApiObject } from '../../../contract/object.ts';
import { managerOfUserAgent } from '../../../kinds/metadata/managed-fields.ts';
import { dropDuplicateOwners } from '../../../kinds/metadata/owner-references.ts';
import type { Encoding } from '../../../negotiation/negotiation.ts';
import { clearSystemMetadata } from '../../../registry/resource-store/strategy.ts';
import type { MemberPath } from '../../../schema/emptied-members.ts';
import { newBadRequest, newUnsupportedMediaType } from '../../../status/status.ts';
import { decodeObject } from '../../bodies/body.ts';
import { requireNamespace } from '../../namespace-of-path.ts';
import { type WriteOptions, writeOptions } from '../../options.ts';
import { readBody } from '../../read-body.ts';
import { addWarnings } from '../../request/warnings.ts';
import { type ResourceRequest, requireName } from '../../resource-request.ts';

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

/** What a client wants to write, and how. */
export interface Write {
  readonly options: WriteOptions;
  /** the object, of the request's kind in the version of the path */
  readonly object: ApiObject;
  /** the paths of empty lists and maps that the client has sent, and that are decoded as null; see `Kind.decode` */
  readonly emptied?: readonly MemberPath[] | undefined;
  /** the JSON value that the object was decoded from; absent if the body was in another form, such as protobuf */
  readonly sent?: unknown;
}

/**
 * Reads the body and the options of a create or an update. Warns the client of what strict field validation would refuse.
 * @throws StatusError in the order of 1.32: a create with an unsupported media type is refused before its body and its options are read, an update after them
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
 * Prepares an object that a client sent for its creation: drops metadata that only the server sets, and gives it the namespace of the path.
 * @throws StatusError BadRequest when it names another namespace than the path
 */
export function beginNew(request: ResourceRequest, object: ApiObject): void {
  clearSystemMetadata(request.kind, object.metadata);
  requireNamespace(request, object);
}

/** Calls `write`, as a part of the request's trace where there is one. The promise rejects with what `write` rejects with. */
export function tracedWrite<T>({ client }: ResourceRequest, write: () => Promise<T>): Promise<T> {
  const part = client.trace?.beginWrite();
  const writing = write();
  part?.follow(writing);
  return writing;
}

/** The context of rules for a write. @param sent as of `RuleContext`, in the version of the path */
export function writeContext({ server, kind, client }: ResourceRequest, dryRun: boolean, sent?: () => unknown): RuleContext {
  const context = server.ruleContext(dryRun, client);
  return kind.hub.apiVersion === kind.apiVersion && sent !== undefined ? { ...context, sent } : context;
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
 * Sets the managedFields of an object that is about to be written. To be called before admission, so that fields that admission changes are not the client's.
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
  const { server, client, resource, kind, info } = request;
  const fields = server.fieldManagers.of(resource, kind, info.subresource);
  const now = client.chosen('time', Date.now);
  return fields.update(old, object, managerOf(request, options), now, emptied, client);
}

/** `trackFields` of an object that was sent as a whole: owner references that stand twice in it are dropped before, and the client is warned of them. */
export function trackSentFields(
  request: ResourceRequest,
  old: ApiObject | undefined,
  object: ApiObject,
  write: Omit<Write, 'object'>,
): Promise<void> | undefined {
  const warning = dropDuplicateOwners(object.metadata, 'sent');
  if (warning !== undefined) addWarnings(request.context, [warning]);
  return trackFields(request, old, object, write);
}

export function managerOf({ context }: ResourceRequest, { fieldManager }: WriteOptions): string {
  return fieldManager === '' ? managerOfUserAgent(context.req.headers['user-agent'] ?? '') : fieldManager;
}

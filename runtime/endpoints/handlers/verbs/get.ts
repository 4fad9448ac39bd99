import type { ApiObject } from '../../../contract/object.ts';
import { parseResourceVersion, waitUntilFresh } from '../../../registry/resource-store/resource-version.ts';
import { isLong } from '../../../registry/stored-objects/long-value.ts';
import { StoredObject } from '../../../registry/stored-objects/stored-object.ts';
import { newBadRequest, newNotFound } from '../../../status/status.ts';
import { withinPart } from '../../../storage/traced-part.ts';
import { sendJsonLine, wantsPretty } from '../../answers/respond.ts';
import { LongBody } from '../../long-body.ts';
import { isLongTable } from '../../long-form.ts';
import { isTrue } from '../../request/request-info.ts';
import { type ResourceRequest, requireName, sendHubObject } from '../../resource-request.ts';

/**
 * GET of one object: its stored bytes as they are where the client speaks the stored version in plain JSON.
 * @throws LongBody where another thread is to answer
 */
export async function get(request: ResourceRequest): Promise<void> {
  const { info, kind, negotiated, resource } = request;
  requireName(info);
  requireNoExport(info);
  const fresh = untilFresh(request);
  if (fresh !== undefined) await fresh;
  const plain = negotiated.encoding === 'json' && negotiated.transform === 'none' && !wantsPretty(request.context, negotiated);
  const asStored = plain && kind.hub === kind;
  const { trace } = request.client;
  const found = trace === undefined ? look(request, asStored) : withinPart(trace.current, () => look(request, asStored));
  if (found === undefined) throw newNotFound(resource.groupResource, info.name);
  return found instanceof Promise ? found : sendHubObject(request, found, 200);
}

/** @returns undefined where there is no such object, a promise where the answer is being sent */
function look(request: ResourceRequest, asStored: boolean): ApiObject | Promise<void> | undefined {
  const { store, info } = request;
  if (store.converts) return sendConverted(request, asStored);
  return store.look(info.namespace, info.name, (stored) => {
    if (asStored && store.isCurrent(stored)) return sendJsonLine(request.context, 200, stored.json);
    requireShownSoon(request, stored);
    return decoded(request, () => store.decodeStored(stored));
  });
}

/** Answers with an object that a converter has to convert from the stored version. */
async function sendConverted({ client, store, info, resource, ...request }: ResourceRequest, asStored: boolean): Promise<void> {
  const known = store.entry(info.namespace, info.name);
  if (known !== undefined) requireShownSoon({ ...request, client, store, info, resource }, new StoredObject(known.value));
  const entry = await store.current(info.namespace, info.name, client);
  if (entry === undefined) throw newNotFound(resource.groupResource, info.name);
  if (asStored) return sendJsonLine(request.context, 200, new StoredObject(entry.value).json);
  const object = decoded({ client }, () => store.decodeEntry(entry));
  return sendHubObject({ client, store, info, resource, ...request }, object, 200);
}

/** Counts what it takes to the time of the request. */
function decoded({ client }: Pick<ResourceRequest, 'client'>, decode: () => ApiObject): ApiObject {
  const began = performance.now();
  const object = decode();
  client.took('decode-response-object', performance.now() - began);
  return object;
}

/** @throws LongBody for what takes long to be shown in the form that was asked for, on a thread that others wait for */
export function requireShownSoon({ server, kind, negotiated, context }: ResourceRequest, { json }: StoredObject): void {
  if (server.longRequests === undefined) return;
  if (isLongTable({ kind, negotiated })) throw new LongBody();
  const isText = negotiated.encoding === 'json' || negotiated.encoding === 'yaml';
  const isYaml = negotiated.encoding === 'yaml';
  if (isLong(json, isYaml ? 'yaml' : 'reading') || (isText && wantsPretty(context, negotiated) && isLong(json, 'indenting')))
    throw new LongBody();
}

/** Earlier releases left out what only their own cluster knew of an object that was asked for so. @throws StatusError BadRequest */
export function requireNoExport({ query }: Pick<ResourceRequest['info'], 'query'>): void {
  if (isTrue(query, 'export')) throw newBadRequest('the export parameter, deprecated since v1.14, is no longer supported');
}

/** Waits for the version that the query names, if it names one. @throws StatusError BadRequest, Timeout */
export function untilFresh({ server, client, info, resource }: ResourceRequest): Promise<void> | undefined {
  const wanted = info.query.get('resourceVersion');
  if (wanted === undefined) return undefined;
  return waitUntilFresh(server.storage, parseResourceVersion(wanted) ?? 0, resource.data.watchCache, client);
}

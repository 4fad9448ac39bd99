import { parseResourceVersion, waitUntilFresh } from '../../registry/resource-version.ts';
import { StoredObject } from '../../registry/stored-object.ts';
import { newNotFound } from '../../status/status.ts';
import { type ResourceRequest, requireName, sendHubObject } from '../resource-request.ts';
import { sendStored, wantsPretty } from '../respond.ts';

/** GET of one object: its stored bytes as they are where the client speaks the stored version in plain JSON. */
export async function get(request: ResourceRequest): Promise<void> {
  const { store, info, kind, negotiated, resource } = request;
  requireName(info);
  const fresh = untilFresh(request);
  if (fresh !== undefined) await fresh;
  const entry = store.entry(info.namespace, info.name);
  if (entry === undefined) throw newNotFound(resource.groupResource, info.name);
  const stored = new StoredObject(entry.value);
  const plain = negotiated.encoding === 'json' && negotiated.transform === 'none' && !wantsPretty(request.context, negotiated);
  if (plain && kind.hub === kind && store.isCurrent(stored)) return sendStored(request.context, 200, stored.json);
  return sendHubObject(request, store.decodeStored(stored), 200);
}

/** Waits for the version that the query names, if it names one. @throws StatusError BadRequest, Timeout */
export function untilFresh({ server, info, resource }: ResourceRequest): Promise<void> | undefined {
  const wanted = info.query.get('resourceVersion');
  if (wanted === undefined) return undefined;
  return waitUntilFresh(server.storage, parseResourceVersion(wanted) ?? 0, resource.data.watchCache);
}

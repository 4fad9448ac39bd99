/** Writes of controllers to objects that are much work. They are sent as requests to another thread, so that requests of clients do not wait for them. */
import { isDeepStrictEqual } from 'node:util';
import type { ApiObject, ObjectMeta } from '../../contract/object.ts';
import type { User } from '../../contract/request-context.ts';
import { inTurns } from '../../event-loop/turns.ts';
import type { DeleteOptions } from '../../registry/resource-store/deletion.ts';
import type { ResourceStore } from '../../registry/resource-store/resource-store.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import type { NamedObject } from '../../registry/resources/resource-keys.ts';
import { isLong } from '../../registry/stored-objects/long-value.ts';
import { readInTurns } from '../../registry/stored-objects/sliced-reading.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { isConflict, newNotFound, type Status, StatusError } from '../../status/status.ts';
import type { ControllerServer, OtherThread } from '../controller/controller-server.ts';
import { type Operation, statusPatch } from './status-patch.ts';

/** The user as whom controllers write that are no part of a kube-apiserver. */
export const USER: User = { name: 'system:kube-controller-manager', uid: '', groups: ['system:authenticated'], extra: {} };

/** As whom a controller writes. */
export interface Author {
  readonly user: User;
  /** owner of the fields that are changed */
  readonly manager: string;
}

/** How many times a change is tried while other writers are faster. */
const ATTEMPTS = 20;

type Server = Pick<ControllerServer, 'longRequests' | 'registry'>;

/** @returns the stored object where it is much work, and another thread is there for it; its bytes do not change */
export function longObject({ longRequests, registry }: Server, store: ResourceStore, object: NamedObject): StoredObject | undefined {
  const { group, version } = object.resource.groupVersion;
  // a resource that is not served has no path for a request
  if (longRequests === undefined || registry.current.resource(group, version, object.resource.data.name) !== object.resource)
    return undefined;
  const entry = store.entry(object.namespace, object.name);
  const stored = entry && new StoredObject(entry.value);
  return stored !== undefined && (isLong(stored.json, 'reading') || store.hub.isMuchWork) ? stored : undefined;
}

/** @param user who deletes it. @param skipsAdmission whether admission is not asked. @returns whether the object is long, and another thread has done what a delete does. @throws StatusError */
export async function deletedElsewhere(
  server: Server,
  store: ResourceStore,
  object: NamedObject,
  { condition: _, ...options }: DeleteOptions,
  user: User,
  skipsAdmission = false,
): Promise<boolean> {
  if (longObject(server, store, object) === undefined) return false;
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...options };
  const request = { method: 'DELETE', path: pathOf(object), contentType: 'application/json', body, user } as const;
  requireDone(await thread(server).send(skipsAdmission ? { ...request, skipsAdmission } : request));
  return true;
}

/** @param found as of `longObject`. @returns the object's resourceVersion. @throws StatusError */
export async function editElsewhere(
  server: Server,
  store: ResourceStore,
  object: NamedObject,
  found: StoredObject,
  edit: (metadata: ObjectMeta) => void,
  { user, manager }: Author,
): Promise<string> {
  const path = `${pathOf(object)}?fieldManager=${encodeURIComponent(manager)}`;
  let stored = found;
  for (let attempt = 1; ; attempt++) {
    const { metadata } = await readInTurns(stored, []);
    const changed = changesOf(metadata, edit);
    if (changed === undefined) return stored.resourceVersion;
    const body = { metadata: { resourceVersion: stored.resourceVersion, ...changed } };
    try {
      requireDone(await thread(server).send({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body, user }));
    } catch (error) {
      if (!isConflict(error) || attempt >= ATTEMPTS) throw error;
    }
    stored = storedNow(store, object);
  }
}

/**
 * @param found as of `longObject`. @param edit as of `ControllerWriter.editStatus`. @param shared as of `statusPatch`
 * @returns the object as it is stored then, but for managedFields, with its spec and status. @throws StatusError
 */
export async function editStatusElsewhere(
  server: Server,
  store: ResourceStore,
  object: NamedObject,
  found: StoredObject,
  edit: (old: ApiObject) => ApiObject | Promise<ApiObject>,
  shared: readonly string[],
  { user, manager }: Author,
): Promise<ApiObject> {
  const path = `${pathOf(object)}/status?fieldManager=${encodeURIComponent(manager)}`;
  let stored = found;
  for (let attempt = 1; ; attempt++) {
    const old = await readInTurns(stored, ['spec', 'status']);
    const edited = await edit(old);
    const operations = [...finalizersPatch(edited, old), ...(await inTurns(statusPatch(edited, old, shared)))];
    if (operations.length === 0) return old;
    const body = [{ op: 'replace', path: '/metadata/resourceVersion', value: stored.resourceVersion }, ...operations];
    try {
      requireDone(await thread(server).send({ method: 'PATCH', path, contentType: 'application/json-patch+json', body, user }));
    } catch (error) {
      if (!isConflict(error) || attempt >= ATTEMPTS) throw error;
    }
    stored = storedNow(store, object);
  }
}

/** @throws StatusError NotFound */
function storedNow(store: ResourceStore, object: NamedObject): StoredObject {
  const entry = store.entry(object.namespace, object.name);
  if (entry === undefined) throw newNotFound(object.resource.groupResource, object.name);
  return new StoredObject(entry.value);
}

/** Has another thread create an object: admission has to read what takes long. @throws StatusError */
export async function createElsewhere(server: Server, resource: Resource, object: ApiObject, { user, manager }: Author): Promise<void> {
  const { namespace = '' } = object.metadata;
  const path = `${pathOf({ resource, namespace, name: '' }).slice(0, -1)}?fieldManager=${encodeURIComponent(manager)}`;
  requireDone(await thread(server).send({ method: 'POST', path, contentType: 'application/json', body: object, user }));
}

/** Sends a merge patch of a part of an object, such as its status. @throws StatusError */
export async function sendElsewhere(
  server: Server,
  object: NamedObject,
  subresource: string,
  body: object,
  { user, manager }: Author,
): Promise<void> {
  const path = `${pathOf(object)}/${subresource}?fieldManager=${encodeURIComponent(manager)}`;
  requireDone(await thread(server).send({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body, user }));
}

/** What an edit of a status says of finalizers besides. */
function finalizersPatch({ metadata: { finalizers: edited = [] } }: ApiObject, { metadata: { finalizers = [] } }: ApiObject): Operation[] {
  return isDeepStrictEqual(edited, finalizers) ? [] : [{ op: 'add', path: '/metadata/finalizers', value: edited }];
}

/** What is edited, as a merge patch; undefined where nothing is. */
function changesOf(metadata: ObjectMeta, edit: (metadata: ObjectMeta) => void): object | undefined {
  const { finalizers, ownerReferences } = metadata;
  const before = JSON.stringify([finalizers, ownerReferences]);
  edit(metadata);
  if (JSON.stringify([metadata.finalizers, metadata.ownerReferences]) === before) return undefined;
  return { finalizers: metadata.finalizers ?? null, ownerReferences: metadata.ownerReferences ?? null };
}

const thread = ({ longRequests }: Server): OtherThread => longRequests as OtherThread;

function pathOf({ resource, namespace, name }: NamedObject): string {
  const { group, version } = resource.groupVersion;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = namespace === '' ? '' : `/namespaces/${namespace}`;
  return `${root}${place}/${resource.data.name}/${name}`;
}

/** @throws StatusError */
function requireDone(failure: Status | undefined): void {
  if (failure !== undefined) throw new StatusError(failure);
}

import { invalid } from '../../../contract/field-error.ts';
import type { DeletionOptions } from '../../../contract/kind-rules.ts';
import type { ApiObject } from '../../../contract/object.ts';
import { deleteObjects } from '../../../registry/lists/collection-deletion.ts';
import type { ObjectList } from '../../../registry/lists/list.ts';
import type { DeleteOptions } from '../../../registry/resource-store/deletion.ts';
import { compileSelection } from '../../../registry/selection/selection.ts';
import { hasReason, newForbidden, newInvalid, newSuccess, newUnsupportedMediaType, type Status } from '../../../status/status.ts';
import { decodeOptions } from '../../bodies/body.ts';
import { ifMatch } from '../../if-match.ts';
import {
  type DeleteOptionsBody,
  deleteOptions,
  type GivenDeleteOptions,
  IGNORES_READ_ERRORS,
  newInvalidDeleteOptions,
} from '../../options.ts';
import { readBody } from '../../read-body.ts';
import { addWarnings } from '../../request/warnings.ts';
import { listOptionsOf, type ResourceRequest, requireName, sendHubObject, sendStatus } from '../../resource-request.ts';
import { admissionOf } from './admit.ts';
import { openList, sendList } from './list.ts';

/** Handles DELETE of one object. */
export async function deleteOne(request: ResourceRequest): Promise<void> {
  const { server, client, store, info } = request;
  requireName(info);
  const span = client.trace?.current;
  const sent = await optionsBody(request);
  if (sent !== undefined) for (const name of OPTIONS_EVENTS) span?.event(name);
  const options = deleteOptions(info.query, sent, server);
  warn(request, options);
  const refusal = store.hub.rules.refusesDeletion?.(info.name);
  if (refusal !== undefined) throw newForbidden(request.resource.groupResource, info.name, refusal);
  if (options[IGNORES_READ_ERRORS] === true) return deleteUnreadable(request, options);
  const admission = admissionOf(request, 'delete', options);
  span?.event('About to delete object from database');
  const { answer, gone } = await store.deletions.delete(
    info.namespace,
    info.name,
    { ...options, condition: ifMatch(request) },
    server.ruleContext(options.dryRun, client),
    async (old, taken) => (client.skipsAdmission ? undefined : admission.taking(taken).admit(undefined, old)),
  );
  span?.event('Object deleted from database');
  const code = statusCode(options, gone);
  if (isStatus(answer)) return sendStatus(request, answer, code);
  return sendHubObject(request, answer, code);
}

const UNSAFE_VERB = 'unsafe-delete-ignore-read-errors';

/**
 * DELETE of an object that cannot be read, which nothing else takes away: no finalizer is looked at. Whoever does that needs leave of its own (KEP-3926).
 * @throws StatusError Forbidden, and Invalid for what can be read
 */
async function deleteUnreadable(request: ResourceRequest, options: GivenDeleteOptions): Promise<void> {
  const { server, client, store, info, resource } = request;
  client.annotate(server.identity.text('apiserver.${groupDomain}/unsafe-delete-ignore-read-error'), '');
  await authorizeUnsafe(request);
  const admission = admissionOf(request, 'delete', options);
  const context = server.ruleContext(false, client);
  if (!(await store.unreadable.delete(info.namespace, info.name, context, (old) => admission.admit(undefined, old)))) {
    const { group, resource: kind } = resource.groupResource;
    throw newInvalid({ group, kind }, info.name, [
      invalid(IGNORES_READ_ERRORS, true, 'is exclusively used to delete corrupt object(s), try again by removing this option'),
    ]);
  }
  await sendStatus(request, { ...newSuccess({ name: info.name, kind: request.kind.kind }), code: 200 }, 200);
}

async function authorizeUnsafe({ server, client, user, info, resource }: ResourceRequest): Promise<void> {
  const { isResource, path, group, version, namespace, resource: of, subresource, name } = info;
  const attributes = { user, isResource, verb: UNSAFE_VERB, path, group, version, namespace, resource: of, subresource, name };
  const { decision, reason, error } = await server.authorizer.authorize(attributes, client);
  if (decision === 'allow') return;
  const cause =
    error === undefined
      ? `not permitted to do "${UNSAFE_VERB}", reason: ${reason}`
      : `error while checking permission for "${UNSAFE_VERB}"`;
  throw newForbidden(resource.groupResource, name, cause);
}

/** The events in traces of the delete of one object, as in 1.32; deletes of collections do not have them. */
const OPTIONS_EVENTS = ['Decoded delete options', 'Recorded the audit event'];

function warn({ store, context }: ResourceRequest, options: DeletionOptions): void {
  addWarnings(context, store.hub.rules.deletionWarnings?.(options) ?? []);
}

/** What waits is "accepted" only for clients that ask for its dependents in the older way: others know no such answer. */
function statusCode({ orphanDependents }: DeleteOptions, gone: boolean): number {
  return !gone && orphanDependents === false ? 202 : 200;
}

function isStatus(answer: ApiObject | Status): answer is Status {
  return answer.kind === 'Status' && answer.apiVersion === 'v1';
}

/** @returns undefined for a request without a body. @throws StatusError BadRequest, UnsupportedMediaType */
async function optionsBody(request: ResourceRequest): Promise<DeleteOptionsBody | undefined> {
  const { server, context } = request;
  const body = await readBody(request);
  if (body.length === 0) return undefined;
  const encoding = server.negotiator.encodingOf(context.req.headers['content-type'] ?? '');
  if (encoding === undefined) throw newUnsupportedMediaType(server.negotiator.available(false));
  const kind = await server.registry.current.metaKind('DeleteOptions');
  const decoding = decodeOptions(body, encoding, kind);
  const options = decoding instanceof Promise ? await decoding : decoding;
  request.client.recorder?.sent({ ...options, apiVersion: `${kind.group}/${RECORDED_VERSION}` });
  return options as DeleteOptionsBody;
}

/** 1.32 records options of deletes in the form that it works with, whatever version they were sent in. */
const RECORDED_VERSION = '__internal';

/**
 * DELETE of a collection: each selected object as one delete would go. The answer is the list as it was: the same snapshot, read again, so
 * that nothing of it is held in memory meanwhile.
 */
export async function deleteCollection(request: ResourceRequest): Promise<void> {
  const { server, store, info, resource } = request;
  const listed = listOptionsOf(request);
  const selection = compileSelection(resource, listed.labels, listed.fields, store.fieldsOf);
  const options = deleteOptions(info.query, await optionsBody(request), server);
  if (options[IGNORES_READ_ERRORS] === true)
    throw newInvalidDeleteOptions(server.identity, [
      invalid(IGNORES_READ_ERRORS, true, 'is not allowed with DELETECOLLECTION, try again after removing the option'),
    ]);
  const objects = await openList(request, listed, selection);
  try {
    await deleteListed(request, objects, options);
  } finally {
    objects.close();
  }
}

async function deleteListed(request: ResourceRequest, objects: ObjectList, options: ReturnType<typeof deleteOptions>): Promise<void> {
  const { server, client, store } = request;
  warn(request, options);
  const context = server.ruleContext(options.dryRun, client);
  const admission = admissionOf(request, 'delete', options);
  // As in 1.32, the deletion ends when the request times out or its client goes: the objects that are left then stay.
  const admit = (old: ApiObject) => admission.admit(undefined, old);
  await deleteObjects(store, objects, { options, context, admit, signal: client.signal });
  try {
    await sendList(request, objects);
  } catch (error) {
    // What was deleted is deleted, though the history may be too short to show it.
    if (!hasReason(error, 'Expired')) throw error;
    await sendStatus(request, { ...newSuccess({ kind: request.kind.kind }), code: 200 }, 200);
  }
}

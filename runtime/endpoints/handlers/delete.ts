import type { DeletionOptions } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { deleteObjects } from '../../registry/collection-deletion.ts';
import type { DeleteOptions } from '../../registry/deletion.ts';
import type { ObjectList } from '../../registry/list.ts';
import { compileSelection } from '../../registry/selection.ts';
import { hasReason, newForbidden, newSuccess, newUnsupportedMediaType, type Status } from '../../status/status.ts';
import { decodeOptions } from '../body.ts';
import { ifMatch } from '../if-match.ts';
import { type DeleteOptionsBody, deleteOptions } from '../options.ts';
import { readBody } from '../read-body.ts';
import { listOptionsOf, type ResourceRequest, requireName, sendHubObject, sendStatus } from '../resource-request.ts';
import { addWarnings } from '../warnings.ts';
import { admissionOf } from './admit.ts';
import { openList, sendList } from './list.ts';

/** DELETE of one object. */
export async function deleteOne(request: ResourceRequest): Promise<void> {
  const { server, client, store, info } = request;
  requireName(info);
  const span = client.trace?.current;
  const sent = await optionsBody(request);
  if (sent !== undefined) for (const name of OPTIONS_EVENTS) span?.event(name);
  const options = deleteOptions(info.query, sent, server.identity);
  warn(request, options);
  const refusal = store.hub.rules.refusesDeletion?.(info.name);
  if (refusal !== undefined) throw newForbidden(request.resource.groupResource, info.name, refusal);
  const admission = admissionOf(request, 'delete', options);
  span?.event('About to delete object from database');
  const { answer, gone } = await store.delete(
    info.namespace,
    info.name,
    { ...options, condition: ifMatch(request) },
    server.ruleContext(options.dryRun, client),
    (old) => admission.admit(undefined, old),
  );
  span?.event('Object deleted from database');
  const code = statusCode(options, gone);
  if (isStatus(answer)) return sendStatus(request, answer, code);
  return sendHubObject(request, answer, code);
}

/** As 1.32 has them of one object, and of no collection. */
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
  const options = decodeOptions(body, encoding, kind);
  request.client.recorder?.sent(options);
  return options as DeleteOptionsBody;
}

/**
 * DELETE of a collection: each selected object as one delete would go. The answer is the list as it was: the same snapshot, read again, so
 * that nothing of it is held in memory meanwhile.
 */
export async function deleteCollection(request: ResourceRequest): Promise<void> {
  const { server, store, info, resource } = request;
  const listed = listOptionsOf(request);
  const selection = compileSelection(resource, listed.labels, listed.fields, store.fieldsOf);
  const options = deleteOptions(info.query, await optionsBody(request), server.identity);
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
  // As in 1.32: what is not deleted when the client is told that it took too long, or is gone, stays.
  await deleteObjects(store, objects, options, context, (old) => admission.admit(undefined, old), client.signal);
  try {
    await sendList(request, objects);
  } catch (error) {
    // What was deleted is deleted, though the history may be too short to show it.
    if (!hasReason(error, 'Expired')) throw error;
    await sendStatus(request, { ...newSuccess({ kind: request.kind.kind }), code: 200 }, 200);
  }
}

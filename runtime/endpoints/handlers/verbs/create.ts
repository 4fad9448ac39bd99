import type { Written } from '../../../registry/resource-store/object-writes.ts';
import { type ResourceRequest, sendWritten } from '../../resource-request.ts';
import { WriteAdmission } from './admit.ts';
import { beginNew, readWrite, tracedWrite, trackSentFields, type Write, writeContext } from './write.ts';

/** Handles POST to a collection. */
export async function create(request: ResourceRequest): Promise<void> {
  const write = await readWrite(request, 'create');
  beginNew(request, write.object);
  const written = await tracedWrite(request, () => store(request, write));
  return sendWritten(request, written, request.server.identity.createStatus);
}

async function store(request: ResourceRequest, write: Write): Promise<Written> {
  const { options, object } = write;
  const { kind } = request;
  const hub = kind.toHub(object);
  const tracking = trackSentFields(request, undefined, hub, write);
  if (tracking !== undefined) await tracking;
  const admission = new WriteAdmission(request, 'create', options);
  const mutating = admission.mutate(hub, undefined, write.emptied);
  if (mutating !== undefined) await mutating;
  const context = writeContext(request, options.dryRun, () => write.sent);
  return request.store.create(hub, context, admission.validate);
}

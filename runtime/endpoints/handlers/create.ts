import { requireNamespace } from '../namespace-of-path.ts';
import { type ResourceRequest, sendWritten } from '../resource-request.ts';
import { WriteAdmission } from './admit.ts';
import { readWrite, trackFields, writeContext } from './write.ts';

/** POST to a collection. */
export async function create(request: ResourceRequest): Promise<void> {
  const { server, client, store, kind } = request;
  const write = await readWrite(request, 'create');
  const { options, object } = write;
  requireNamespace(request, object);
  const hub = kind.toHub(object);
  await trackFields(request, undefined, hub, write);
  const admission = new WriteAdmission(request, 'create', options);
  await admission.mutate(hub, undefined);
  const context = writeContext(request, options.dryRun, () => write.sent);
  const part = client.trace?.beginWrite();
  const writing = store.create(hub, context, admission.validate);
  part?.follow(writing);
  const written = await writing;
  return sendWritten(request, written, server.identity.createStatus);
}

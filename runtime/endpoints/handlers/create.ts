import { type ResourceRequest, sendWritten } from '../resource-request.ts';
import {
  admissionAttributes,
  creationContext,
  mutatingAdmission,
  readWrite,
  requireNamespace,
  trackFields,
  validatingAdmission,
} from './write.ts';

/** POST to a collection. */
export async function create(request: ResourceRequest): Promise<void> {
  const { server, store, kind } = request;
  const write = await readWrite(request, 'create');
  const { options, object } = write;
  requireNamespace(request, object);
  const hub = kind.toHub(object);
  await trackFields(request, undefined, hub, write);
  await mutatingAdmission(request, admissionAttributes(request, 'create', options.dryRun, hub, undefined));
  const context = creationContext(request, options.dryRun, () => write.sent);
  const written = await store.create(hub, context, validatingAdmission(request, 'create', options.dryRun));
  return sendWritten(request, written, server.identity.createStatus);
}

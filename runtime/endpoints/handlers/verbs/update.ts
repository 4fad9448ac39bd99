import type { ApiObject } from '../../../contract/object.ts';
import type { Written } from '../../../registry/resource-store/object-writes.ts';
import type { UpdateOptions } from '../../../registry/resource-store/resource-store.ts';
import { copyValue } from '../../../schema/copy.ts';
import { ifMatch } from '../../if-match.ts';
import { requireNamespace } from '../../namespace-of-path.ts';
import type { WriteOptions } from '../../options.ts';
import { type ResourceRequest, requireObjectPath, sendWritten } from '../../resource-request.ts';
import { WriteAdmission } from './admit.ts';
import { readWrite, requireSameName, tracedWrite, trackSentFields, writeContext } from './write.ts';

/** Handles PUT of one object, of its status, or of a part that the rules of its kind name. */
export async function update(request: ResourceRequest): Promise<void> {
  const { server, store, kind, info } = request;
  requireObjectPath(info);
  const write = await readWrite(request, 'update');
  const { options, object } = write;
  requireNamespace(request, object);
  requireSameName(request, object);
  const sent = kind.toHub(object);
  const { resourceVersion = '', uid } = sent.metadata;
  const admission = new WriteAdmission(request, 'update', options);
  const produce = async (old: ApiObject): Promise<ApiObject> => {
    const fresh = copyValue(sent);
    const tracking = trackSentFields(request, old, fresh, write);
    if (tracking !== undefined) await tracking;
    const mutating = admission.mutate(fresh, old, write.emptied);
    if (mutating !== undefined) await mutating;
    return fresh;
  };
  const createMissing = async (): Promise<Written> => {
    const fresh = copyValue(sent);
    delete fresh.metadata.resourceVersion;
    await trackSentFields(request, undefined, fresh, write);
    const creation = new WriteAdmission(request, 'create', options);
    await creation.mutate(fresh, undefined, write.emptied);
    return store.create(
      fresh,
      writeContext(request, options.dryRun, () => write.sent),
      creation.validateCreation,
      { byUpdate: true },
    );
  };
  const unconditional = ['', '0'].includes(resourceVersion);
  const updating = {
    ...updateOptions(request, options, admission, () => write.sent),
    ...(store.resource.data.putCreates && { createMissing }),
    retry: unconditional && store.resource.data.unconditionalUpdate,
    uid,
  };
  const written = await tracedWrite(request, () => store.update(info.namespace, info.name, produce, updating));
  return sendWritten(request, written, written.outcome === 'created' ? server.identity.createStatus : 200);
}

/** What PUT and PATCH have in common. @param sent the new object before it was decoded, of the version of the path; absent where the body is none */
export function updateOptions(
  request: ResourceRequest,
  options: WriteOptions,
  { validate: admit }: Pick<WriteAdmission, 'validate'>,
  sent?: () => unknown,
): Omit<UpdateOptions, 'retry'> {
  const { info } = request;
  return {
    target: info.subresource === '' ? 'object' : info.subresource === 'status' ? 'status' : { part: info.subresource },
    context: writeContext(request, options.dryRun, sent),
    admit,
    condition: ifMatch(request),
  };
}

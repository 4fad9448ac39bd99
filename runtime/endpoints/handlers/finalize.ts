import type { ApiObject } from '../../contract/object.ts';
import { copyValue } from '../../schema/copy.ts';
import { decodeObject, readBody } from '../body.ts';
import { writeOptions } from '../options.ts';
import { type ResourceRequest, sendWritten } from '../resource-request.ts';
import { addWarnings } from '../warnings.ts';
import { updateOptions } from './update.ts';
import { bodyEncoding, requireNamespace, requireSameName } from './write.ts';

/** PUT of the subresource `finalize`: changes spec.finalizers, which the main resource keeps; a deleted object that has none left goes. */
export async function finalize(request: ResourceRequest): Promise<void> {
  const { server, store, kind, info, context } = request;
  const options = writeOptions(info.query, 'update', server.identity);
  const { object, warnings } = decodeObject(await readBody(context.req), bodyEncoding(request), kind, options.fieldValidation);
  requireNamespace(request, object);
  requireSameName(request, object);
  const produce = (old: ApiObject): ApiObject => {
    const fresh = copyValue(object);
    if (old.status === undefined) delete fresh.status;
    else fresh.status = old.status;
    return fresh;
  };
  const written = await store.update(info.namespace, info.name, produce, {
    ...updateOptions(request, options),
    subresource: 'part',
    retry: (object.metadata.resourceVersion ?? '') === '',
    checkUid: true,
  });
  addWarnings(context, warnings);
  return sendWritten(request, written, 200);
}

/** Writes for admission how much is used of a quota. */

import type { ApiObject } from '../../contract/object.ts';
import type { NamedObject } from '../../registry/resources/resource-keys.ts';
import { type Amounts, listOf } from '../../schema/scalar/amounts.ts';
import { newConflict, newNotFound, OBJECT_MODIFIED } from '../../status/status.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import type { ControllerWriter } from '../writes/controller-writer.ts';
import { serverWriter } from '../writes/server-writer.ts';

const writers = new WeakMap<ControllerServer, ControllerWriter>();

/**
 * @param quota as it was read
 * @throws StatusError Conflict where it is not stored like that any longer, NotFound where it is gone
 */
export async function useQuota(server: ControllerServer, quota: ApiObject, used: Amounts): Promise<void> {
  const object = quotaOf(server, quota);
  let writer = writers.get(server);
  if (writer === undefined) {
    writer = serverWriter(server);
    writers.set(server, writer);
  }
  await writer.update(object, 'status', (old) => {
    if (old.metadata.resourceVersion !== quota.metadata.resourceVersion)
      throw newConflict(object.resource.groupResource, object.name, OBJECT_MODIFIED);
    return { ...old, metadata: { ...old.metadata }, status: { ...old.status, used: listOf(used) } };
  });
}

function quotaOf({ registry }: ControllerServer, { metadata }: ApiObject): NamedObject {
  const resource = registry.current.resource('', 'v1', 'resourcequotas');
  const { namespace = '', name = '' } = metadata;
  if (resource === undefined) throw newNotFound({ group: '', resource: 'resourcequotas' }, name);
  return { resource, namespace, name };
}

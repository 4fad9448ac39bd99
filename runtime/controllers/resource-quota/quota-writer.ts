/** Writes the statuses of quotas, however long those are. */
import type { ApiObject } from '../../contract/object.ts';
import type { NamedObject } from '../../registry/resources/resource-keys.ts';
import { readInTurns } from '../../registry/stored-objects/sliced-reading.ts';
import { newConflict, OBJECT_MODIFIED } from '../../status/status.ts';
import type { Guard } from '../../storage/storage.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import type { ControllerWriter } from '../writes/controller-writer.ts';
import { longObject, sendElsewhere } from '../writes/long-objects.ts';

/** @returns undefined where nothing can be said of the quota as it is now */
type StatusOf = (quota: ApiObject) => Promise<ApiObject['status'] | undefined>;

/** @throws StatusError, of reason Conflict where nothing can be said of the quota, or the guard is broken */
export async function writeStatus(
  server: ControllerServer,
  writer: ControllerWriter,
  quota: NamedObject,
  statusOf: StatusOf,
  guard: Guard,
): Promise<void> {
  const statusFor = async (now: ApiObject): Promise<ApiObject['status']> => {
    const status = await statusOf(now);
    if (status === undefined) throw newConflict(quota.resource.groupResource, quota.name, OBJECT_MODIFIED);
    return status;
  };
  const long = longObject(server, await writer.store(quota.resource), quota);
  if (long === undefined) {
    await writer.update(quota, 'status', async (old) => ({ ...old, metadata: { ...old.metadata }, status: await statusFor(old) }), guard);
    return;
  }
  const now = await readInTurns(long, ['spec', 'status']);
  const { hard, used } = await statusFor(now);
  const status = { hard: patchOf(hard, now.status?.hard), used: patchOf(used, now.status?.used) };
  await sendElsewhere(server, quota, 'status', { metadata: { resourceVersion: long.resourceVersion }, status }, writer.author);
}

/** Makes a merge patch that also removes the members which the wanted object does not have. */
function patchOf(wanted: object, old: object | undefined): object {
  const gone = Object.keys(old ?? {}).filter((name) => !Object.hasOwn(wanted, name));
  return gone.length === 0 ? wanted : { ...wanted, ...Object.fromEntries(gone.map((name) => [name, null])) };
}

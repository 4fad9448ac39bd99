import { managedFieldsOf, readStoredManagers } from '../../../apply/managers.ts';
import { parentManagers, scaleManagers } from '../../../apply/scale-ownership.ts';
import type { Identity } from '../../../contract/identity.ts';
import type { SubresourceData } from '../../../contract/kind.ts';
import type { ApiObject } from '../../../contract/object.ts';
import type { TableData } from '../../../contract/table.ts';
import { applyScale, ReplicasMissing, scaleOf, validateScale } from '../../../kinds/autoscaling/scale.ts';
import { compileTable, type KindTable } from '../../../registry/cells/kind-table.ts';
import { setManagedFields } from '../../../registry/resource-store/field-manager.ts';
import type { ValidatingAdmission } from '../../../registry/resource-store/resource-store.ts';
import { newUidConflict } from '../../../registry/resource-store/storage-errors.ts';
import { leaveUnsettled } from '../../../registry/unsettled-objects.ts';
import { copyValue } from '../../../schema/copy.ts';
import { type GroupResource, newBadRequest, newInternalErrorOf, newInvalid, newUnknown } from '../../../status/status.ts';
import { scaleProblem } from '../../../structural-schema/scale-numbers.ts';
import { transformObject } from '../../answers/respond.ts';
import type { WriteOptions } from '../../options.ts';
import { type ResourceRequest, sendShown } from '../../resource-request.ts';
import { WriteAdmission } from '../verbs/admit.ts';
import { updateOptions } from '../verbs/update.ts';
import { type Produce, shownFormHandlers } from './shown-form.ts';

/** The subresource `scale` shows and changes the number of replicas of any kind that declares where that number stands. */
export const scale = shownFormHandlers({ absent: absentScale, show: shownScale, write: writeScale, send: sendScale });

/** @throws StatusError InternalError where the object has no number of replicas */
function shownScale(request: ResourceRequest, parent: ApiObject): ApiObject {
  try {
    return readScale(request, parent);
  } catch (error) {
    throw error instanceof ReplicasMissing ? newInternalErrorOf(error.message) : error;
  }
}

/**
 * @param absent number of replicas of a parent that has none
 * @throws StatusError without a reason, as in 1.32, where an object that was there before the definition stated its paths has no numbers at them
 */
function readScale(request: ResourceRequest, parent: ApiObject, absent?: number): ApiObject {
  const data = scaleData(request);
  const problem = request.resource.data.isDefined === true ? scaleProblem(data, parent) : undefined;
  if (problem !== undefined) throw newUnknown(problem);
  return scaleOf(parent, data, absent);
}

/** 1.32 says the Scale's own group where the resource is of the core group. */
function absentScale({ resource, kind }: ResourceRequest): GroupResource {
  const { group, resource: parent } = resource.groupResource;
  const own = resource.subresources.get('scale')?.scale?.ownNotFound === true;
  return own ? { group: group === '' ? kind.group : group, resource: `${parent}/scale` } : resource.groupResource;
}

/** What a write finds for the number of an object that has none, as in 1.32: it may set the number, and has to. */
const UNSET_REPLICAS = -(2 ** 31);

async function writeScale(request: ResourceRequest, options: WriteOptions, produce: Produce, uid?: string): Promise<ApiObject> {
  const { server, store, info, kind, resource } = request;
  const data = scaleData(request);
  const validate: ValidatingAdmission = (parent, old) => admission.validate(readScale(request, parent), old && readScale(request, old, 0));
  const versions = server.fieldManagers.scaleVersions(resource, kind);
  const admission = new WriteAdmission(request, 'update', options);
  const written = await store.update(
    info.namespace,
    info.name,
    async (old) => {
      const owners = readStoredManagers(old.metadata.managedFields);
      const live = readScale(request, old, UNSET_REPLICAS);
      setManagedFields(live, managedFieldsOf(scaleManagers(owners, versions)));
      const wanted = await produce(live);
      await admission.mutate(wanted, live);
      if (wanted.spec?.replicas === UNSET_REPLICAS) throw newBadRequest(new ReplicasMissing(data.specReplicas, 'cannot be empty').message);
      // What a definition says of the number is held against the whole object.
      const errors = resource.data.isDefined === true ? [] : validateScale(wanted);
      if (errors.length > 0) throw newInvalid({ group: kind.group, kind: kind.kind }, info.name, errors);
      const parent = copyValue(old);
      const inTheWay = applyScale(parent, wanted, data);
      if (inTheWay !== undefined) throw newUnknown(`value cannot be set because ${inTheWay} is not a map[string]interface{}`);
      // A uid in a Scale is a precondition however it came there: by a patch as well.
      const { uid: meant = '', resourceVersion = '' } = wanted.metadata;
      if (meant !== '' && meant !== old.metadata.uid)
        throw newUidConflict(resource.groupResource, info.name, store.key(info.namespace, info.name), meant, old.metadata.uid as string);
      if (resourceVersion !== '') parent.metadata.resourceVersion = resourceVersion;
      setManagedFields(parent, managedFieldsOf(parentManagers(owners, readStoredManagers(wanted.metadata.managedFields), versions)));
      // The definition may not know the number, and have defaults for what came with it.
      leaveUnsettled(parent, store.hub);
      return parent;
    },
    { ...updateOptions(request, options, { validate }), target: 'object', retry: true, uid },
  );
  return readScale(request, written.object, 0);
}

function scaleData(request: ResourceRequest): NonNullable<SubresourceData['scale']> {
  return request.resource.subresources.get('scale')?.scale as NonNullable<SubresourceData['scale']>;
}

async function sendScale(request: ResourceRequest, scale: ApiObject): Promise<void> {
  const { server, kind, negotiated, info } = request;
  const { table } = scaleData(request);
  const shownAs = table && compiledTable(table, server.identity);
  return sendShown(request, transformObject(server, kind, scale, scale, negotiated, info.query, shownAs), 200);
}

const tables = new WeakMap<Identity, Map<TableData, KindTable>>();

function compiledTable(data: TableData, identity: Identity): KindTable {
  const own = tables.get(identity) ?? new Map<TableData, KindTable>();
  tables.set(identity, own);
  const table = own.get(data) ?? compileTable(data, new Map(), identity);
  own.set(data, table);
  return table;
}

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
import { StoredObject } from '../../../registry/stored-objects/stored-object.ts';
import { leaveUnsettled } from '../../../registry/unsettled-objects.ts';
import { copyValue } from '../../../schema/copy.ts';
import { type GroupResource, newBadRequest, newInternalErrorOf, newInvalid, newNotFound, newUnknown } from '../../../status/status.ts';
import { scaleProblem } from '../../../structural-schema/scale-numbers.ts';
import { transformObject } from '../../answers/respond.ts';
import { requireNamespace } from '../../namespace-of-path.ts';
import type { WriteOptions } from '../../options.ts';
import { addWarnings } from '../../request/warnings.ts';
import { type ResourceRequest, requireName, sendShown } from '../../resource-request.ts';
import { WriteAdmission } from '../verbs/admit.ts';
import { readApply } from '../verbs/apply.ts';
import { requireNoExport, requireShownSoon, untilFresh } from '../verbs/get.ts';
import { decodePatched } from '../verbs/patch.ts';
import { type ApplyForm, applyForm } from '../verbs/patch-types.ts';
import { readPatch } from '../verbs/read-patch.ts';
import { updateOptions } from '../verbs/update.ts';
import { readWrite, requireSameName, tracedWrite, trackFields } from '../verbs/write.ts';

/** The subresource `scale` shows and changes the number of replicas of any kind that declares where that number stands. */
export async function getScale(request: ResourceRequest): Promise<void> {
  const { client, info, store } = request;
  requireName(info);
  requireNoExport(request.info);
  await untilFresh(request);
  const entry = await store.current(info.namespace, info.name, store.converts ? client : undefined);
  if (entry === undefined) throw newNotFound(absentScale(request), info.name);
  const stored = new StoredObject(entry.value);
  requireShownSoon(request, stored);
  return sendScale(request, shownScale(request, store.decodeStored(stored)));
}

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

export async function updateScale(request: ResourceRequest): Promise<void> {
  const { options, object } = await readWrite(request, 'update');
  requireNamespace(request, object);
  requireSameName(request, object);
  const produce = async (live: ApiObject): Promise<ApiObject> => {
    const wanted = copyValue(object);
    await trackFields(request, live, wanted, { options });
    return wanted;
  };
  return sendScale(request, await tracedWrite(request, () => writeScale(request, options, produce, object.metadata.uid)));
}

export async function patchScale(request: ResourceRequest): Promise<void> {
  const form = applyForm(request);
  if (form !== undefined) return applyScalePatch(request, form);
  const { options, applyPatch } = await readPatch(request);
  return patchStored(request, options, async (live) => {
    const decoded = await decodePatched(applyPatch(live), request, options.fieldValidation);
    requireNamespace(request, decoded.object);
    requireSameName(request, decoded.object);
    addWarnings(request.context, decoded.warnings);
    await trackFields(request, live, decoded.object, { options });
    return decoded.object;
  });
}

async function applyScalePatch(request: ResourceRequest, form: ApplyForm): Promise<void> {
  const { options, applyTo } = await readApply(request, form);
  return patchStored(request, options, async (live) => (await applyTo(live)).object);
}

async function patchStored(request: ResourceRequest, options: WriteOptions, produce: Produce): Promise<void> {
  const span = request.client.trace?.current;
  const scale = await writeScale(request, options, async (live) => {
    span?.event('About to apply patch');
    const wanted = await produce(live);
    span?.event('About to check admission control');
    return wanted;
  });
  span?.event('Object stored in database');
  return sendScale(request, scale);
}

/** What a write finds for the number of an object that has none, as in 1.32: it may set the number, and has to. */
const UNSET_REPLICAS = -(2 ** 31);

/** Makes the wanted Scale, with its owners, of the present one, in which it changes nothing. */
type Produce = (live: ApiObject) => Promise<ApiObject>;

/** @param uid that the client means, where it is a precondition. @returns the Scale of what is stored then */
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

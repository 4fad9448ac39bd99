/** What all subresources share that show parts of an object in a form of their own, of another kind: `scale`, and those that declare what they show. */
import type { ApiObject } from '../../../contract/object.ts';
import { StoredObject } from '../../../registry/stored-objects/stored-object.ts';
import { copyValue } from '../../../schema/copy.ts';
import { type GroupResource, newNotFound } from '../../../status/status.ts';
import { requireNamespace } from '../../namespace-of-path.ts';
import type { WriteOptions } from '../../options.ts';
import { addWarnings } from '../../request/warnings.ts';
import { type Handler, type ResourceRequest, requireName } from '../../resource-request.ts';
import { readApply } from '../verbs/apply.ts';
import { requireNoExport, requireShownSoon, untilFresh } from '../verbs/get.ts';
import { decodePatched } from '../verbs/patch.ts';
import { type ApplyForm, applyForm } from '../verbs/patch-types.ts';
import { readPatch } from '../verbs/read-patch.ts';
import { readWrite, requireSameName, tracedWrite, trackFields } from '../verbs/write.ts';

/** Makes what a client wants, with its owners, of the form in which the present object is shown; it changes nothing in that. */
export type Produce = (live: ApiObject) => Promise<ApiObject>;

export interface ShownForm {
  /** the resource that is said to lack an object that is not there */
  absent(request: ResourceRequest): GroupResource;
  /** @param object as it is stored, of the hub. @throws StatusError where it cannot be shown */
  show(request: ResourceRequest, object: ApiObject): ApiObject;
  /** @param uid that the client means, where it is a precondition. @returns what is stored then, as it is shown */
  write(request: ResourceRequest, options: WriteOptions, produce: Produce, uid?: string): Promise<ApiObject>;
  send(request: ResourceRequest, shown: ApiObject): Promise<void>;
}

export interface ShownFormHandlers {
  readonly get: Handler;
  readonly update: Handler;
  readonly patch: Handler;
}

export function shownFormHandlers(form: ShownForm): ShownFormHandlers {
  return {
    get: (request) => get(form, request),
    update: (request) => update(form, request),
    patch: (request) => patch(form, request),
  };
}

async function get(form: ShownForm, request: ResourceRequest): Promise<void> {
  const { client, info, store } = request;
  requireName(info);
  requireNoExport(info);
  await untilFresh(request);
  const entry = await store.current(info.namespace, info.name, store.converts ? client : undefined);
  if (entry === undefined) throw newNotFound(form.absent(request), info.name);
  const stored = new StoredObject(entry.value);
  requireShownSoon(request, stored);
  return form.send(request, form.show(request, store.decodeStored(stored)));
}

async function update(form: ShownForm, request: ResourceRequest): Promise<void> {
  const { options, object } = await readWrite(request, 'update');
  requireNamespace(request, object);
  requireSameName(request, object);
  const produce = async (live: ApiObject): Promise<ApiObject> => {
    const wanted = copyValue(object);
    await trackFields(request, live, wanted, { options });
    return wanted;
  };
  return form.send(request, await tracedWrite(request, () => form.write(request, options, produce, object.metadata.uid)));
}

async function patch(form: ShownForm, request: ResourceRequest): Promise<void> {
  const applies = applyForm(request);
  if (applies !== undefined) return apply(form, request, applies);
  const { options, applyPatch } = await readPatch(request);
  return patchStored(form, request, options, async (live) => {
    const decoded = await decodePatched(applyPatch(live), request, options.fieldValidation);
    requireNamespace(request, decoded.object);
    requireSameName(request, decoded.object);
    addWarnings(request.context, decoded.warnings);
    await trackFields(request, live, decoded.object, { options });
    return decoded.object;
  });
}

async function apply(form: ShownForm, request: ResourceRequest, body: ApplyForm): Promise<void> {
  const { options, applyTo } = await readApply(request, body);
  return patchStored(form, request, options, async (live) => (await applyTo(live)).object);
}

async function patchStored(form: ShownForm, request: ResourceRequest, options: WriteOptions, produce: Produce): Promise<void> {
  const span = request.client.trace?.current;
  const shown = await form.write(request, options, async (live) => {
    span?.event('About to apply patch');
    const wanted = await produce(live);
    span?.event('About to check admission control');
    return wanted;
  });
  span?.event('Object stored in database');
  return form.send(request, shown);
}

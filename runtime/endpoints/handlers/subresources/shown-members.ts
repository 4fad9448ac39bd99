/**
 * Subresources of a kind that shows members of the object at places of its own (`SubresourceData.shows`), such as the kind EphemeralContainers of releases
 * before 1.22. Whoever writes one owns no fields of the object by it, as in those releases.
 */
import type { ApiObject } from '../../../contract/object.ts';
import type { ValidatingAdmission } from '../../../registry/resource-store/resource-store.ts';
import { Code } from '../../../schema/compile.ts';
import { copyValue } from '../../../schema/copy.ts';
import { isObject } from '../../../schema/json/member.ts';
import { transformObject } from '../../answers/respond.ts';
import type { WriteOptions } from '../../options.ts';
import { type ResourceRequest, sendShown } from '../../resource-request.ts';
import { WriteAdmission } from '../verbs/admit.ts';
import { updateOptions } from '../verbs/update.ts';
import { type Produce, shownFormHandlers } from './shown-form.ts';

export const shownMembers = shownFormHandlers({
  absent: ({ resource }) => resource.groupResource,
  show,
  write,
  send: (request, shown) => {
    const { server, kind, negotiated, info } = request;
    return sendShown(request, transformObject(server, kind, shown, shown, negotiated, info.query), 200);
  },
});

/** Its own members by name, with the names on the way to each in the object. */
function membersOf({ resource, info }: ResourceRequest): readonly (readonly [name: string, path: readonly string[]])[] {
  return Object.entries(resource.subresources.get(info.subresource)?.shows ?? {}).map(([name, path]) => [name, path.split('.')]);
}

/** Of what the object lacks, lists are shown as empty ones. */
function show(request: ResourceRequest, object: ApiObject): ApiObject {
  const { kind } = request;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const metadata = { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion, creationTimestamp };
  const shown: ApiObject = { kind: kind.kind, apiVersion: kind.apiVersion, metadata };
  for (const [member, path] of membersOf(request)) {
    const value = path.reduce<unknown>((holder, step) => (isObject(holder) ? holder[step] : undefined), object);
    if (value !== undefined) shown[member] = copyValue(value);
    else if (kind.compiled.byName.get(member)?.type.code === Code.list) shown[member] = [];
  }
  return shown;
}

async function write(request: ResourceRequest, options: WriteOptions, produce: Produce, uid?: string): Promise<ApiObject> {
  const { store, info } = request;
  const validate: ValidatingAdmission = (object, old) => admission.validate(show(request, object), old && show(request, old));
  const admission = new WriteAdmission(request, 'update', options);
  const change = async (old: ApiObject): Promise<ApiObject> => {
    const live = show(request, old);
    const wanted = await produce(live);
    await admission.mutate(wanted, live);
    return placed(request, wanted, old);
  };
  const written = await store.update(info.namespace, info.name, change, {
    ...updateOptions(request, options, { validate }),
    retry: true,
    uid,
  });
  return show(request, written.object);
}

/** @returns a copy of the object in which the members are those of what is wanted, of the version that this names */
function placed(request: ResourceRequest, wanted: ApiObject, old: ApiObject): ApiObject {
  const object = copyValue(old);
  for (const [member, path] of membersOf(request)) {
    const steps = [...path];
    const last = steps.pop() as string;
    let holder: Record<string, unknown> = object;
    for (const step of steps) {
      if (!isObject(holder[step])) holder[step] = {};
      holder = holder[step] as Record<string, unknown>;
    }
    holder[last] = wanted[member];
  }
  const { resourceVersion = '' } = wanted.metadata;
  if (resourceVersion !== '') object.metadata.resourceVersion = resourceVersion;
  return object;
}

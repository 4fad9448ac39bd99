/** The default roles and bindings, as objects that the server creates and repairs. */
import type { DefaultPolicy } from '../../contract/default-policy.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { SystemObject } from '../../system-objects/system-object.ts';
import { autoUpdateAnnotation, DEFAULT_RESOURCES, defaultObjects } from './default-objects.ts';
import { openPart } from './open-part.ts';
import { reconcile } from './reconcile.ts';

/** The objects, in an order in which each refers only to earlier ones. */
export function policyObjects(table: DefaultPolicy, identity: Identity, featureEnabled: (gate: string) => boolean): SystemObject[] {
  const group = identity.text('rbac.authorization.${groupDomain}');
  const autoUpdate = autoUpdateAnnotation(identity);
  const open = openPart(table, featureEnabled);
  const objects = defaultObjects(open, identity);
  const models = new Map(open.clusterRoleBindings.map(({ name, like }) => [name, like]));
  return DEFAULT_RESOURCES.flatMap((name) =>
    objects[name].map((object): SystemObject => {
      const made = policyObject({ group, version: 'v1', name }, object, autoUpdate);
      const model = name === 'clusterrolebindings' ? models.get(made.metadata.name) : undefined;
      return model === undefined ? made : { ...made, model: { name: model, taken: (of) => likeness(object, of, autoUpdate) } };
    }),
  );
}

function policyObject(resource: SystemObject['resource'], object: ApiObject, autoUpdate: string): SystemObject {
  const { kind, apiVersion, metadata, ...members } = object;
  return {
    resource,
    metadata: { ...metadata, name: metadata.name as string },
    members,
    repair: (stored) => reconcile(stored, object, autoUpdate),
  };
}

/** A binding that is new in this release binds whom an older one binds, whatever the administrator has made of that. It is repaired at once, as 1.32 does. */
function likeness(
  object: ApiObject,
  { metadata: { labels, annotations }, subjects }: ApiObject,
  autoUpdate: string,
): ReturnType<SystemModel['taken']> {
  const { name } = object.metadata;
  const copied = {
    ...object,
    metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) },
    subjects: subjects ?? [],
  };
  const repaired = reconcile(copied, object, autoUpdate);
  const { kind, apiVersion, metadata, ...members } = typeof repaired === 'object' ? repaired : copied;
  return { metadata: { ...metadata, name: name as string }, members };
}

type SystemModel = NonNullable<SystemObject['model']>;

/** The default roles and bindings as objects that the server makes and repairs. */
import type { DefaultPolicy } from '../../contract/default-policy.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { SystemObject } from '../../system-objects/system-object.ts';
import { autoUpdateAnnotation, DEFAULT_RESOURCES, defaultObjects } from './default-objects.ts';
import { reconcile } from './reconcile.ts';

/** Those before others that refer to them. */
export function policyObjects(table: DefaultPolicy, identity: Identity, featureEnabled: (gate: string) => boolean): SystemObject[] {
  const group = identity.text('rbac.authorization.${groupDomain}');
  const autoUpdate = autoUpdateAnnotation(identity);
  const objects = defaultObjects(openPart(table, featureEnabled), identity);
  return DEFAULT_RESOURCES.flatMap((name) =>
    objects[name].map((object) => policyObject({ group, version: 'v1', name }, object, autoUpdate)),
  );
}

/** Without cluster roles whose gates are closed, and what binds them. */
function openPart(table: DefaultPolicy, featureEnabled: (gate: string) => boolean): DefaultPolicy {
  const closed = new Set(
    table.clusterRoles.filter(({ featureGates }) => featureGates?.every(featureEnabled) === false).map(({ name }) => name),
  );
  return {
    ...table,
    clusterRoles: table.clusterRoles.filter(({ name }) => !closed.has(name)),
    clusterRoleBindings: table.clusterRoleBindings.filter(({ clusterRole = '' }) => !closed.has(clusterRole)),
  };
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

/** Who gives an object that is there another owner needs leave to delete the object, and where it keeps the owner waiting, leave to set finalizers of the owner. */
import type { OwnerReference } from '../../../generated/meta/v1/types.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import { deepEqual } from '../../schema/equal.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { forbidden } from '../plugin-interface/refusal.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';

type Reference = Pick<OwnerReference, 'apiVersion' | 'kind' | 'name' | 'uid' | 'blockOwnerDeletion'>;
type Action = Pick<
  Parameters<Authorizer['authorize']>[0],
  'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'namespace' | 'name'
>;

/** Owners of whatever kind: nobody needs to know whether their kinds are served. */
const FINALIZE_ANYTHING: Action = {
  verb: 'update',
  group: '*',
  version: '*',
  resource: '*',
  subresource: 'finalizers',
  namespace: '',
  name: '*',
};

export function ownerReferencesPermissionEnforcement({ authorizer, resourcesOfKind }: PluginParts): AdmissionPlugin {
  const decide = ({ user, request }: AdmissionAttributes, action: Action) =>
    authorizer.authorize({ ...action, user, isResource: true, path: '' }, request);
  return {
    async validate(attributes) {
      const { operation, resource, subresource, object, old } = attributes;
      if (operation !== 'create' && operation !== 'update') return;
      const { group, resource: plural } = resource.groupResource;
      // the node's agent writes it, and owns nothing by that
      if (group === '' && plural === 'pods' && subresource === 'status') return;
      const references: readonly Reference[] = (object?.metadata?.ownerReferences as readonly Reference[] | undefined) ?? [];
      const before: readonly Reference[] = (old?.metadata?.ownerReferences as readonly Reference[] | undefined) ?? [];
      if (deepEqual(references, before)) return;
      // who creates an object could as well have left it
      if (operation === 'update') await requireRemoval(attributes);
      const blocking = newlyBlocking(references, before);
      if (blocking.length === 0 || (await decide(attributes, FINALIZE_ANYTHING)).decision === 'allow') return;
      for (const reference of blocking) await requireFinalizers(attributes, reference);
    },
  };

  async function requireRemoval(attributes: AdmissionAttributes): Promise<void> {
    const { resource, subresource, namespace, name } = attributes;
    const { group, version } = resource.groupVersion;
    const removal = { verb: 'delete', group, version, resource: resource.groupResource.resource, subresource, namespace, name };
    const { decision, reason } = await decide(attributes, removal);
    if (decision !== 'allow') throw forbidden(attributes, `cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`);
  }

  async function requireFinalizers(attributes: AdmissionAttributes, { apiVersion, kind, name }: Reference): Promise<void> {
    const resources = resourcesOfKind(apiVersion, kind);
    if (resources.length === 0)
      throw forbidden(
        attributes,
        `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind "${kind}" in version "${apiVersion}"`,
      );
    for (const { group, version, resource, namespaced } of resources) {
      const namespace = namespaced ? attributes.namespace : '';
      const { decision, reason } = await decide(attributes, {
        verb: 'update',
        group,
        version,
        resource,
        subresource: 'finalizers',
        namespace,
        name,
      });
      if (decision === 'allow') continue;
      throw forbidden(
        attributes,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${reason}, <nil>`,
      );
    }
  }
}

/** Those that keep their owner from going, and did not before. */
function newlyBlocking(references: readonly Reference[], before: readonly Reference[]): Reference[] {
  const blocked = new Set(before.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true).map(({ uid }) => uid));
  return references.filter(({ blockOwnerDeletion, uid }) => blockOwnerDeletion === true && !blocked.has(uid));
}

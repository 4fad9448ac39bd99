import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PluginParts } from '../../../runtime/admission/plugin-interface/plugin.ts';
import { ownerReferencesPermissionEnforcement } from '../../../runtime/admission/plugins/owner-references-permission.ts';
import { type Asked, asked, partsOf } from '../asking.ts';

const test = suite('leave to set owners');

const owner = (uid: string, blockOwnerDeletion?: boolean, kind = 'ReplicaSet') => ({
  apiVersion: 'apps/v1',
  kind,
  name: uid,
  uid,
  blockOwnerDeletion,
});
const OWNERS: Readonly<Record<string, ReturnType<PluginParts['resourcesOfKind']>>> = {
  ReplicaSet: [{ group: 'apps', version: 'v1', resource: 'replicasets', namespaced: true }],
  ClusterRole: [{ group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles', namespaced: false }],
};
const owned = (...ownerReferences: object[]) => ({ metadata: { name: 'x', ownerReferences } });
const NO_DELETE = `pods "x" is forbidden: cannot set an ownerRef on a resource you can't delete: no, <nil>`;
const NO_FINALIZERS = `pods "x" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: no, <nil>`;

const ROWS: readonly (readonly [name: string, allowed: readonly string[], asked: Asked, message: string | undefined])[] = [
  ['no owners', [], { object: owned() }, undefined],
  ['owners as before', [], { operation: 'update', object: owned(owner('a', true)), old: owned(owner('a', true)) }, undefined],
  ['of a new object', [], { object: owned(owner('a')) }, undefined],
  ['owners without leave to delete', [], { operation: 'update', object: owned(owner('a')), old: owned() }, NO_DELETE],
  ['owners with it', ['delete /pods/x'], { operation: 'update', object: owned(owner('a')), old: owned() }, undefined],
  ['owners that go', [], { operation: 'update', object: owned(), old: owned(owner('a')) }, NO_DELETE],
  ['owners that are kept waiting', [], { object: owned(owner('a', true)) }, NO_FINALIZERS],
  ['with leave for that', ['update apps/replicasets/finalizers/a'], { object: owned(owner('a', true)) }, undefined],
  [
    'of a cluster',
    ['update rbac.authorization.k8s.io/clusterroles/finalizers/a'],
    { object: owned(owner('a', true, 'ClusterRole')) },
    undefined,
  ],
  [
    'one that was kept waiting before',
    ['delete /pods/x'],
    { operation: 'update', object: owned(owner('a', true), owner('b')), old: owned(owner('a', true)) },
    undefined,
  ],
  [
    'one of any kind, with leave to finalize everything',
    ['update */*/finalizers/*'],
    { object: owned(owner('a', true, 'None')) },
    undefined,
  ],
  [
    'one of a kind that is not served',
    [],
    { object: owned(owner('a', true, 'None')) },
    'pods "x" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion apps/v1 Kind None: no matches for kind "None" in version "apps/v1"',
  ],
  ['the status of pods', [], { operation: 'update', subresource: 'status', object: owned(owner('a')), old: owned() }, undefined],
  ['a deletion', [], { operation: 'delete', old: owned(owner('a')) }, undefined],
];
for (const [name, allowed, given, message] of ROWS)
  test(name, async () => {
    const parts = partsOf({
      authorizer: {
        authorize({ verb, group, resource, subresource, namespace, name: of }) {
          const action = `${verb} ${group}/${resource}${subresource === '' ? '' : `/${subresource}`}/${of}`;
          if (group === 'rbac.authorization.k8s.io' && namespace !== '') return { decision: 'noOpinion', reason: 'of a namespace' };
          return { decision: allowed.includes(action) ? 'allow' : 'noOpinion', reason: 'no' };
        },
        rules: () => Promise.reject(new Error('nobody asks')),
      },
      resourcesOfKind: (_, kind) => OWNERS[kind] ?? [],
    });
    const outcome = await asked(ownerReferencesPermissionEnforcement(parts), given);
    assert.is(typeof outcome === 'string' ? outcome : undefined, message);
  });

test.run();

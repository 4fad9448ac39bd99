import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClusterRole, PolicyRule, RoleBinding } from '../../../generated/rbac/v1/types.ts';
import type { GrantedRule, WriteAccess } from '../../../runtime/contract/write-access.ts';
import { authorizeBinding, authorizeRole } from '../../../runtime/kinds/rbac/escalation.ts';
import { newNotFound, StatusError } from '../../../runtime/status/status.ts';

const on = (apiGroups: string[], resources: string[], verbs: string[], resourceNames?: string[]): GrantedRule => ({
  verbs,
  apiGroups,
  resources,
  ...(resourceNames && { resourceNames }),
});
const paths = (nonResourceURLs: string[], verbs: string[]): GrantedRule => ({ verbs, nonResourceURLs });

const API = 'rbac.authorization.k8s.io';
interface Writer {
  readonly groups?: string[];
  readonly held?: GrantedRule[];
  readonly problem?: string;
  /** verbs that are allowed besides, as `verb resource/name in namespace` */
  readonly may?: string[];
  readonly roles?: Record<string, GrantedRule[]>;
  readonly name?: string;
  readonly namespace?: string;
}

function access(
  resource: string,
  { groups = ['dev'], held = [], problem, may = [], roles = {}, name = '', namespace = 'a' }: Writer,
): WriteAccess {
  return {
    user: { name: 'alice', uid: '', groups, extra: {} },
    group: API,
    resource,
    namespace,
    name,
    allows: async (action) => may.includes(`${action.verb} ${action.resource}/${action.name} in ${action.namespace}`),
    resourceOf: () => undefined,
    stored: () => undefined,
    heldRules: () => ({ rules: held, problem }),
    roleRules(kind, role) {
      const rules = roles[`${kind}/${role}`];
      if (rules === undefined) throw newNotFound({ group: API, resource }, role);
      return rules;
    },
  };
}

const role = (rules: GrantedRule[], more: Partial<ClusterRole> = {}): ClusterRole => ({
  kind: 'ClusterRole',
  apiVersion: `${API}/v1`,
  metadata: { name: 'r' },
  rules: rules as PolicyRule[],
  ...more,
});
const binding = (kind: string, name: string, apiGroup = API): RoleBinding => ({
  kind: 'RoleBinding',
  apiVersion: `${API}/v1`,
  metadata: { name: 'b' },
  subjects: [],
  roleRef: { apiGroup, kind, name },
});
const SECRETS = on([''], ['secrets'], ['get']);
const ALL = [on(['*'], ['*'], ['*']), paths(['*'], ['*'])];
const REFUSED =
  /"r" is forbidden: user "alice" \(groups=\["dev"\]\) is attempting to grant RBAC permissions not currently held:\n\{APIGroups:\[""\], Resources:\["secrets"\], Verbs:\["get"\]\}$/;

const writes: [what: string, write: () => Promise<void>, refused?: RegExp][] = [
  ['a role of rights that are held', () => authorizeRole(role([SECRETS]), undefined, access('roles', { held: [SECRETS] }))],
  ['a role of others', () => authorizeRole(role([SECRETS]), undefined, access('roles', {})), REFUSED],
  [
    'a rule without verbs, which validation refuses afterwards',
    () => authorizeRole(role([{ ...SECRETS, verbs: null } as unknown as GrantedRule]), undefined, access('roles', { held: [SECRETS] })),
  ],
  ['any role by the administrator', () => authorizeRole(role([SECRETS]), undefined, access('roles', { groups: ['system:masters'] }))],
  ['any role with the verb escalate', () => authorizeRole(role([SECRETS]), undefined, access('roles', { may: ['escalate roles/ in a'] }))],
  [
    'a new role with escalate on its name',
    () => authorizeRole(role([SECRETS]), undefined, access('roles', { may: ['escalate roles/r in a'] })),
    REFUSED,
  ],
  [
    'a changed role with escalate on its name',
    () => authorizeRole(role([SECRETS]), role([]), access('roles', { may: ['escalate roles/r in a'], name: 'r' })),
  ],
  [
    'a role that had the rights before',
    () => authorizeRole(role([SECRETS]), role([SECRETS], { metadata: { name: 'r', labels: { a: 'b' } } }), access('roles', {})),
    REFUSED,
  ],
  [
    'an owner of a role',
    () => authorizeRole(role([SECRETS], { metadata: { name: 'r', ownerReferences: [] } }), role([SECRETS]), access('roles', {})),
  ],
  [
    'what could not be looked up',
    () => authorizeRole(role([SECRETS]), undefined, access('roles', { problem: '[x, y]' })),
    /Verbs:\["get"\]\}; resolution errors: \[\[x, y\]\]$/,
  ],
  [
    'rights that two rules have, each told with its verbs',
    () => authorizeRole(role([SECRETS, on([''], ['secrets'], ['list', 'get'])]), undefined, access('roles', {})),
    /held:\n\{APIGroups:\[""\], Resources:\["secrets"\], Verbs:\["get" "list" "get"\]\}$/,
  ],
  [
    'gathering by the administrator',
    () => authorizeRole(role([], { aggregationRule: {} }), undefined, access('clusterroles', { held: ALL })),
  ],
  [
    'gathering by others',
    () => authorizeRole(role([], { aggregationRule: {} }), undefined, access('clusterroles', { held: [SECRETS] })),
    /must have cluster-admin privileges to use the aggregationRule$/,
  ],
  [
    'the end of gathering by others',
    () => authorizeRole(role([]), role([], { aggregationRule: {} }), access('clusterroles', { held: [SECRETS] })),
    /must have cluster-admin privileges to use the aggregationRule$/,
  ],
  [
    'a binding of held rights',
    () => authorizeBinding(binding('Role', 'r'), undefined, access('rolebindings', { held: [SECRETS], roles: { 'Role/r': [SECRETS] } })),
  ],
  [
    'a binding of others',
    () => authorizeBinding(binding('Role', 'r'), undefined, access('rolebindings', { roles: { 'Role/r': [SECRETS] } })),
    /rolebindings.* "b" is forbidden: user "alice"/,
  ],
  [
    'a binding with the verb bind',
    () => authorizeBinding(binding('ClusterRole', 'r'), undefined, access('rolebindings', { may: ['bind clusterroles/r in a'] })),
  ],
  [
    'a cluster-wide binding with the verb bind in a namespace',
    () =>
      authorizeBinding(
        binding('ClusterRole', 'r'),
        undefined,
        access('clusterrolebindings', { namespace: '', may: ['bind clusterroles/r in a'], roles: { 'ClusterRole/r': [SECRETS] } }),
      ),
    /"b" is forbidden/,
  ],
  [
    'a binding of no role',
    () => authorizeBinding(binding('Role', 'none'), undefined, access('rolebindings', { held: ALL })),
    /^rolebindings.rbac.authorization.k8s.io "none" not found$/,
  ],
  ['a binding that is not valid', () => authorizeBinding(binding('Role', 'r', 'x.org'), undefined, access('rolebindings', {}))],
];
const written = suite('roles and bindings that somebody may write');
for (const [what, write, refused] of writes)
  written(`${what}: ${refused === undefined ? 'written' : 'refused'}`, async () => {
    const error = await write().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (refused === undefined) return assert.is(error, undefined);
    assert.instance(error, StatusError);
    assert.match((error as StatusError).message, refused);
  });
written.run();

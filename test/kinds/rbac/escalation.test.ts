import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { GrantedRule, WriteAccess } from '../../../runtime/contract/kind.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { compactRights, missingRights, ruleText } from '../../../runtime/kinds/rbac/covering.ts';
import { authorizeBinding, authorizeRole } from '../../../runtime/kinds/rbac/escalation.ts';
import { grantsOnName, grantsOnResource } from '../../../runtime/kinds/rbac/rule-matching.ts';
import { StatusError } from '../../../runtime/status/status.ts';

const on = (apiGroups: string[], resources: string[], verbs: string[], resourceNames?: string[]): GrantedRule => ({
  verbs,
  apiGroups,
  resources,
  ...(resourceNames && { resourceNames }),
});
const paths = (nonResourceURLs: string[], verbs: string[]): GrantedRule => ({ verbs, nonResourceURLs });

const rows: [what: string, held: GrantedRule[], wanted: GrantedRule[], missing: string[]][] = [
  ['the same', [on([''], ['pods'], ['get'])], [on([''], ['pods'], ['get'])], []],
  [
    'one more verb',
    [on([''], ['pods'], ['get'])],
    [on([''], ['pods'], ['get', 'list', 'watch'])],
    ['{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}'],
  ],
  ['verbs of two rules', [on([''], ['pods'], ['get']), on([''], ['pods'], ['list'])], [on([''], ['pods'], ['get', 'list'])], []],
  [
    'all verbs where each is held',
    [on([''], ['pods'], ['get', 'list'])],
    [on([''], ['pods'], ['*'])],
    ['{APIGroups:[""], Resources:["pods"], Verbs:["*"]}'],
  ],
  ['a star covers all', [on(['*'], ['*'], ['*'])], [on(['x'], ['pods', '*', 'pods/log'], ['get', '*'], ['n'])], []],
  [
    'a star on resources is none on paths',
    [on(['*'], ['*'], ['*'])],
    [paths(['/x'], ['get'])],
    ['{NonResourceURLs:["/x"], Verbs:["get"]}'],
  ],
  ['names within all', [on([''], ['pods'], ['get'])], [on([''], ['pods'], ['get'], ['a'])], []],
  [
    'all within names',
    [on([''], ['pods'], ['get'], ['a'])],
    [on([''], ['pods'], ['get'])],
    ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
  ],
  [
    'another name',
    [on([''], ['pods'], ['get'], ['a'])],
    [on([''], ['pods'], ['get'], ['a', 'b'])],
    ['{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}'],
  ],
  ['a subresource by a star', [on([''], ['*/log'], ['get'])], [on([''], ['pods/log'], ['get'])], []],
  [
    'a subresource by its resource',
    [on([''], ['pods'], ['get'])],
    [on([''], ['pods/log'], ['get'])],
    ['{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}'],
  ],
  ['paths below', [paths(['/logs/*'], ['get'])], [paths(['/logs/a', '/logs/b*'], ['get'])], []],
  [
    'paths beside',
    [paths(['/logs/*'], ['get'])],
    [paths(['/logs', '/*'], ['get'])],
    ['{NonResourceURLs:["/logs"], Verbs:["get"]}', '{NonResourceURLs:["/*"], Verbs:["get"]}'],
  ],
  ['no rules', [], [], []],
];
const covering = suite('rights that are missing');
for (const [what, held, wanted, missing] of rows)
  covering(what, () => assert.equal(compactRights(missingRights(held, wanted)).map(ruleText), missing));

covering('are those that some action shows', () => {
  const some = (...values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
  const rule = fc.record({
    verbs: some('get', 'list', '*'),
    apiGroups: some('', 'apps', '*'),
    resources: some('pods', 'pods/log', '*/log', '*'),
    resourceNames: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  });
  const actions = ['get', 'list', 'other'].flatMap((verb) =>
    ['', 'apps', 'other'].flatMap((group) =>
      ['pods', 'nodes'].flatMap((resource) =>
        ['', 'log', 'x'].flatMap((sub) => ['a', 'b', 'c'].map((name) => ({ verb, group, resource, sub, name }))),
      ),
    ),
  );
  const allowed = (rules: readonly GrantedRule[], { verb, group, resource, sub, name }: (typeof actions)[number]): boolean =>
    rules.some((each) => grantsOnResource(each, verb, group, resource, sub) && grantsOnName(each, name));
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 3 }), fc.array(rule, { maxLength: 2 }), (held, wanted) => {
      if (missingRights(held, wanted).length > 0) return;
      for (const action of actions) if (allowed(wanted, action)) assert.ok(allowed(held, action), JSON.stringify(action));
    }),
    { numRuns: 300 },
  );
});
covering('of rules that combine more than anybody means are refused, not listed', () => {
  const many = Array.from({ length: 300 }, (_, index) => `x${index}`);
  assert.throws(() => missingRights([], [on(many, many, many)]), /more than 100000 rights/);
  assert.equal(missingRights([on(['*'], ['*'], ['*'])], [on(many, many, many)]), []);
});
covering.run();

const API = 'rbac.authorization.k8s.io';
interface Writer {
  readonly groups?: string[];
  readonly held?: GrantedRule[];
  readonly problems?: string[];
  /** verbs that are allowed besides, as `verb resource/name in namespace` */
  readonly may?: string[];
  readonly roles?: Record<string, GrantedRule[]>;
  readonly name?: string;
  readonly namespace?: string;
}

function access(
  resource: string,
  { groups = ['dev'], held = [], problems = [], may = [], roles = {}, name = '', namespace = 'a' }: Writer,
): WriteAccess {
  return {
    user: { name: 'alice', uid: '', groups, extra: {} },
    group: API,
    resource,
    namespace,
    name,
    allows: async (action) => may.includes(`${action.verb} ${action.resource}/${action.name} in ${action.namespace}`),
    heldRules: () => ({ rules: held, problems }),
    roleRules: (kind, role) => roles[`${kind}/${role}`],
  };
}

const role = (rules: GrantedRule[], more: object = {}): ApiObject => ({
  kind: 'Role',
  apiVersion: `${API}/v1`,
  metadata: { name: 'r' },
  rules,
  ...more,
});
const binding = (kind: string, name: string, apiGroup = API): ApiObject => ({
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
    () => authorizeRole(role([SECRETS]), undefined, access('roles', { problems: ['x', 'y'] })),
    /Verbs:\["get"\]\}; resolution errors: \[x y\]$/,
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

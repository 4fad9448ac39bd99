import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultPolicy } from '../../../generated/default-policy.ts';
import { DEFAULT_RESOURCES, defaultObjects } from '../../../runtime/authorization/rbac/default-objects.ts';
import { policyObjects } from '../../../runtime/authorization/rbac/policy-objects.ts';
import { reconcile } from '../../../runtime/authorization/rbac/reconcile.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { identity } from './roles.ts';

const AUTO = 'rbac.authorization.kubernetes.io/autoupdate';
const rule = (resource: string, ...verbs: string[]) => ({ verbs, apiGroups: [''], resources: [resource] });
const role = (
  rules: object[],
  annotations: Record<string, string> = { [AUTO]: 'true' },
  labels: Record<string, string> = { l: 'x' },
): ApiObject => ({
  kind: 'ClusterRole',
  apiVersion: 'v1',
  metadata: { name: 'r', labels, annotations },
  rules,
});
const binding = (name: string, ...users: string[]): ApiObject => ({
  kind: 'ClusterRoleBinding',
  apiVersion: 'v1',
  metadata: { name: 'b', labels: { l: 'x' }, annotations: { [AUTO]: 'true' } },
  subjects: users.map((user) => ({ kind: 'User', apiGroup: 'g', name: user })),
  roleRef: { apiGroup: 'g', kind: 'ClusterRole', name },
});
const gathering = (...labels: string[]): ApiObject => ({
  ...role([]),
  aggregationRule: { clusterRoleSelectors: labels.map((label) => ({ matchLabels: { [label]: 'true' } })) },
});

const rows: [what: string, existing: ApiObject, expected: ApiObject, result: unknown][] = [
  ['the same role', role([rule('pods', 'get')]), role([rule('pods', 'get')]), undefined],
  ['a role with more', role([rule('pods', 'get', 'list'), rule('x', 'get')]), role([rule('pods', 'get')]), undefined],
  [
    'a role that says the same otherwise',
    role([rule('pods', 'get'), rule('pods', 'list')]),
    role([rule('pods', 'get', 'list')]),
    undefined,
  ],
  ['a role with less', role([rule('pods', 'get')]), role([rule('pods', 'get', 'list')]), role([rule('pods', 'get'), rule('pods', 'list')])],
  ['a role that is to stay', role([], { [AUTO]: 'false' }), role([rule('pods', 'get')]), undefined],
  [
    'another value of the annotation',
    role([], { [AUTO]: 'no' }),
    role([rule('pods', 'get')], { [AUTO]: 'no' }),
    role([rule('pods', 'get')], { [AUTO]: 'no' }),
  ],
  ['labels and annotations that are gone', role([], {}, {}), role([]), role([])],
  ['labels of its own', role([], { [AUTO]: 'true', own: 'y' }, { l: 'z' }), role([]), undefined],
  ['selectors that are gone', gathering('a'), gathering('a', 'b'), gathering('a', 'b')],
  ['selectors of its own', gathering('a', 'own'), gathering('a'), undefined],
  [
    'a role that is not to gather the rules of others',
    { ...gathering('a'), rules: [rule('pods', 'get')] },
    role([rule('pods', 'get')]),
    role([rule('pods', 'get')]),
  ],
  [
    'a role that gathers, has less and is not to gather',
    { ...gathering('a'), rules: [] },
    role([rule('pods', 'get')]),
    role([rule('pods', 'get')]),
  ],
  ['a role that is to gather', role([]), gathering('a'), gathering('a')],
  ['the same binding', binding('r', 'a', 'b'), binding('r', 'b', 'a'), undefined],
  ['a binding for more', binding('r', 'a', 'own'), binding('r', 'a'), undefined],
  ['a binding for less', binding('r', 'own'), binding('r', 'a'), binding('r', 'own', 'a')],
  ['a binding of another role', binding('other', 'a'), binding('r', 'a'), 'recreate'],
];

const reconciled = suite('default roles and bindings at a start');
for (const [what, existing, expected, result] of rows) reconciled(what, () => assert.equal(reconcile(existing, expected, AUTO), result));

const objects = defaultObjects(defaultPolicy, identity);
const complete: [gates: boolean, counts: readonly number[]][] = [
  [false, [65, 7, 46, 7]],
  [true, [72, 7, 53, 7]],
];
for (const [gates, counts] of complete)
  reconciled(`are complete, all gates ${gates ? 'open' : 'closed'}`, () => {
    const made = policyObjects(defaultPolicy, identity, () => gates);
    const count = (name: string): number => made.filter(({ resource }) => resource.name === name).length;
    assert.equal(DEFAULT_RESOURCES.map(count), counts);
  });
reconciled('hold gathered rules from the first moment', () => {
  const rules = (name: string): object[] => objects.clusterroles.find(({ metadata }) => metadata.name === name)?.rules;
  assert.equal(rules('edit'), [...rules('system:aggregate-to-edit'), ...rules('view')]);
  assert.equal(rules('admin'), [...rules('edit'), ...rules('system:aggregate-to-admin')]);
});
reconciled.run();

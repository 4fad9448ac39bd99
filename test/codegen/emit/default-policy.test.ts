import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { emitDefaultPolicy, emitDefaultPolicyHash } from '../../../codegen/emit/default-policy.ts';
import { featureGates } from '../../../generated/feature-gates.ts';
import { identity } from '../../../generated/identity.ts';

const gates = new Set(Object.keys(featureGates));

const emitted = suite('default roles and bindings, emitted');
emitted('write what the schemas state', () => {
  const source = emitDefaultPolicy(readFileSync('schemas/default-policy.yaml', 'utf8'), identity, gates);
  assert.match(source, "name: 'cluster-admin', rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }");
});
emitted('have a hash that follows the content, not the comments', () => {
  assert.is(emitDefaultPolicyHash('a: 1 # one'), emitDefaultPolicyHash('a: 1'));
  assert.is.not(emitDefaultPolicyHash('a: 2'), emitDefaultPolicyHash('a: 1'));
});

emitted('tell the gates on which they depend', () => {
  const roles = ['B', 'A'].map((gate) => ({ name: gate, featureGates: [gate, 'C'], rules: [{ featureGates: ['D'] }] }));
  assert.match(emitDefaultPolicyHash(JSON.stringify({ clusterRoles: roles })), "['A', 'B', 'C', 'D']");
});

const file = (parts: Record<string, unknown>): string =>
  JSON.stringify({ clusterRoles: [], roles: [], clusterRoleBindings: [], roleBindings: [], ...parts });
const role = { name: 'r', rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] };
const gatedRule = (gate: string) => ({ ...role.rules[0], featureGates: [gate] });
const refused: [what: string, parts: Record<string, unknown>, problem: RegExp][] = [
  ['a role without rules', { clusterRoles: [{ name: 'r' }] }, /clusterRoles\/0/],
  ['a role with rules that gathers others', { clusterRoles: [{ ...role, aggregate: 'x' }] }, /clusterRoles\/0/],
  ['a rule for resources and paths', { clusterRoles: [{ name: 'r', rules: [{ ...role.rules[0], nonResourceURLs: ['/'] }] }] }, /rules\/0/],
  ['a role without its namespace', { roles: [role] }, /namespace/],
  ['the same name twice', { clusterRoles: [role, role] }, /clusterRoles \/r stands there twice/],
  [
    'a binding of a role that is not there',
    { clusterRoleBindings: [{ name: 'b', clusterRole: 'x', subjects: [] }] },
    /there is no clusterRoles \/x/,
  ],
  [
    'a binding of a role of another namespace',
    { roles: [{ ...role, namespace: 'a' }], roleBindings: [{ name: 'b', namespace: 'b', role: 'r', subjects: [] }] },
    /there is no roles b\/r/,
  ],
  [
    'a subject of two kinds',
    { clusterRoles: [role], clusterRoleBindings: [{ name: 'b', clusterRole: 'r', subjects: [{ user: 'a', group: 'b' }] }] },
    /subjects\/0/,
  ],
  ['a gate that is none', { clusterRoles: [{ ...role, featureGates: ['Nothing'] }] }, /Nothing is no feature gate/],
  ['a rule with a gate that is none', { clusterRoles: [{ ...role, rules: [gatedRule('Nothing')] }] }, /Nothing is no feature gate/],
  ['a gate of a rule in a role of a namespace', { roles: [{ ...role, namespace: 'a', rules: [gatedRule('KMSv1')] }] }, /featureGates/],
  ['a name that no dialect has', { clusterRoles: [{ ...role, name: '${nothing}' }] }, /\$\{nothing\} is no name/],
];
for (const [what, parts, problem] of refused)
  emitted(`refuse ${what}`, () => assert.throws(() => emitDefaultPolicy(file(parts), identity, gates), problem));
emitted.run();

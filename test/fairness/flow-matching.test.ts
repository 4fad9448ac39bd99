/** Which flow schema a request is of. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FlowSchemaSpec, PolicyRulesWithSubjects } from '../../generated/flowcontrol/v1/types.ts';
import { type FlowAttributes, FlowMatching } from '../../runtime/fairness/flow-matching.ts';
import { suggestedSchemas } from '../../runtime/fairness/suggested-specs.ts';
import { mandatorySchemas } from '../../runtime/kinds/flowcontrol/mandatory-specs.ts';

interface Named {
  readonly object: { readonly metadata: { readonly name: string }; readonly spec: FlowSchemaSpec };
}

const schema = (name: string, matchingPrecedence: number, ...rules: PolicyRulesWithSubjects[]): Named => ({
  object: { metadata: { name }, spec: { priorityLevelConfiguration: { name: 'any' }, matchingPrecedence, rules } },
});
const path = (verb: string, url: string): FlowAttributes => ({
  isResource: false,
  verb,
  path: url,
  namespace: '',
  group: '',
  resource: '',
  subresource: '',
});
/** @param named such as `apps/deployments/status` */
function resource(verb: string, named: string, namespace = 'default'): FlowAttributes {
  const [group = '', name = '', subresource = ''] = named.split('/');
  return { isResource: true, verb, path: '/', namespace, group, resource: name, subresource };
}
const user = (name: string, ...groups: string[]) => ({ name, groups });
const OTHERWISE = schema('otherwise', 10_000);

const rules = suite('the rules of a flow schema');
const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true };
const subject = { kind: 'User' as const, user: { name: 'alice' } };
const rows: [name: string, rule: PolicyRulesWithSubjects, request: FlowAttributes, matches: boolean, who?: ReturnType<typeof user>][] = [
  ['a user', { subjects: [subject], resourceRules: [all] }, resource('get', '/pods'), true],
  ['another user', { subjects: [subject], resourceRules: [all] }, resource('get', '/pods'), false, user('bob')],
  ['any user', { subjects: [{ kind: 'User', user: { name: '*' } }], resourceRules: [all] }, resource('get', '/pods'), true],
  [
    'a group',
    { subjects: [{ kind: 'Group', group: { name: 'a' } }], resourceRules: [all] },
    resource('get', '/pods'),
    true,
    user('x', 'a'),
  ],
  ['another group', { subjects: [{ kind: 'Group', group: { name: 'a' } }], resourceRules: [all] }, resource('get', '/pods'), false],
  ['any group', { subjects: [{ kind: 'Group', group: { name: '*' } }], resourceRules: [all] }, resource('get', '/pods'), true],
  [
    'a service account',
    { subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: 'a' } }], resourceRules: [all] },
    resource('get', '/pods'),
    true,
    user('system:serviceaccount:n:a'),
  ],
  [
    'any service account of a namespace',
    { subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: '*' } }], resourceRules: [all] },
    resource('get', '/pods'),
    true,
    user('system:serviceaccount:n:b'),
  ],
  [
    'what looks like a service account of a namespace',
    { subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: '*' } }], resourceRules: [all] },
    resource('get', '/pods'),
    true,
    user('system:serviceaccount:n:b:c'),
  ],
  [
    'a service account of a namespace whose name begins alike',
    { subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: '*' } }], resourceRules: [all] },
    resource('get', '/pods'),
    false,
    user('system:serviceaccount:nn:b'),
  ],
  ['another verb', { subjects: [subject], resourceRules: [{ ...all, verbs: ['list'] }] }, resource('get', '/pods'), false],
  [
    'another group of the API',
    { subjects: [subject], resourceRules: [{ ...all, apiGroups: [''] }] },
    resource('get', 'apps/deployments'),
    false,
  ],
  ['a resource', { subjects: [subject], resourceRules: [{ ...all, resources: ['pods'] }] }, resource('get', '/pods'), true],
  ['its subresource', { subjects: [subject], resourceRules: [{ ...all, resources: ['pods'] }] }, resource('get', '/pods/status'), false],
  [
    'a subresource',
    { subjects: [subject], resourceRules: [{ ...all, resources: ['pods/status'] }] },
    resource('get', '/pods/status'),
    true,
  ],
  ['another namespace', { subjects: [subject], resourceRules: [{ ...all, namespaces: ['x'] }] }, resource('get', '/pods'), false],
  [
    'a list of all namespaces, not of the cluster',
    { subjects: [subject], resourceRules: [{ ...all, clusterScope: false }] },
    resource('list', '/pods', ''),
    false,
  ],
  ['a list of all namespaces', { subjects: [subject], resourceRules: [all] }, resource('list', '/pods', ''), true],
  ['a path, by rules for resources', { subjects: [subject], resourceRules: [all] }, path('get', '/version'), false],
  ['a path', { subjects: [subject], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/version'] }] }, path('get', '/version'), true],
  [
    'a path below it',
    { subjects: [subject], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/livez'] }] },
    path('get', '/livez/ping'),
    true,
  ],
  [
    'a path that begins alike',
    { subjects: [subject], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/livez'] }] },
    path('get', '/livezz'),
    false,
  ],
  [
    'a path by a star',
    { subjects: [subject], nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/healthz/*'] }] },
    path('get', '/healthz/a'),
    true,
  ],
  ['any path', { subjects: [subject], nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }, path('post', '/x'), true],
  [
    'another verb of a path',
    { subjects: [subject], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['*'] }] },
    path('post', '/x'),
    false,
  ],
];
for (const [name, rule, request, matches, who = user('alice')] of rows)
  rules(name, () => {
    const matching = new FlowMatching([schema('one', 1, rule)], OTHERWISE);
    // what is known of a user must not change what is found
    for (let i = 0; i < 2; i++) assert.is(matching.match(who, request).object.metadata.name, matches ? 'one' : 'otherwise');
  });
rules('are looked at by precedence, then by name', () => {
  const rule = { subjects: [subject], resourceRules: [all] };
  const first = (...schemas: Named[]) =>
    new FlowMatching(schemas, OTHERWISE).match(user('alice'), resource('get', '/pods')).object.metadata.name;
  assert.is(first(schema('a', 20, rule), schema('b', 10, rule)), 'b');
  assert.is(first(schema('b', 10, rule), schema('a', 10, rule)), 'a');
});
rules.run();

const standard = suite('the schemas that every cluster has');
const text = (template: string) => template.replace('${systemNamespace}', 'kube-system').replace('${groupDomain}', 'k8s.io');
const schemas = Object.entries({ ...mandatorySchemas, ...suggestedSchemas(text) }).map(([name, spec]) => ({
  object: { metadata: { name }, spec },
}));
const matching = new FlowMatching(schemas, schemas.find(({ object }) => object.metadata.name === 'catch-all') as (typeof schemas)[number]);
const AUTHENTICATED = 'system:authenticated';
const standardRows: [who: ReturnType<typeof user>, request: FlowAttributes, schema: string][] = [
  [user('admin', 'system:masters', AUTHENTICATED), resource('list', '/pods'), 'exempt'],
  [user('system:anonymous', 'system:unauthenticated'), path('get', '/readyz'), 'probes'],
  [user('system:anonymous', 'system:unauthenticated'), path('get', '/metrics'), 'global-default'],
  [user('system:node:a', 'system:nodes', AUTHENTICATED), resource('update', '/nodes/status', ''), 'system-node-high'],
  [user('system:node:a', 'system:nodes', AUTHENTICATED), resource('list', '/pods', ''), 'system-nodes'],
  [user('system:kube-scheduler', AUTHENTICATED), resource('update', 'coordination.k8s.io/leases'), 'system-leader-election'],
  [user('system:kube-scheduler', AUTHENTICATED), resource('list', '/pods', ''), 'kube-scheduler'],
  [
    user('system:serviceaccount:kube-system:x', 'system:serviceaccounts', AUTHENTICATED),
    resource('get', '/pods'),
    'kube-system-service-accounts',
  ],
  [user('system:serviceaccount:a:x', 'system:serviceaccounts', AUTHENTICATED), resource('get', '/pods'), 'service-accounts'],
  [user('alice', AUTHENTICATED), resource('get', '/pods'), 'global-default'],
  [user('of no group'), resource('get', '/pods'), 'catch-all'],
];
for (const [who, request, name] of standardRows)
  standard(`${who.name}, ${request.verb} ${request.isResource ? request.resource : request.path}: ${name}`, () =>
    assert.is(matching.match(who, request).object.metadata.name, name),
  );
standard.run();

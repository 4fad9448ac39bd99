import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Decision } from '../../../runtime/authorization/authorizer.ts';
import { RbacAuthorizer } from '../../../runtime/authorization/rbac/authorizer.ts';
import type { GrantedRule } from '../../../runtime/contract/write-access.ts';
import { atOnce } from '../../../runtime/schema/at-once.ts';
import { longText, usedHeap } from '../../harness/heap.ts';
import { action, path, user } from '../attributes.ts';
import { identity, Roles } from './roles.ts';

const ALICE = user('alice', 'dev', 'system:authenticated');
const ROBOT = user('system:serviceaccount:a:robot', 'system:serviceaccounts', 'system:serviceaccounts:a');
const resources = (apiGroups: string[], names: string[], verbs: string[], resourceNames?: string[]): GrantedRule => ({
  verbs,
  apiGroups,
  resources: names,
  ...(resourceNames && { resourceNames }),
});

/** One rule, bound to alice cluster-wide: what it grants, and next to it what it does not. */
const rules: [what: string, rule: GrantedRule, granted: string[], denied: string[]][] = [
  [
    'names of everything',
    resources(['apps'], ['deployments'], ['get', 'list']),
    ['get apps:deployments d in a', 'list apps:deployments in a', 'list apps:deployments'],
    [
      'watch apps:deployments in a',
      'update apps:deployments d in a',
      'get deployments d in a',
      'get extensions:deployments d in a',
      'get apps:daemonsets d in a',
      'get apps:deployments/status d in a',
      'get apps:deployments/scale d in a',
      'GET apps:deployments d in a',
      'get Apps:deployments d in a',
      'get apps:Deployments d in a',
      'ge apps:deployments d in a',
      '* apps:deployments d in a',
      'get *:deployments d in a',
      'get apps:* d in a',
    ],
  ],
  [
    'all verbs',
    resources([''], ['pods'], ['*']),
    ['get pods p in a', 'deletecollection pods in a', 'any pods'],
    ['get pods/log p in a', 'get nodes n'],
  ],
  [
    'all groups',
    resources(['*'], ['jobs'], ['get']),
    ['get jobs j in a', 'get batch:jobs j in a', 'get x.org:jobs j in a'],
    ['get batch:cronjobs j in a'],
  ],
  ['the core group', resources([''], ['pods'], ['get']), ['get pods p in a'], ['get apps:pods p in a']],
  [
    'all resources',
    resources([''], ['*'], ['get']),
    ['get pods p in a', 'get pods/log p in a', 'get nodes n', 'get nodes/proxy n'],
    ['get apps:deployments d in a', 'list pods in a'],
  ],
  [
    'a subresource',
    resources([''], ['pods/log'], ['get']),
    ['get pods/log p in a'],
    ['get pods p in a', 'get pods/status p in a', 'get services/log p in a', 'get pods/log/x p in a'],
  ],
  [
    'a subresource of everything',
    resources(['*'], ['*/scale'], ['update']),
    ['update apps:deployments/scale d in a', 'update replicationcontrollers/scale r in a'],
    [
      'update apps:deployments d in a',
      'update apps:deployments/status d in a',
      'get apps:deployments/scale d in a',
      'update apps:deployments/rescale d in a',
    ],
  ],
  ['no part of a name', resources([''], ['pod*'], ['get']), [], ['get pods p in a', 'get pod p in a']],
  [
    'names',
    resources([''], ['configmaps'], ['get', 'list', 'watch', 'update', 'create', 'deletecollection'], ['c', 'd']),
    ['get configmaps c in a', 'update configmaps d in b', 'list configmaps c in a', 'watch configmaps c in a', 'create configmaps c in a'],
    [
      'get configmaps e in a',
      'get configmaps in a',
      'list configmaps in a',
      'watch configmaps in a',
      'create configmaps in a',
      'deletecollection configmaps in a',
      'get configmaps C in a',
      'get configmaps * in a',
      'get secrets c in a',
    ],
  ],
  ['a star that is no name', resources([''], ['configmaps'], ['get'], ['*']), ['get configmaps * in a'], ['get configmaps c in a']],
];

const judged = suite('rules of roles');
for (const [what, rule, granted, denied] of rules) {
  const { authorizer } = new Roles().role('r', [rule]).bind('b', 'ClusterRole/r', 'User alice');
  const decide = (text: string) => authorizer.authorize(action(ALICE, text)).decision;
  for (const text of granted) judged(`${what}: ${text}`, () => assert.is(decide(text), 'allow'));
  for (const text of denied) judged(`${what}: not ${text}`, () => assert.is(decide(text), 'noOpinion'));
  judged(`${what}: no path`, () => assert.is(authorizer.authorize(path(ALICE, 'get /pods')).decision, 'noOpinion'));
}

const urls: [pattern: string, granted: string[], denied: string[]][] = [
  ['/metrics', ['/metrics'], ['/metrics/', '/metrics/x', '/Metrics', '/', '//metrics', '/metrics/../metrics', '/%6Detrics']],
  ['/logs/*', ['/logs/', '/logs/a/b'], ['/logs', '/logsx', '/x/logs/']],
  ['/log*', ['/log', '/logs', '/logs/a'], ['/lo', '/x/log']],
  ['*', ['/', '/anything', '/metrics'], []],
];
for (const [pattern, granted, denied] of urls) {
  const { authorizer } = new Roles().role('r', [{ verbs: ['get'], nonResourceURLs: [pattern] }]).bind('b', 'ClusterRole/r', 'User alice');
  for (const url of granted)
    judged(`${pattern}: get ${url}`, () => assert.is(authorizer.authorize(path(ALICE, `get ${url}`)).decision, 'allow'));
  for (const url of granted)
    judged(`${pattern}: not post ${url}`, () => assert.is(authorizer.authorize(path(ALICE, `post ${url}`)).decision, 'noOpinion'));
  for (const url of denied)
    judged(`${pattern}: not get ${url}`, () => assert.is(authorizer.authorize(path(ALICE, `get ${url}`)).decision, 'noOpinion'));
  judged(`${pattern}: no resource`, () => assert.is(authorizer.authorize(action(ALICE, 'get pods p in a')).decision, 'noOpinion'));
}
judged.run();

const READ = resources([''], ['pods'], ['get']);
const subjects: [subject: string, binding: string, who: ReturnType<typeof user>, allowed: boolean][] = [
  ['User alice', 'b', ALICE, true],
  ['User Alice', 'b', ALICE, false],
  ['User dev', 'b', ALICE, false],
  ['User *', 'b', ALICE, false],
  ['Group dev', 'b', ALICE, true],
  ['Group alice', 'b', ALICE, false],
  ['Group *', 'b', ALICE, false],
  ['Group system:authenticated', 'b', ALICE, true],
  ['Group system:unauthenticated', 'b', ALICE, false],
  ['ServiceAccount a/robot', 'b', ROBOT, true],
  ['ServiceAccount b/robot', 'b', ROBOT, false],
  ['ServiceAccount robot', 'b', ROBOT, false],
  ['ServiceAccount robot', 'a/b', ROBOT, true],
  ['ServiceAccount b/robot', 'a/b', ROBOT, false],
  ['User system:serviceaccount:a:robot', 'b', ROBOT, true],
  ['Group system:serviceaccounts:a', 'b', ROBOT, true],
  ['Group system:serviceaccounts:b', 'b', ROBOT, false],
  ['User alice', 'b/b', ALICE, false],
];
const bound = suite('subjects of bindings');
for (const [subject, binding, who, allowed] of subjects) {
  const { authorizer } = new Roles().role('r', [READ]).bind(binding, 'ClusterRole/r', subject);
  bound(`${subject} by ${binding} is ${allowed ? '' : 'not '}${who.name}`, () =>
    assert.is(authorizer.authorize(action(who, 'get pods p in a')).decision, allowed ? 'allow' : 'noOpinion'),
  );
}
bound.run();

const scopes = suite('scopes of bindings');
const scoped = new Roles()
  .role('r', [READ, { verbs: ['get'], nonResourceURLs: ['/metrics'] }])
  .role('a/local', [resources([''], ['secrets'], ['get'])])
  .bind('a/cluster', 'ClusterRole/r', 'User alice')
  .bind('a/local', 'Role/local', 'User alice')
  .bind('b/local', 'Role/local', 'User alice');
const decision = (roles: Roles, text: string) => roles.authorizer.authorize(action(ALICE, text));
scopes('a ClusterRole in one namespace counts there', () => assert.is(decision(scoped, 'get pods p in a').decision, 'allow'));
scopes('and in no other', () => assert.is(decision(scoped, 'get pods p in b').decision, 'noOpinion'));
scopes('nor across all', () => assert.is(decision(scoped, 'get pods').decision, 'noOpinion'));
scopes('nor on paths', () => assert.is(scoped.authorizer.authorize(path(ALICE, 'get /metrics')).decision, 'noOpinion'));
scopes('a Role counts in its namespace', () => assert.is(decision(scoped, 'get secrets s in a').decision, 'allow'));
scopes('a Role of another namespace does not, and is missing', () =>
  assert.equal(decision(scoped, 'get secrets s in b'), {
    decision: 'noOpinion',
    reason: 'RBAC: role.rbac.authorization.k8s.io "local" not found',
  }),
);
scopes.run();

const reasons = suite('reasons');
reasons('name binding, role and subject', () => {
  const roles = new Roles()
    .role('r', [READ])
    .bind('x', 'ClusterRole/r', 'Group other', 'Group dev', 'User alice')
    .bind('a/y', 'ClusterRole/r', 'ServiceAccount robot');
  assert.is(decision(roles, 'get pods p in a').reason, 'RBAC: allowed by ClusterRoleBinding "x" of ClusterRole "r" to Group "dev"');
  assert.is(
    roles.authorizer.authorize(action(ROBOT, 'get pods p in a')).reason,
    'RBAC: allowed by RoleBinding "y/a" of ClusterRole "r" to ServiceAccount "robot/a"',
  );
});
reasons('name every missing role once', () => {
  const roles = new Roles()
    .bind('x', 'ClusterRole/none', 'User alice')
    .bind('y', 'ClusterRole/none', 'Group dev')
    .bind('a/z', 'Role/other', 'User alice');
  assert.is(
    decision(roles, 'get pods p in a').reason,
    'RBAC: [clusterrole.rbac.authorization.k8s.io "none" not found, role.rbac.authorization.k8s.io "other" not found]',
  );
});
reasons('of a missing role do not stand in the way of a right', () =>
  assert.is(
    decision(
      new Roles().bind('a', 'ClusterRole/none', 'User alice').role('r', [READ]).bind('b', 'ClusterRole/r', 'User alice'),
      'get pods p',
    ).decision,
    'allow',
  ),
);
reasons.run();

const changes = suite('changes of roles and bindings');
const steps: [what: string, change: (roles: Roles) => unknown, allowed: boolean][] = [
  ['nothing', () => {}, true],
  ['the binding goes', (roles) => roles.remove('rolebindings', 'a/b'), false],
  ['it comes back', (roles) => roles.bind('a/b', 'Role/r', 'User alice'), true],
  ['it is for somebody else', (roles) => roles.bind('a/b', 'Role/r', 'User bob'), false],
  ['it is for a group', (roles) => roles.bind('a/b', 'Role/r', 'User bob', 'Group dev'), true],
  ['the role loses the rule', (roles) => roles.role('a/r', []), false],
  ['the role gets it again', (roles) => roles.role('a/r', [READ]), true],
  ['the role goes', (roles) => roles.remove('roles', 'a/r'), false],
  ['everything is forgotten', (roles) => roles.role('a/r', [READ]).index.reset(), false],
];
const changing = new Roles().role('a/r', [READ]).bind('a/b', 'Role/r', 'User alice');
for (const [what, change, allowed] of steps)
  changes(what, () => {
    change(changing);
    assert.is(decision(changing, 'get pods p in a').decision, allowed ? 'allow' : 'noOpinion');
  });
changes('a review of hostile text does not change what is remembered of other actions', () => {
  const roles = new Roles().role('r', [{ verbs: ['*'], nonResourceURLs: ['*'] }]).bind('b', 'ClusterRole/r', 'User alice');
  for (const hostile of ['get\n\npods\n', 'resource\nget\n\npods\n', '\npods\n'])
    assert.is(roles.authorizer.authorize({ ...path(ALICE, 'get /'), path: hostile }).decision, 'allow');
  assert.is(decision(roles, 'get pods').decision, 'noOpinion');
});
changes('many different questions are answered without being remembered for good', () => {
  for (let i = 0; i < 2_000; i++) assert.is(decision(changing, `get things${i} in a`).decision, 'noOpinion');
});
changes.run();

const aggregates = suite('roles that gather rules');
aggregates('take those of labelled ones, in the order of names, each once', () => {
  const roles = new Roles()
    .role('all', [], { aggregate: [{ matchLabels: { to: 'all' } }] })
    .role('z', [READ, resources([''], ['nodes'], ['get'])], { labels: { to: 'all' } })
    .role('b', [READ], { labels: { to: 'all' } })
    .role('c', [resources([''], ['secrets'], ['*'])], { labels: { to: 'other' } });
  const outdated = atOnce(roles.index.outdatedAggregates());
  assert.equal(outdated, [{ name: 'all', rules: [READ, resources([''], ['nodes'], ['get'])] }]);
  roles.role('all', outdated[0]?.rules ?? [], { aggregate: [{ matchLabels: { to: 'all' } }] });
  assert.equal(atOnce(roles.index.outdatedAggregates()), []);
});
aggregates('lose what was written by hand', () => {
  const roles = new Roles().role('all', [READ], { aggregate: [{ matchLabels: { to: 'all' } }] });
  assert.equal(atOnce(roles.index.outdatedAggregates()), [{ name: 'all', rules: [] }]);
});
aggregates('never take their own', () => {
  const roles = new Roles().role('all', [READ], { labels: { to: 'all' }, aggregate: [{ matchLabels: { to: 'all' } }] });
  assert.equal(atOnce(roles.index.outdatedAggregates()), [{ name: 'all', rules: [] }]);
});
aggregates('are looked for in pieces, however many roles there are', () => {
  const roles = new Roles().role('all', [READ], { aggregate: [{ matchLabels: { to: 'all' } }] });
  for (let index = 0; index < 2_000; index++) roles.role(`role-${index}`, [READ], { labels: { to: index < 500 ? 'all' : 'other' } });
  let pieces = 0;
  for (const work = roles.index.outdatedAggregates(); work.next().done !== true; ) pieces++;
  assert.ok(pieces >= 500, `${pieces} pieces`);
});
aggregates.run();

const memory = suite('memory of answers');
memory('holds no long questions, which access reviews may ask', () => {
  const roles = new Roles().role('r', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]).bind('b', 'ClusterRole/r', 'User alice');
  const asked = (index: number) => {
    const resource = longText(index, 500_000);
    assert.is(roles.authorizer.authorize({ ...action(ALICE, 'get pods in a'), resource }).decision, 'allow');
  };
  asked(0);
  const before = usedHeap();
  for (let index = 1; index <= 200; index++) asked(index);
  const grown = usedHeap() - before;
  assert.ok(grown < 20_000_000, `${grown} bytes`);
});
memory.run();

const long = suite('long roles and bindings');
const MANY = 20_000;
const manyRules = (verb: string): GrantedRule[] =>
  Array.from({ length: MANY }, (_, index) => ({ verbs: [verb], apiGroups: [''], resources: [`things${index}`] }));
const manySubjects = (last: string): string[] => [...Array.from({ length: MANY }, (_, index) => `User user${index}`), last];
/** Waits where something is being read. */
const patient = ({ index }: Roles) => new RbacAuthorizer(index, () => {}, identity);
const decided = async (roles: Roles, text: string, who = ALICE) => (await patient(roles).authorize(action(who, text))).decision;

long('count for the first question after they are written, and those that others have count at once', async () => {
  const roles = new Roles().role('short', [READ]).bind('short', 'ClusterRole/short', 'User alice');
  roles.role('long', manyRules('get')).bind('long', 'ClusterRole/long', ...manySubjects('User alice'));
  assert.is((patient(roles).authorize(action(ALICE, 'get pods p in a')) as Decision).decision, 'allow');
  assert.is(await decided(roles, 'get things19999 x in a'), 'allow');
  assert.is(await decided(roles, 'get things19999 x in a', user('user0')), 'allow');
  assert.is(await decided(roles, 'list things19999 in a'), 'noOpinion');
});
long('and all others are waited for while a start takes them in, by those who would be refused', async () => {
  const roles = new Roles().role('r', [READ]).bind('first', 'ClusterRole/r', 'User alice');
  let goOn = false;
  roles.index.takeIn(
    (function* () {
      while (!goOn) yield;
      roles.bind('second', 'ClusterRole/r', 'User bob');
    })(),
  );
  assert.is((patient(roles).authorize(action(ALICE, 'get pods p in a')) as Decision).decision, 'allow');
  const decisions = ['bob', 'carol'].map((name) => decided(roles, 'get pods p in a', user(name)));
  goOn = true;
  assert.equal(await Promise.all(decisions), ['allow', 'noOpinion']);
  assert.is(roles.index.pending, undefined);
});
long('end at once', async () => {
  const roles = new Roles().role('long', manyRules('get')).bind('long', 'ClusterRole/long', ...manySubjects('User alice'));
  assert.is(await decided(roles, 'get things7 x in a'), 'allow');
  roles.remove('clusterrolebindings', 'long');
  assert.is((patient(roles).authorize(action(ALICE, 'get things7 x in a')) as Decision).decision, 'noOpinion');
  roles.bind('long', 'ClusterRole/long', ...manySubjects('User bob'));
  assert.is(await decided(roles, 'get things7 x in a'), 'noOpinion');
  assert.is(await decided(roles, 'get things7 x in a', user('bob')), 'allow');
});
long('are what was written last, whatever was being read', async () => {
  const roles = new Roles().bind('b', 'ClusterRole/long', 'User alice');
  roles.role('long', manyRules('get')).role('long', manyRules('list'));
  assert.is(await decided(roles, 'get things7 x in a'), 'noOpinion');
  assert.is(await decided(roles, 'list things7 in a'), 'allow');
  roles.role('long', manyRules('get')).role('long', [READ]);
  assert.is(await decided(roles, 'get things7 x in a'), 'noOpinion');
  assert.is(await decided(roles, 'get pods p in a'), 'allow');
  roles.role('long', manyRules('get')).remove('clusterroles', 'long');
  assert.is(await decided(roles, 'get things7 x in a'), 'noOpinion');
  assert.is(roles.index.pending, undefined);
});
long('are known to reviews of rules', async () => {
  const roles = new Roles().role('long', manyRules('get')).bind('b', 'ClusterRole/long', 'User alice');
  assert.is((await patient(roles).rules(ALICE, 'a')).resourceRules.length, MANY);
});
long.run();

const listed = suite('rules reviews');
listed('list rules of all bindings, and what is missing', async () => {
  const roles = new Roles()
    .role('r', [READ, { verbs: ['get'], nonResourceURLs: ['/metrics'] }])
    .role('a/l', [resources([''], ['secrets'], ['get'], ['s'])])
    .bind('b', 'ClusterRole/r', 'Group dev')
    .bind('a/b', 'Role/l', 'User alice')
    .bind('a/c', 'Role/none', 'User alice');
  assert.equal(await roles.authorizer.rules(ALICE, 'a'), {
    resourceRules: [
      { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [] },
      { verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['s'] },
    ],
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }],
    incomplete: false,
    error: 'role.rbac.authorization.k8s.io "none" not found',
  });
});
listed('name missing roles as ones of the resource that a request writes', () => {
  const roles = new Roles()
    .role('r', [READ])
    .bind('b', 'ClusterRole/r', 'Group dev')
    .bind('c', 'ClusterRole/none', 'User alice')
    .bind('a/c', 'Role/other', 'User alice')
    .bind('a/d', 'Role/none', 'User alice');
  const problem = '[rolebindings.rbac.authorization.k8s.io "none" not found, rolebindings.rbac.authorization.k8s.io "other" not found]';
  assert.equal(roles.authorizer.held(ALICE, 'a', 'rolebindings'), { rules: [READ], problem });
  assert.is(roles.authorizer.held(ALICE, '', 'clusterroles').problem, 'clusterroles.rbac.authorization.k8s.io "none" not found');
});
listed.run();

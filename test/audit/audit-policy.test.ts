import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PolicyRule } from '../../generated/audit/v1/types.ts';
import { type AuditedRequest, type AuditedUser, AuditPolicy } from '../../runtime/audit/audit-policy.ts';

const test = suite('an audit policy');
const JANE: AuditedUser = { name: 'jane', groups: ['dev', 'ops'] };
const LOG: AuditedRequest = {
  verb: 'get',
  isResource: true,
  path: '/api/v1/namespaces/shop/pods/web/log',
  namespace: 'shop',
  group: '',
  resource: 'pods',
  subresource: 'log',
  name: 'web',
};
const HEALTH: AuditedRequest = { ...LOG, isResource: false, path: '/healthz/ping', namespace: '', resource: '', subresource: '', name: '' };
const NODE: AuditedRequest = { ...LOG, namespace: '', resource: 'nodes', subresource: '', name: 'a' };

const rows: [name: string, rule: Omit<PolicyRule, 'level'>, request: AuditedRequest, matches: boolean, user?: undefined][] = [
  ['an empty rule matches all', {}, HEALTH, true],
  ['a user', { users: ['joe', 'jane'] }, LOG, true],
  ['another user', { users: ['joe'] }, LOG, false],
  ['no user is none that is named', { users: [''] }, LOG, false, undefined],
  ['one of the groups', { userGroups: ['ops'] }, LOG, true],
  ['none of the groups', { userGroups: ['admins'] }, LOG, false],
  ['a verb', { verbs: ['list', 'get'] }, LOG, true],
  ['another verb', { verbs: ['list'] }, LOG, false],
  ['a namespace', { namespaces: ['shop'] }, LOG, true],
  ['what has no namespace', { namespaces: [''] }, NODE, true],
  ['what has no namespace is in none', { namespaces: ['shop'] }, NODE, false],
  ['a path is in no namespace', { namespaces: [''] }, HEALTH, false],
  ['all of a group', { resources: [{ group: '' }] }, LOG, true],
  ['another group', { resources: [{ group: 'apps' }] }, LOG, false],
  ['a resource', { resources: [{ group: '', resources: ['nodes'] }] }, NODE, true],
  ['a resource is not its subresource', { resources: [{ group: '', resources: ['pods'] }] }, LOG, false],
  ['a subresource', { resources: [{ group: '', resources: ['pods/log'] }] }, LOG, true],
  ['all subresources of a resource', { resources: [{ group: '', resources: ['pods/*'] }] }, LOG, true],
  ['all subresources, and the resource', { resources: [{ group: '', resources: ['nodes/*'] }] }, NODE, true],
  ['a subresource of all resources', { resources: [{ group: '', resources: ['*/log'] }] }, LOG, true],
  ['a subresource is no resource', { resources: [{ group: '', resources: ['*/nodes'] }] }, NODE, false],
  ['any resource', { resources: [{ group: '', resources: ['*'] }] }, LOG, true],
  ['a name', { resources: [{ group: '', resources: ['pods/log'], resourceNames: ['web'] }] }, LOG, true],
  ['another name', { resources: [{ group: '', resources: ['pods/log'], resourceNames: ['db'] }] }, LOG, false],
  ['one of several', { resources: [{ group: 'apps' }, { group: '', resources: ['pods/log'] }] }, LOG, true],
  ['a resource in another namespace', { namespaces: ['other'], resources: [{ group: '' }] }, LOG, false],
  ['a path', { nonResourceURLs: ['/healthz/ping'] }, HEALTH, true],
  ['what is below a path', { nonResourceURLs: ['/metrics', '/healthz*'] }, HEALTH, true],
  ['any path', { nonResourceURLs: ['*'] }, HEALTH, true],
  ['another path', { nonResourceURLs: ['/healthz'] }, HEALTH, false],
  ['a path is no resource', { nonResourceURLs: ['*'] }, LOG, false],
];
for (const row of rows) {
  const [name, rule, request, matches] = row;
  const user = row.length === 5 ? undefined : JANE;
  const level = matches ? 'Metadata' : 'None';
  test(name, () => {
    const policy = new AuditPolicy({ rules: [{ level: 'Metadata', ...rule }] });
    assert.is(policy.recording(request, user).level, level);
  });
  test(`${name}, behind many rules for others, again and again`, () => {
    const others = Array.from({ length: 20 }, (_, i): PolicyRule => ({ level: 'Request', users: [`user-${i}`] }));
    const policy = new AuditPolicy({ rules: [...others, { level: 'Metadata', ...rule }] });
    assert.is(policy.recording({ ...request, verb: 'other', namespace: 'elsewhere', path: '/other' }, JANE).level === 'Request', false);
    for (let i = 0; i < 3; i++) assert.is(policy.recording(request, user).level, level);
    assert.is(policy.recording(request, { name: 'user-7', groups: [] }).level, 'Request');
  });
}

test('goes by the first rule that matches', () => {
  const policy = new AuditPolicy({
    rules: [
      { level: 'None', users: ['jane'], verbs: ['watch'] },
      { level: 'Request', users: ['jane'], omitStages: ['ResponseStarted'], omitManagedFields: false },
      { level: 'RequestResponse' },
    ],
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
  });
  const { level, omitStages, omitManagedFields } = policy.recording(LOG, JANE);
  assert.equal([level, [...omitStages], omitManagedFields], ['Request', ['RequestReceived', 'ResponseStarted'], false]);
  assert.is(policy.recording({ ...LOG, verb: 'watch' }, JANE).level, 'None');
  assert.equal(policy.recording(LOG, undefined), {
    level: 'RequestResponse',
    omitStages: new Set(['RequestReceived']),
    omitManagedFields: true,
  });
});

test.run();

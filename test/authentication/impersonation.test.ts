import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { impersonatedUser, wantsImpersonation } from '../../runtime/authentication/impersonation.ts';
import type { AccessAttributes, Authorizer } from '../../runtime/authorization/authorizer.ts';
import type { User } from '../../runtime/contract/request-context.ts';
import { StatusError } from '../../runtime/status/status.ts';
import { request } from './requests.ts';

type Headers = readonly (readonly [string, string])[];

const alice: User = { name: 'alice', uid: '', groups: [], extra: {} };
const text = (template: string) => template.replace('${groupDomain}', 'k8s.io');

/** What was asked, in the order in which it was. */
function authorizer(mayNot: (right: string) => boolean): Authorizer & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    authorize({ user, verb, group, resource, subresource, namespace, name }: AccessAttributes) {
      const right = [verb, group, subresource === '' ? resource : `${resource}/${subresource}`, namespace, name].join(' ');
      asked.push(right);
      return { decision: user === alice && !mayNot(right) ? 'allow' : 'noOpinion', reason: '' };
    },
    rules: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}

const test = suite('impersonation');
const account = 'system:serviceaccount:ns:robot';
const rows: [name: string, headers: Headers, user: Partial<User>, asked: string[]][] = [
  ['of a user', [['Impersonate-User', 'tess']], { name: 'tess', groups: ['system:authenticated'] }, ['impersonate  users  tess']],
  [
    'of a user with groups, uid and extra',
    [
      ['impersonate-user', 'tess'],
      ['Impersonate-Group', 'b'],
      ['Impersonate-Group', 'a, c'],
      ['Impersonate-Uid', '7'],
      ['Impersonate-Extra-Example.org%2FTeam', 'x'],
      ['Impersonate-Extra-Example.org%2FTeam', 'y'],
    ],
    { name: 'tess', uid: '7', groups: ['b', 'a, c', 'system:authenticated'], extra: { 'example.org/team': ['x', 'y'] } },
    [
      'impersonate  users  tess',
      'impersonate  groups  b',
      'impersonate  groups  a, c',
      'impersonate authentication.k8s.io userextras/example.org/team  x',
      'impersonate authentication.k8s.io userextras/example.org/team  y',
      'impersonate authentication.k8s.io uids  7',
    ],
  ],
  [
    'of a service account',
    [['Impersonate-User', account]],
    { name: account, groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'] },
    ['impersonate  serviceaccounts ns robot'],
  ],
  [
    'of a service account with groups',
    [
      ['Impersonate-User', account],
      ['Impersonate-Group', 'g'],
    ],
    { name: account, groups: ['g', 'system:authenticated'] },
    ['impersonate  serviceaccounts ns robot', 'impersonate  groups  g'],
  ],
  [
    'of a name that only looks like a service account',
    [['Impersonate-User', 'system:serviceaccount:ns:robot:x']],
    { name: 'system:serviceaccount:ns:robot:x' },
    ['impersonate  users  system:serviceaccount:ns:robot:x'],
  ],
  [
    'of nobody',
    [['Impersonate-User', 'system:anonymous']],
    { groups: ['system:unauthenticated'] },
    ['impersonate  users  system:anonymous'],
  ],
  [
    'of nobody, in the group of those who are authenticated',
    [
      ['Impersonate-User', 'system:anonymous'],
      ['Impersonate-Group', 'system:authenticated'],
    ],
    { groups: ['system:authenticated', 'system:unauthenticated'] },
    ['impersonate  users  system:anonymous', 'impersonate  groups  system:authenticated'],
  ],
  [
    'of one who is not authenticated',
    [
      ['Impersonate-User', 'tess'],
      ['Impersonate-Group', 'system:unauthenticated'],
    ],
    { groups: ['system:unauthenticated'] },
    ['impersonate  users  tess', 'impersonate  groups  system:unauthenticated'],
  ],
];
for (const [name, headers, expected, asked] of rows)
  test(name, async () => {
    const sent = request([...headers, ['Accept', '*/*']]);
    const judge = authorizer(() => false);
    assert.ok(wantsImpersonation(sent));
    const user = await impersonatedUser(sent, alice, judge, text);
    assert.equal({ ...user, ...expected }, user);
    assert.equal(judge.asked, asked);
    assert.equal(sent.rawHeaders, ['Accept', '*/*'], 'nothing behind it sees the headers');
  });

test('each right that is missing refuses the whole request', async () => {
  const [, headers = [], , asked = []] = rows[1] ?? [];
  for (const missing of asked) {
    const sent = request(headers);
    const judge = authorizer((right) => right === missing);
    const error = await impersonatedUser(sent, alice, judge, text).catch((thrown: unknown) => thrown);
    assert.instance(error, StatusError, missing);
    assert.is((error as StatusError).code, 403);
    assert.equal(judge.asked, asked.slice(0, asked.indexOf(missing) + 1));
  }
});

for (const name of ['Impersonate-Group', 'Impersonate-Uid', 'Impersonate-Extra-Scopes'])
  test(`${name} without a user is refused`, async () => {
    const sent = request({ [name]: 'x' });
    assert.ok(wantsImpersonation(sent));
    const error = await impersonatedUser(
      sent,
      alice,
      authorizer(() => false),
      text,
    ).catch((thrown: unknown) => thrown);
    assert.is((error as StatusError).code, 400);
  });

test('an empty user is none', async () => {
  assert.is(
    await impersonatedUser(
      request({ 'Impersonate-User': '' }),
      alice,
      authorizer(() => false),
      text,
    ),
    undefined,
  );
  assert.not.ok(wantsImpersonation(request({ Accept: '*/*', 'If-Match': 'x', 'X-Impersonate-User': 'root' })));
});

test.run();

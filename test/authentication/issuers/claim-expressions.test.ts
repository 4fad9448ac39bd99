/** Users that an issuer's configuration makes of claims by expressions. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mappedUser } from '../../../runtime/authentication/issuers/claim-mappings.ts';
import { issuersOf } from '../../../runtime/authentication/issuers/issuer-configuration.ts';
import type { StatedIssuer } from '../../../runtime/authentication/issuers/stated-issuer.ts';
import { Refusal } from '../../../runtime/authentication/outcome.ts';
import type { User } from '../../../runtime/contract/request-context.ts';
import { FileError } from '../../../runtime/files/file-error.ts';

type Changed = Partial<Omit<StatedIssuer, 'claimMappings'>> & { claimMappings?: Partial<StatedIssuer['claimMappings']> };

const CLAIMS = {
  sub: 'jane',
  email: 'jane@x.org',
  email_verified: true,
  groups: ['a', 'b'],
  team: 'c',
  level: 3,
  realm: { roles: ['r'] },
  nothing: null,
  blank: '',
};
async function compiled({ claimMappings, ...changed }: Changed) {
  const stated = {
    issuer: { url: 'https://i.example', audiences: ['x'] },
    claimMappings: { username: { expression: 'claims.sub' }, ...claimMappings },
    ...changed,
  };
  const [configuration] = await issuersOf({ kind: '', apiVersion: '', metadata: {}, jwt: [stated] }, 'f.yaml');
  assert.ok(configuration);
  return configuration;
}

const test = suite('expressions over claims');
const named = (expression: string): Changed => ({ claimMappings: { username: { expression } } });
const rows: [name: string, changed: Changed, expected: Partial<User> | RegExp][] = [
  ['a name', {}, { name: 'jane', groups: [], uid: '', extra: {} }],
  ['a name put together', named("'p:' + claims.sub"), { name: 'p:jane' }],
  ['a verified address', named('claims.email_verified ? claims.email : claims.sub'), { name: 'jane@x.org' }],
  ['an empty name', named("''"), /empty/],
  ['a name that is no text', named('claims.level'), /no text/],
  ['a name that can be no text, which is found when a token comes', named('1'), /no text/],
  ['a uid that can be no text', { claimMappings: { uid: { expression: "['a']" } } }, /no text/],
  ['a claim that is not there', named('claims.login'), /no such key/],
  ['groups of a list', { claimMappings: { groups: { expression: 'claims.groups' } } }, { groups: ['a', 'b'] }],
  ['one group', { claimMappings: { groups: { expression: 'claims.team' } } }, { groups: ['c'] }],
  ['no group for an empty text', { claimMappings: { groups: { expression: "''" } } }, { groups: [] }],
  ['no group for null', { claimMappings: { groups: { expression: 'claims.nothing' } } }, { groups: [] }],
  ['groups that are no texts', { claimMappings: { groups: { expression: '[1]' } } }, /list of texts/],
  [
    'groups of a list of which each is looked at',
    { claimMappings: { groups: { expression: "dyn(claims.groups).filter(g, g != 'a')" } } },
    { groups: ['b'] },
  ],
  ['groups of an object', { claimMappings: { groups: { expression: 'claims.realm.roles' } } }, { groups: ['r'] }],
  ['groups by a claim beside', { claimMappings: { groups: { claim: 'groups', prefix: 'g:' } } }, { groups: ['g:a', 'g:b'] }],
  ['a uid', { claimMappings: { uid: { expression: 'claims.sub' } } }, { uid: 'jane' }],
  ['more about the user that is no text', { claimMappings: { extra: [{ key: 'x.org/a', valueExpression: '[1]' }] } }, /list of texts/],
  [
    'a name by a claim, which may be empty beside an expression',
    { claimMappings: { username: { claim: 'blank', prefix: '' }, groups: { expression: 'claims.groups' } } },
    { name: '', groups: ['a', 'b'] },
  ],
  [
    'more about the user, without keys that have no value',
    {
      claimMappings: {
        extra: [
          { key: 'x.org/team', valueExpression: 'claims.team' },
          { key: 'x.org/none', valueExpression: "''" },
        ],
      },
    },
    { extra: { 'x.org/team': ['c'] } },
  ],
  ['a rule that holds', { claimValidationRules: [{ expression: 'claims.level > 2' }] }, { name: 'jane' }],
  ['a rule that does not', { claimValidationRules: [{ expression: 'claims.level > 3', message: 'too low' }] }, /oidc: too low/],
  ['a rule without a message', { claimValidationRules: [{ expression: 'false' }] }, /validation expression 'false' failed/],
  ['a required claim beside', { claimValidationRules: [{ claim: 'team', requiredValue: 'd' }] }, /required claim team/],
  ['a rule about the user', { userValidationRules: [{ expression: "!user.username.startsWith('system:')" }] }, { name: 'jane' }],
  [
    'a rule about the user that does not hold',
    {
      ...named("'system:' + claims.sub"),
      userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: 'reserved' }],
    },
    /reserved/,
  ],
  [
    'a rule about groups',
    { claimMappings: { groups: { expression: 'claims.groups' } }, userValidationRules: [{ expression: "user.groups.all(g, g != 'b')" }] },
    /failed/,
  ],
];
test('the name of the token is among what else is known of the user', async () => {
  const team: Changed = { claimMappings: { extra: [{ key: 'x.org/team', valueExpression: 'claims.team' }] } };
  const extraOf = async (jti: unknown, changed: Changed = {}) =>
    ((await mappedUser({ ...CLAIMS, jti }, await compiled(changed), 'id')) as User).extra;
  assert.equal(await extraOf('t1', team), { id: ['JTI=t1'], 'x.org/team': ['c'] });
  assert.equal(await extraOf('t1', { claimMappings: { username: { claim: 'sub' } } }), { id: ['JTI=t1'] });
  for (const jti of ['', 1, null, undefined]) assert.equal(await extraOf(jti), {});
});
for (const [name, changed, expected] of rows)
  test(name, async () => {
    const user = await mappedUser(CLAIMS, await compiled(changed), 'id');
    if (expected instanceof RegExp) {
      assert.instance(user, Refusal);
      assert.match((user as Refusal).reason, expected);
    } else assert.equal({ ...user, ...expected }, user);
  });

const wrong: [name: string, changed: Changed, message: RegExp][] = [
  ['what is no expression', named('claims.'), /^f\.yaml: jwt\[0\]\.claimMappings\.username\.expression: /],
  ['a variable that is not there', named('user.username'), /username\.expression: /],
  ['a rule that is no condition', { claimValidationRules: [{ expression: '1' }] }, /claimValidationRules\[0\]\.expression: .*bool/],
  [
    'a rule that may be no condition',
    { claimValidationRules: [{ expression: 'claims.email_verified' }] },
    /claimValidationRules\[0\]\.expression: Invalid value: "claims.email_verified": must evaluate to bool$/,
  ],
  [
    'a claim that each part of is looked at, though it may be no list',
    { claimValidationRules: [{ expression: "claims.groups.all(g, g != 'x')" }] },
    /expression of type 'any' cannot be range of a comprehension \(must be list, map, or dynamic\)/,
  ],
  [
    'a claim that is written into a text, whatever it is',
    named("'%s'.format([claims.sub])"),
    /error during formatting: string clause can only be used on .*, was given google\.protobuf\.Any/,
  ],
  [
    'a rule about a field that users lack',
    { userValidationRules: [{ expression: 'user.name != ""' }] },
    /userValidationRules\[0\]\.expression: /,
  ],
  ['an address that nobody verified', named('claims.email'), /email_verified must be used/],
  ['an address that may be absent and that nobody verified', named("claims.?email.orValue('')"), /email_verified must be used/],
];
for (const [name, changed, message] of wrong)
  test(`${name} is refused`, async () => {
    const error = await compiled(changed).catch((thrown: unknown) => thrown);
    assert.instance(error, Error);
    assert.match((error as Error).message, message);
  });
test('all expressions that do not compile are told', async () => {
  const changed = {
    claimMappings: { username: { expression: 'a' }, extra: [{ key: 'x.org/a', valueExpression: "'a'.find('(')" }] },
    claimValidationRules: [{ expression: 'b' }],
    userValidationRules: [{ expression: 'c' }],
  };
  const error = await compiled(changed).catch((thrown: unknown) => thrown);
  assert.instance(error, FileError);
  assert.equal(
    (error as FileError).problems.map((problem) => problem.split('\n')[0]),
    [
      `jwt[0].claimValidationRules[0].expression: Invalid value: "b": compilation failed: ERROR: <input>:1:1: undeclared reference to 'b' (in container '')`,
      `jwt[0].claimMappings.username.expression: Invalid value: "a": compilation failed: ERROR: <input>:1:1: undeclared reference to 'a' (in container '')`,
      'jwt[0].claimMappings.extra[0].valueExpression: Internal error: program instantiation failed: error parsing regexp: missing closing ): `(`',
      `jwt[0].userValidationRules[0].expression: Invalid value: "c": compilation failed: ERROR: <input>:1:1: undeclared reference to 'c' (in container '')`,
    ],
  );
});
test('an address that a rule verifies is taken', async () => {
  const changed = { ...named('claims.email'), claimValidationRules: [{ expression: 'claims.email_verified == true' }] };
  assert.is(((await mappedUser(CLAIMS, await compiled(changed), 'id')) as User).name, 'jane@x.org');
});
test('an address that a rule verifies where a token says it is taken', async () => {
  const changed = { ...named('claims.email'), claimValidationRules: [{ expression: 'claims.?email_verified.orValue(true) == true' }] };
  assert.is(((await mappedUser(CLAIMS, await compiled(changed), 'id')) as User).name, 'jane@x.org');
});
test.run();

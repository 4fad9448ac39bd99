import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identityHeaders, isIdentityHeader } from '../../runtime/aggregation/identity-headers.ts';
import { AUTHENTICATED_GROUP } from '../../runtime/authentication/identities.ts';
import { ProxyHeaders } from '../../runtime/authentication/proxy-headers.ts';

const test = suite('headers that say who asks');

const user = { name: 'bob', uid: '7', groups: ['a', 'b'], extra: { 'acme.example/project': ['x', 'y'], 'a%b': ['z'] } };

test('have the user, the groups and what else is known, the uid only by its gate', () => {
  const headers = [
    ...['X-Remote-User', 'bob', 'X-Remote-Group', 'a', 'X-Remote-Group', 'b'],
    ...['X-Remote-Extra-acme.example%2Fproject', 'x', 'X-Remote-Extra-acme.example%2Fproject', 'y', 'X-Remote-Extra-a%25b', 'z'],
  ];
  assert.equal(identityHeaders(user, false), headers);
  assert.equal(identityHeaders(user, true), [...headers.slice(0, 2), 'X-Remote-Uid', '7', ...headers.slice(2)]);
});

for (const [name, expected] of [
  ['x-remote-user', true],
  ['x-remote-uid', true],
  ['x-remote-group', true],
  ['x-remote-extra-scopes', true],
  ['x-remote-extra-', true],
  ['x-remote-address', false],
  ['x-own', false],
] as const)
  test(`${name} ${expected ? 'speaks' : 'does not speak'} of who asks`, () => assert.is(isIdentityHeader(name), expected));

test('are read as they were meant by a server that believes them', () => {
  const names = { username: ['X-Remote-User'], uid: ['X-Remote-Uid'], group: ['X-Remote-Group'], extraPrefix: ['X-Remote-Extra-'] };
  const readers = new ProxyHeaders(names);
  const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((each) => each.trim() !== '');
  const extra = fc.dictionary(
    fc.string({ minLength: 1 }).map((key) => key.toLowerCase()),
    fc.array(text, { minLength: 1, maxLength: 3 }),
    { maxKeys: 3 },
  );
  fc.assert(
    fc.property(text, text, fc.array(text, { maxLength: 3 }), extra, (name, uid, groups, more) => {
      const rawHeaders = identityHeaders({ name, uid, groups, extra: { ...more } }, true);
      const read = readers.user({ rawHeaders } as Parameters<ProxyHeaders['user']>[0]);
      // as entries, for the comparison takes a member named constructor for what made the object
      assert.equal(
        { ...read, extra: Object.entries(read?.extra ?? {}) },
        {
          name,
          uid,
          groups: [...groups, ...(groups.includes(AUTHENTICATED_GROUP) ? [] : [AUTHENTICATED_GROUP])],
          extra: Object.entries({ ...more }),
        },
      );
    }),
  );
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fileKinds, problemsOf } from '../../files/reader.ts';

const NAME = { group: 'abac.authorization.${labelDomain}', kind: 'Policy' };
const kinds = fileKinds();
const policies = suite('policies of the mode ABAC');

const NAMED = { kind: 'Policy', apiVersion: 'abac.authorization.kubernetes.io/v1beta1' };
const EVERYTHING = { apiGroup: '*', resource: '*', namespace: '*', nonResourcePath: '*' };
const lines: [name: string, line: object, spec: object][] = [
  [
    'the present form',
    { ...NAMED, spec: { user: 'a', resource: 'pods', readonly: true } },
    { user: 'a', resource: 'pods', readonly: true },
  ],
  ['nothing', {}, { group: 'system:authenticated', ...EVERYTHING }],
  ['a user', { user: 'a' }, { user: 'a', ...EVERYTHING }],
  ['all users', { user: '*', group: 'g' }, { group: 'system:authenticated', ...EVERYTHING }],
  ['all groups', { group: '*' }, { group: 'system:authenticated', ...EVERYTHING }],
  [
    'a resource',
    { user: 'a', resource: 'pods', readonly: true },
    { user: 'a', readonly: true, apiGroup: '*', resource: 'pods', namespace: '*' },
  ],
  ['a namespace', { group: 'g', namespace: 'n' }, { group: 'g', apiGroup: '*', resource: '*', namespace: 'n' }],
];
for (const [name, line, spec] of lines)
  policies(name, async () => {
    const { object } = await kinds.parse(JSON.stringify(line), 'file:1', NAME);
    assert.equal(Object.fromEntries(Object.entries(object.spec).sort()), Object.fromEntries(Object.entries(spec).sort()));
    assert.is(object.apiVersion, NAMED.apiVersion);
  });
policies('of the first form are deprecated', async () => {
  const { warnings } = await kinds.parse('{"user":"a"}', 'file:3', NAME);
  assert.is(warnings.length, 1);
  assert.match(warnings[0] as string, /^file:3: .* deprecated/);
});
policies('of a wrong type are refused', async () => {
  assert.match((await problemsOf(kinds, '{"user":["a"]}', NAME))[0] as string, /cannot unmarshal array into Go struct field Policy.user/);
  assert.match(
    (await problemsOf(kinds, JSON.stringify({ ...NAMED, kind: 'Rule' }), NAME))[0] as string,
    /^unknown apiVersion\/kind: abac\S+, Kind=Rule/,
  );
});
policies.run();

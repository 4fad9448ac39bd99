import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFileKinds } from '../../../runtime/assembly/setup/file-kinds.ts';
import { AbacAuthorizer } from '../../../runtime/authorization/abac/authorizer.ts';
import { parsePolicies } from '../../../runtime/authorization/abac/policy-file.ts';
import { action, path as onPath, user } from '../attributes.ts';
import { identity } from '../rbac/roles.ts';

const kinds = createFileKinds(identity, () => true);

async function authorizerOf(text: string): Promise<AbacAuthorizer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'abac-'));
  try {
    const file = path.join(folder, 'policy.jsonl');
    await writeFile(file, text);
    return new AbacAuthorizer((await parsePolicies(readFileSync(file, 'utf8'), file, kinds)).policies);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const v1 = (spec: object): string => JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec });
const ALICE = user('alice', 'dev', 'system:authenticated');
const ANONYMOUS = user('system:anonymous', 'system:unauthenticated');

/** One line, then what it allows alice, and what it does not. Paths begin with `/`. */
const rows: [what: string, line: string, allowed: string[], refused: string[]][] = [
  [
    'all of one resource',
    v1({ user: 'alice', apiGroup: 'apps', resource: 'deployments', namespace: '*' }),
    ['get apps:deployments d in a', 'delete apps:deployments d in b', 'list apps:deployments'],
    ['get deployments d in a', 'get apps:daemonsets d in a', 'get /apis'],
  ],
  [
    'reading',
    v1({ user: 'alice', readonly: true, apiGroup: '*', resource: '*', namespace: '*', nonResourcePath: '*' }),
    ['get pods p in a', 'list pods', 'watch apps:deployments in b', 'get /x'],
    ['create pods in a', 'update pods p in a', 'delete pods p in a', 'deletecollection pods in a', 'post /x'],
  ],
  [
    'one namespace',
    v1({ user: 'alice', apiGroup: '', resource: 'pods', namespace: 'a' }),
    ['get pods p in a'],
    ['get pods p in b', 'list pods', 'get pods p in A'],
  ],
  ['no namespace', v1({ user: 'alice', apiGroup: '', resource: 'nodes' }), ['get nodes n'], ['get nodes n in a']],
  ['no resource', v1({ user: 'alice', namespace: '*', apiGroup: '*' }), [], ['get pods p in a', 'get /']],
  [
    'a path',
    v1({ user: 'alice', nonResourcePath: '/logs' }),
    ['get /logs', 'post /logs'],
    ['get /logs/', 'get /logs/x', 'get /Logs', 'get pods p'],
  ],
  ['paths below', v1({ user: 'alice', nonResourcePath: '/logs/*' }), ['get /logs/x', 'get /logs/'], ['get /logs', 'get /other']],
  ['another user', v1({ user: 'Alice', apiGroup: '*', resource: '*', namespace: '*' }), [], ['get pods p in a']],
  ['a group', v1({ group: 'dev', apiGroup: '*', resource: '*', namespace: '*' }), ['get pods p in a'], []],
  ['another group', v1({ group: 'qa', apiGroup: '*', resource: '*', namespace: '*' }), [], ['get pods p in a']],
  ['user and group', v1({ user: 'alice', group: 'dev', apiGroup: '*', resource: '*', namespace: '*' }), ['get pods p in a'], []],
  ['user and another group', v1({ user: 'alice', group: 'qa', apiGroup: '*', resource: '*', namespace: '*' }), [], ['get pods p in a']],
  ['everybody', v1({ user: '*', apiGroup: '*', resource: '*', namespace: '*' }), ['get pods p in a'], []],
  ['nobody', v1({ apiGroup: '*', resource: '*', namespace: '*' }), [], ['get pods p in a']],
  ['the first form, for everything', '{"user":"alice"}', ['delete pods p in a', 'get apps:deployments d', 'post /x'], []],
  [
    'the first form, reading one resource',
    '{"user":"alice","resource":"pods","readonly":true}',
    ['get pods p in a', 'list apps:pods'],
    ['delete pods p in a', 'get nodes n', 'get /x'],
  ],
  ['the first form, one namespace', '{"group":"dev","namespace":"a"}', ['get pods p in a'], ['get pods p in b', 'get /x']],
  ['the first form, for all users', '{"readonly":true}', ['get pods p in a'], ['delete pods p in a']],
];

const judged = suite('policies by attributes');
for (const [what, line, allowed, refused] of rows)
  judged(what, async () => {
    const authorizer = await authorizerOf(`# a comment\n\n${line}\n`);
    const decide = (text: string) => authorizer.authorize(text.includes(' /') ? onPath(ALICE, text) : action(ALICE, text));
    for (const text of allowed) assert.equal(decide(text), { decision: 'allow', reason: '' }, text);
    for (const text of refused) assert.equal(decide(text), { decision: 'noOpinion', reason: 'No policy matched.' }, text);
  });
for (const line of [
  v1({ user: '*', apiGroup: '*', resource: '*', namespace: '*' }),
  v1({ group: '*', apiGroup: '*', resource: '*', namespace: '*' }),
  '{}',
  '{"user":"*"}',
])
  judged(`${line} is not for who is not authenticated`, async () => {
    const authorizer = await authorizerOf(line);
    assert.is(authorizer.authorize(action(ANONYMOUS, 'get pods p in a')).decision, 'noOpinion');
    assert.is(authorizer.authorize(action(ALICE, 'get pods p in a')).decision, 'allow');
  });
judged('who is not authenticated needs a line of their own', async () => {
  const authorizer = await authorizerOf(v1({ group: 'system:unauthenticated', readonly: true, nonResourcePath: '*' }));
  assert.is(authorizer.authorize(onPath(ANONYMOUS, 'get /version')).decision, 'allow');
  assert.is(authorizer.authorize(onPath(ALICE, 'get /version')).decision, 'noOpinion');
});
judged('list rules of the namespace', async () => {
  const authorizer = await authorizerOf(
    [
      v1({ user: 'alice', apiGroup: 'apps', resource: 'deployments', namespace: 'a', readonly: true }),
      v1({ user: 'alice', apiGroup: '', resource: 'pods', namespace: 'b' }),
      v1({ user: '*', nonResourcePath: '/x', namespace: '*' }),
    ].join('\n'),
  );
  assert.equal(authorizer.rules(ALICE, 'a'), {
    resourceRules: [{ verbs: ['get', 'list', 'watch'], apiGroups: ['apps'], resources: ['deployments'], resourceNames: [] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/x'] }],
    incomplete: false,
  });
});
for (const [what, text, problem] of [
  ['no JSON', '{"user":"a"}\nnonsense', /policy\.jsonl:2/],
  ['another kind', '{"apiVersion":"v1","kind":"Pod"}', /policy\.jsonl:1/],
  ['a wrong type', v1({ user: 1 }), /policy\.jsonl:1/],
] as const)
  judged(`a line is refused for ${what}`, async () => {
    const error = await authorizerOf(text).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    assert.match(String(error), problem);
  });
judged.run();

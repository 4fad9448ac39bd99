import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer, type TestServer } from '../harness/server.ts';
import type { Case, Step } from './cases.ts';
import { type ConversationOptions, converse } from './conversation.ts';
import { type Connections, Participants } from './participants.ts';

const test = suite<{ participants: Participants; server: TestServer; connections: Connections }>('conversations');
test.before(async (context) => {
  context.participants = new Participants();
  context.server = await startServer({ dialect: 'cluster', flags: [...context.participants.flags, '--controllers=-*'] });
  context.connections = context.participants.connect(context.server);
});
test.after(async ({ participants, server, connections }) => {
  connections?.close();
  await server?.stop();
  participants?.remove();
});

const PATIENT: ConversationOptions = { dialect: 'cluster', limit: 20_000, looks: Number.POSITIVE_INFINITY, untilFailure: false };
const recorded = (steps: Step[], more: Partial<Case> = {}): Case => ({ name: 'area/case', title: 'T', steps, ...more });
const objects = '/api/v1/namespaces/{{ns}}/configmaps';
const map = (name: string, data: Record<string, string> = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const make = (name: string, data?: Record<string, string>): Step => ({
  id: `make ${name}`,
  method: 'POST',
  path: objects,
  body: map(name, data),
  compare: 'status',
  expect: { status: 201 },
});
const status = (id: string, path: string, wanted: number, more = {}): Step => ({
  id,
  path,
  compare: 'status',
  expect: { status: wanted },
  ...more,
});
const identity = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const who = (id: string, as: string, username: string): Step => ({
  id,
  as,
  method: 'POST',
  path: identity,
  body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  compare: 'subset',
  expect: { status: 201, body: { status: { userInfo: { username } } } },
});
const refusedCertificate = (name: string) => status(name, '/api/v1/namespaces', 401, { as: `cert:${name}` });

const agreed: [name: string, steps: Step[]][] = [
  [
    'what an answer says is kept for later steps',
    [
      {
        id: 'make',
        method: 'POST',
        path: objects,
        body: map('a-{{u}}', { k: 'v' }),
        capture: { made: '/metadata/uid', type: 'header:content-type' },
        compare: 'status',
        expect: { status: 201 },
      },
      {
        id: 'get',
        path: `${objects}/a-{{u}}`,
        ignore: ['/data'],
        expect: {
          status: 200,
          headers: { 'content-type': '{{type}}' },
          body: {
            kind: 'ConfigMap',
            apiVersion: 'v1',
            metadata: { name: 'a-{{u}}', namespace: 'conf-{{u}}', uid: '{{made}}', resourceVersion: '<rv>', creationTimestamp: '<time>' },
            data: '<ignored>',
          },
        },
      },
    ],
  ],
  [
    'bytes are sent as they are',
    [status('bytes', objects, 201, { method: 'POST', base64: true, text: Buffer.from(JSON.stringify(map('bytes'))).toString('base64') })],
  ],
  [
    'tokens, certificates and nobody ask',
    [
      who('a token', 'alice', 'alice'),
      who('a certificate', 'cert:node1', 'system:node:node1'),
      status('nobody', '/api/v1/namespaces', 403, { as: 'none' }),
      status('another token', '/api/v1/namespaces', 401, { as: 'no-token' }),
    ],
  ],
  ['certificates that prove nothing', ['expired', 'serveronly', 'stranger'].map(refusedCertificate)],
  [
    'a condition is looked at until it holds',
    [
      make('there'),
      status('status', `${objects}/there`, 200, { waitFor: { status: 200 } }),
      status('in the dialect', `${objects}?dryRun=All`, 201, { method: 'POST', body: map('dry'), waitFor: { status: 201 } }),
      status('value', `${objects}/there`, 200, { waitFor: { pointer: '/metadata/name', equals: 'there' } }),
    ],
  ],
  [
    'events are read',
    [
      {
        id: 'w',
        path: `${objects}?watch=1`,
        watch: 'open',
        expect: { status: 200, headers: { 'content-type': 'application/json' }, body: null },
      },
      make('seen'),
      {
        id: 'read',
        read: 'w',
        events: 1,
        compare: 'subset',
        expect: { status: 200, body: { events: [{ type: 'ADDED', object: { metadata: { name: 'seen' } } }] } },
      },
      { close: 'w' },
    ],
  ],
];
for (const [name, steps] of agreed)
  test(name, async ({ connections }) => assert.equal(await converse(recorded(steps), connections, PATIENT), []));

const missing = status('missing', `${objects}/none`, 200);
const denied: [name: string, steps: Step[], found: [step: string, why: RegExp][], options?: Partial<ConversationOptions>][] = [
  [
    'each step that is answered otherwise',
    [missing, make('x'), status('again', objects, 404)],
    [
      ['missing', /404, not 200/],
      ['again', /200, not 404/],
    ],
  ],
  ['the first one alone', [missing, status('again', objects, 404)], [['missing', /404, not 200/]], { untilFailure: true }],
  [
    'a condition that never holds',
    [status('wait', `${objects}/none`, 200, { waitFor: { status: 200 } })],
    [['wait', /404, not 200/]],
    { looks: 3 },
  ],
  ['a variable that nothing was kept by', [status('get', '/{{other}}', 200)], [['(conversation)', /nothing was kept as other/]]],
  [
    'a certificate that there is not',
    [status('get', '/', 200, { as: 'cert:other' })],
    [['(conversation)', /nobody has made a certificate for other/]],
  ],
  [
    'a watch that nobody opened',
    [{ id: 'r', read: 'w', events: 1, expect: { status: 200 } }],
    [['(conversation)', /w, which is no open watch/]],
  ],
];
for (const [name, steps, found, options] of denied)
  test(`failures name ${name}`, async ({ connections }) => {
    const failures = await converse(recorded(steps), connections, { ...PATIENT, ...options });
    assert.equal(
      failures.map(({ step }) => step),
      found.map(([step]) => step),
    );
    for (const [index, [, why]] of found.entries()) assert.match(failures[index]?.why.join('\n') ?? '', why);
  });

test('a case without a namespace makes none', async ({ connections }) => {
  const steps = [status('own', '/api/v1/namespaces/{{ns}}', 404)];
  assert.equal(await converse(recorded(steps, { noNamespace: true }), connections, PATIENT), []);
});

test.run();

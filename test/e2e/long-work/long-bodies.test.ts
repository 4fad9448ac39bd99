/** Whatever a body of 3 MiB says, nobody else waits for it. Bodies of every kind stand in `bodies-of-every-kind.test.ts`. */
import { once } from 'node:events';
import http2 from 'node:http2';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject } from '../../../runtime/schema/json/member.ts';
import { authority, Client } from '../../harness/client.ts';
import { CAN_GIVE_BACK } from '../../harness/freed-memory.ts';
import { assertNoTrace } from '../../harness/hostile.ts';
import { attacks, type LongBody } from '../../harness/long-bodies.ts';
import { residentMemory } from '../../harness/process-usage.ts';
import { NODE_FLAGS, startServer, type TestServer } from '../../harness/server.ts';
import { assertShortTurns, REPEATED, TURN_MONITOR, untilQuiet } from '../../harness/turns.ts';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const AT_ONCE = 8;
/** Milliseconds for an answer, on machines that do much else. */
const PATIENCE = 120_000;
const JSON_TYPE = { 'content-type': 'application/json' };
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' };
/** Bytes that an answer may have besides an object that was sent: what is told of errors, twice, escaped. */
const LONGEST_ERROR = 4_000_000;

/** The one that is answered soonest. */
const shortest = () => attacks.find(({ name }) => name === 'an access review of many requirements') as (typeof attacks)[0];

const namesOf = (count: number, name: (index: number) => string): string[] => Array.from({ length: count }, (_, index) => name(index));
const textsOf = (names: readonly string[]): Record<string, string> => Object.fromEntries(names.map((name) => [name, '']));

/** Stands for the uid of an owner that is there. */
const OWNER = 'uid-of-owner';

/** Right ones, which are much work for whoever follows what is stored, and compares what it has with what it had. */
const longObjects: readonly (readonly [what: string, path: string, object: { metadata?: object; [member: string]: unknown }])[] = [
  ['many keys', CONFIGMAPS, { data: textsOf(namesOf(100_000, (index) => `key-${index}`)) }],
  ['many labels', CONFIGMAPS, { metadata: { labels: textsOf(namesOf(70_000, (index) => `label-${index}`)) } }],
  [
    'many owners',
    CONFIGMAPS,
    {
      metadata: {
        // the first one is there, and keeps the object from being collected
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Namespace', name: 'default', uid: OWNER },
          ...namesOf(30_000, (index) => `${index}`).map((uid) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'seen', uid })),
        ],
      },
    },
  ],
  [
    'many rules',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    { rules: namesOf(28_000, (index) => `things${index}`).map((name) => ({ verbs: ['get'], apiGroups: [''], resources: [name] })) },
  ],
  [
    'many subjects',
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: namesOf(28_000, (index) => `user${index}`).map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })),
    },
  ],
  [
    'many volumes',
    '/api/v1/namespaces/default/pods',
    {
      spec: {
        nodeName: 'node',
        containers: [{ name: 'a', image: 'b' }],
        volumes: namesOf(40_000, (index) => `v${index}`).map((name) => ({ name, secret: { secretName: name } })),
      },
    },
  ],
];

/** With a few of its keys and elements. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 3).map(shortened);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 3)
      .map(([name, member]) => [name, shortened(member)]),
  );
}

const MODES = [
  { name: 'one process', flags: [], sent: attacks, changed: longObjects },
  { name: 'two workers', flags: ['--workers=2'], sent: attacks.slice(0, 1), changed: [] },
];

for (const { name, flags, sent, changed } of MODES) {
  const test = suite(`long bodies, ${name}`);
  const server = await startServer({
    dialect: 'kubernetes',
    flags: ['--disable-admission-plugins=ServiceAccount', '--authorization-mode=Node,RBAC', ...flags],
    preload: TURN_MONITOR,
  });
  const client = new Client(server);
  const other = new Client(server);
  const nobody = new Client(server, server.tokens.alice);
  test.after(async () => {
    nobody.close();
    client.close();
    other.close();
    await server.stop();
  });

  const post = ({ path: to, text, contentType = 'application/json' }: LongBody) =>
    client.request('POST', to, { body: text(), headers: { 'content-type': contentType }, timeout: PATIENCE });
  const unheld = (action: (attempt: number) => Promise<void>) => assertUnheld(server, other, action);

  test.before(async () => {
    // kinds and verbs are loaded with the first request that needs them, in each process; connections go to these in turn
    for (const each of [client, other]) for (const { path: to } of attacks) await each.post(to, {});
    assert.is((await client.post(CONFIGMAPS, { metadata: { name: 'seen' } })).status, 201);
    for (const [, to, object] of changed) await change(to, { ...(shortened(object) as object), metadata: { name: 'short' } }, 403);
    await untilQuiet(server);
  });

  /** All that is done to long objects. @param secretStatus what a node gets that asks for the last secret */
  async function change(to: string, object: { readonly metadata: { readonly name: string } }, secretStatus: number): Promise<void> {
    const { uid } = (await client.get('/api/v1/namespaces/default')).body.metadata;
    const { name } = object.metadata;
    const created = await client.request('POST', to, {
      body: JSON.stringify(object).replace(OWNER, uid),
      headers: JSON_TYPE,
      timeout: PATIENCE,
    });
    assert.is(created.status, 201, created.text.slice(0, 500));
    const labels = JSON.stringify({ metadata: { labels: { a: name } } });
    const patched = await client.request('PATCH', `${to}/${name}`, { body: labels, headers: MERGE_PATCH, timeout: PATIENCE });
    assert.is(patched.status, 200, patched.text.slice(0, 500));
    assert.is((await client.get(`${to}?labelSelector=a%3D${name}&limit=1`)).body.items[0].metadata.name, name);
    // who may nothing is judged by all that is there
    assert.is((await nobody.get(CONFIGMAPS)).status, 403);
    const node = { 'impersonate-user': 'system:node:node', 'impersonate-group': 'system:nodes' };
    const secret = await client.get('/api/v1/namespaces/default/secrets/v39999', node);
    assert.is(secret.status, secretStatus, secret.text);
    assert.is((await client.request('DELETE', `${to}/${name}`, { timeout: PATIENCE })).status, 200);
  }

  for (const attack of sent)
    test(`nobody waits for ${attack.name}`, () =>
      unheld(async () => {
        const answer = await post(attack);
        assert.is(answer.status, attack.status, answer.text.slice(0, 500));
        if (attack.status !== 201) assert.ok(answer.text.length < LONGEST_ERROR, `${answer.text.length}`);
        assertNoTrace(answer);
      }));

  test(`nobody waits for ${AT_ONCE} at once`, () =>
    unheld(async () => {
      const attack = shortest();
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => post(attack)));
      assert.equal(new Set(answers.map(({ status }) => status)), new Set([attack.status]));
    }));

  for (const [what, to, long] of changed)
    test(`nobody waits for an object of ${what}, small changes of it, and its end`, () =>
      unheld((attempt) =>
        change(to, { ...long, metadata: { ...long.metadata, name: `long-${attempt}` } }, what === 'many volumes' ? 404 : 403),
      ));

  test('long bodies over HTTP/2 are answered as others are', async () => {
    const { status, text } = await overHttp2(server, CONFIGMAPS, { metadata: { name: 'http2' }, data: { a: 'x'.repeat(100_000) } });
    assert.is(status, 201, text.slice(0, 500));
  });

  // each worker has a thread of its own
  if (flags.length === 0)
    test('users take turns', async () => {
      const ended: string[] = [];
      const many = Array.from({ length: 6 }, () => post(shortest()).then(() => ended.push('many')));
      await Promise.race(many);
      const headers = { 'impersonate-user': 'one', 'impersonate-group': 'system:masters' };
      const data = { a: 'x'.repeat(100_000) };
      const { status, text } = await client.post(CONFIGMAPS, { metadata: { generateName: 'a-' }, data }, headers);
      ended.push('one');
      assert.is(status, 201, text.slice(0, 500));
      await Promise.all(many);
      assert.not.equal(ended.at(-1), 'one');
    });

  test.run();
}

async function overHttp2(server: TestServer, to: string, body: object): Promise<{ status: number; text: string }> {
  const session = http2.connect(server.url, { ca: authority(server) });
  const stream = session.request({
    ':method': 'POST',
    ':path': to,
    authorization: `Bearer ${server.tokens.admin}`,
    'content-type': 'application/json',
  });
  stream.end(JSON.stringify(body));
  const [head] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
  const answer = await text(stream);
  session.close();
  return { status: head[':status'] as unknown as number, text: answer };
}

/** No turn of the serving thread takes long meanwhile, and another user's requests are answered. @param action may be done again */
function assertUnheld(server: TestServer, other: Client, action: (attempt: number) => Promise<void>): Promise<void> {
  const watched = async (attempt: number) => {
    let ended = false;
    const asking = (async () => {
      while (!ended) {
        assert.is((await other.get('/readyz')).status, 200);
        assert.is((await other.get(`${CONFIGMAPS}/seen`)).status, 200);
        await sleep(10);
      }
    })();
    try {
      await action(attempt);
    } finally {
      ended = true;
    }
    await asking;
  };
  return assertShortTurns(server, watched, REPEATED);
}

const memory = suite('memory of long bodies');
/** In the log. */
const GONE_BACK = 'memory that was freed has gone back to the system';

memory('is given back within a minute', async () => {
  const server = await startServer({ dialect: 'kubernetes', nodeFlags: NODE_FLAGS });
  const client = new Client(server);
  await client.get('/readyz');
  const idle = residentMemory(server.pid);
  const attack = attacks[0] as (typeof attacks)[0];
  await client.request('POST', attack.path, { body: attack.text(), headers: JSON_TYPE, timeout: PATIENCE });
  const end = performance.now() + 60_000;
  while (performance.now() < end && residentMemory(server.pid) > 2 * idle) await sleep(250);
  const left = residentMemory(server.pid);
  client.close();
  await server.stop();
  assert.ok(left <= 2 * idle, `${left} of ${idle}`);
});

memory('goes back to the system once nothing is much work any more', async () => {
  const server = await startServer({ dialect: 'kubernetes', flags: ['--v=3'] });
  const client = new Client(server);
  const attack = attacks[0] as (typeof attacks)[0];
  await client.request('POST', attack.path, { body: attack.text(), headers: JSON_TYPE, timeout: PATIENCE });
  const end = performance.now() + 60_000;
  while (performance.now() < end && !server.log().includes(GONE_BACK)) await sleep(250);
  client.close();
  await server.stop();
  assert.is(server.log().includes(GONE_BACK), CAN_GIVE_BACK);
});

memory('has a bound for bodies that are not finished', async () => {
  const server = await startServer({ dialect: 'kubernetes' });
  const client = new Client(server);
  await client.get('/readyz');
  const idle = residentMemory(server.pid);
  const part = Buffer.alloc(2_500_000, ' ');
  let refused = 0;
  const unfinished = Array.from({ length: 200 }, () => {
    const headers = { authorization: `Bearer ${server.tokens.alice}`, 'content-type': 'application/json', 'content-length': 2_600_000 };
    const url = `${server.url}/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`;
    const sent = request(url, { agent: false, method: 'POST', headers, rejectUnauthorized: false });
    sent.on('close', () => refused++).on('error', () => {});
    sent.write(part);
    return sent;
  });
  // there is room for some, others wait for it, and these are told to come again
  while (refused < 50) await sleep(50);
  const held = residentMemory(server.pid);
  // another user has room meanwhile, on a thread whose memory is none of the bodies'
  const answer = await client.post(CONFIGMAPS, { metadata: { name: 'long' }, data: { a: 'x'.repeat(900_000) } });
  for (const sent of unfinished) sent.destroy();
  client.close();
  await server.stop();
  assert.is(answer.status, 201, answer.text.slice(0, 500));
  assert.ok(held - idle < 250_000_000, `${held} of ${idle}`);
});

memory.run();

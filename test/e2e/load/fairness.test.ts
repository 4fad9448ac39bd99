/** Priority and fairness of a real server: who waits, who is refused, and who is not. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, request } from 'node:http';
import http2 from 'node:http2';
import { request as requestTls } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client, type ReceivedAnswer } from '../../harness/client.ts';
import { connect } from '../../harness/raw.ts';
import { ServerStartError, startServer, type TestServer } from '../../harness/server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'fairness-'));
const TOKENS = path.join(folder, 'tokens.csv');
writeFileSync(TOKENS, 'admin-token,admin,1,"system:masters"\nalice-token,alice,2\nbob-token,bob,3\n');
const FLAGS = [`--token-auth-file=${TOKENS}`, '--authorization-mode=AlwaysAllow', '--anonymous-auth=false', '--controllers=-*'];
const MAPS = '/api/v1/namespaces/default/configmaps';
const FLOW = (server: TestServer) => `/apis/flowcontrol.apiserver.${server.dialect === 'cluster' ? 'cluster.io' : 'k8s.io'}/v1`;

async function serving(
  flags: readonly string[],
  use: (server: TestServer, clients: Record<'admin' | 'alice' | 'bob', Client>) => Promise<void>,
) {
  const server = await startServer({ dialect: 'cluster', flags: [...FLAGS, ...flags] });
  const clients = { admin: new Client(server), alice: new Client(server, 'alice-token'), bob: new Client(server, 'bob-token') };
  try {
    await use(server, clients);
    assert.equal(server.faults(), []);
  } finally {
    for (const client of Object.values(clients)) client.close();
    await server.stop();
  }
}

const level = (name: string, limited: object) => ({ metadata: { name }, spec: { type: 'Limited', limited } });
const REJECT = { limitResponse: { type: 'Reject' } };
const queue = (queueLengthLimit: number) => ({ limitResponse: { type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit } } });
/** For all requests of one user. */
const schema = (name: string, user: string, levelName: string) => ({
  metadata: { name },
  spec: {
    priorityLevelConfiguration: { name: levelName },
    matchingPrecedence: 50,
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: user } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      },
    ],
  },
});

async function made(server: TestServer, { admin }: { admin: Client }, ...objects: [resource: string, object: object][]): Promise<string[]> {
  const uids: string[] = [];
  for (const [resource, object] of objects) {
    const { status, body, text } = await admin.post(`${FLOW(server)}/${resource}`, object);
    assert.ok(status < 300, text);
    uids.push(body.metadata.uid);
  }
  return uids;
}

function assertRefused({ status, headers, text }: ReceivedAnswer): void {
  assert.equal([status, text, headers['retry-after']], [429, 'Too many requests, please try again later.\n', '1']);
  assert.match(headers['content-type'] as string, /^text\/plain/);
}

/** A create that takes its seat for as long as its body does not end. @returns ends it, and resolves with the status */
async function unfinished(server: TestServer, token: string, name: string): Promise<() => Promise<number>> {
  const body = JSON.stringify({ metadata: { name } });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': body.length,
    expect: '100-continue',
  };
  const sent: ReturnType<typeof request> = requestTls(server.url + MAPS, {
    method: 'POST',
    headers,
    rejectUnauthorized: false,
    agent: false,
  });
  sent.on('error', () => {});
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.write(body.slice(0, 3));
  return async () => {
    const answered = once(sent, 'response');
    sent.end(body.slice(3));
    const [response] = (await answered) as [IncomingMessage];
    response.resume();
    return response.statusCode as number;
  };
}

const test = suite('priority and fairness');
for (const workers of [1, 2])
  test(`${workers} process(es): a change counts from the next request on, and answers say by which objects`, () =>
    serving([`--workers=${workers}`], async (server, clients) => {
      const { admin, alice, bob } = clients;
      const [levelUid, schemaUid] = await made(
        server,
        clients,
        ['prioritylevelconfigurations', level('nobody', { nominalConcurrencyShares: 0, ...REJECT })],
        ['flowschemas', schema('of-alice', 'alice', 'nobody')],
      );
      for (let i = 0; i < 8; i++) {
        // each on a connection of its own, so that all processes are asked
        const another = new Client(server, 'alice-token');
        const refused = await another.get(MAPS);
        another.close();
        assertRefused(refused);
        assert.equal(
          [refused.headers['x-kubernetes-pf-flowschema-uid'], refused.headers['x-kubernetes-pf-prioritylevel-uid']],
          [schemaUid, levelUid],
        );
      }
      assertRefused(await alice.get('/version'));
      const posted = (await alice.post(MAPS, { metadata: { name: 'refused' } })) as ReceivedAnswer;
      assertRefused(posted);
      assert.is((await bob.get(MAPS)).status, 200);
      const own = await admin.get(`${FLOW(server)}/flowschemas/exempt`);
      assert.is(own.headers['x-kubernetes-pf-flowschema-uid'], own.body.metadata.uid);
      assert.is((await admin.delete(`${FLOW(server)}/flowschemas/of-alice`)).status, 200);
      for (let i = 0; i < 8; i++) {
        const another = new Client(server, 'alice-token');
        assert.is((await another.get(MAPS)).status, 200);
        another.close();
      }
      const metrics = (await admin.get('/metrics')).text;
      assert.match(
        metrics,
        /apiserver_flowcontrol_rejected_requests_total\{flow_schema="of-alice",priority_level="nobody",reason="concurrency-limit"\} 10\n/,
      );
      assert.match(metrics, /apiserver_request_total\{code="429",[^}]*resource="configmaps",[^}]*verb="LIST",[^}]*\} 8\n/);
      assert.match(metrics, /apiserver_current_inflight_requests\{request_kind="readOnly"\} [1-9]/);
    }));

test('a request waits for a seat, for a quarter of its time', () =>
  serving(['--max-requests-inflight=1', '--max-mutating-requests-inflight=0'], async (server, clients) => {
    const { alice, admin } = clients;
    await made(
      server,
      clients,
      ['prioritylevelconfigurations', level('narrow', { nominalConcurrencyShares: 1, borrowingLimitPercent: 0, ...queue(10) })],
      ['flowschemas', schema('of-alice', 'alice', 'narrow')],
    );
    const end = await unfinished(server, 'alice-token', 'first');
    const begun = performance.now();
    assertRefused(await alice.get(`${MAPS}?timeout=2s`));
    assert.ok(performance.now() - begun >= 450);
    const waiting = alice.get(`${MAPS}/first`);
    const dumpOf = async () => (await admin.get('/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1')).text;
    let dump = await dumpOf();
    for (const until = Date.now() + 10_000; !/alice, +get,/.test(dump) && Date.now() < until; dump = await dumpOf()) await sleep(20);
    assert.match(dump, /\nnarrow, +of-alice, +0, +-1, .*alice, +create,/);
    assert.match(dump, /\nnarrow, +of-alice, +0, +0, .*0001-01-01T00:00:00Z, +alice, +get,/);
    assert.is(await end(), 200);
    assert.is((await waiting).status, 200);
    assert.match((await admin.get('/debug/api_priority_and_fairness/dump_queues')).text, /\nnarrow, +0, +0, +0, +0, /);
    assert.match(
      (await admin.get('/metrics')).text,
      /rejected_requests_total\{flow_schema="of-alice",priority_level="narrow",reason="time-out"\} 1\n/,
    );
  }));

test('watches keep their seat until they have begun', () =>
  serving(['--max-requests-inflight=1', '--max-mutating-requests-inflight=0'], async (server, clients) => {
    const { alice } = clients;
    await made(
      server,
      clients,
      ['prioritylevelconfigurations', level('narrow', { nominalConcurrencyShares: 1, borrowingLimitPercent: 0, ...queue(10) })],
      ['flowschemas', schema('of-alice', 'alice', 'narrow')],
    );
    const watches = [];
    for (let i = 0; i < 5; i++) watches.push(await alice.watch(`${MAPS}?watch=1`));
    assert.is((await alice.get(MAPS)).status, 200);
    for (const watch of watches) watch.close();
  }));

/** @throws Error where it does not come to be so */
async function soon(isSo: () => Promise<boolean>): Promise<void> {
  for (const until = Date.now() + 20_000; !(await isSo()); await sleep(20)) assert.ok(Date.now() < until, String(isSo));
}

/** Objects of half a megabyte each, of which a list is more than the system holds for a connection. */
const LONG_TEXT = 'x'.repeat(500_000);
const LONG_COUNT = 60;

async function withLongMaps({ admin }: { admin: Client }, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const { status, text } = await admin.post(MAPS, { metadata: { name: `long-${i}` }, data: { text: LONG_TEXT } });
    assert.is(status, 200, text);
  }
}

/** Asks on a connection of its own, and reads no more than the beginning of the answer. @returns reads the rest, and resolves with the length of all */
async function unread(server: TestServer, token: string, target: string): Promise<() => Promise<number>> {
  const socket = await connect(server);
  socket.write(
    `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\nConnection: close\r\n\r\n`,
  );
  let length = 0;
  const ended = once(socket, 'close');
  socket.on('error', () => {});
  await new Promise<void>((resolve) => {
    socket.on('data', (bytes: Buffer) => {
      if (length === 0) {
        assert.match(bytes.toString('latin1', 0, 15), /^HTTP\/1.1 200 OK/);
        socket.pause();
        resolve();
      }
      length += bytes.length;
    });
  });
  return async () => {
    socket.resume();
    await ended;
    return length;
  };
}

for (const fair of [true, false])
  test(`a list whose client does not read it leaves its turn to others${fair ? '' : ', without levels too'}`, () =>
    serving(
      ['--max-requests-inflight=1', `--max-mutating-requests-inflight=${fair ? 0 : 1}`, `--enable-priority-and-fairness=${fair}`],
      async (server, clients) => {
        const { alice, bob, admin } = clients;
        await withLongMaps(clients, LONG_COUNT);
        if (fair) {
          await made(
            server,
            clients,
            ['prioritylevelconfigurations', level('narrow', { nominalConcurrencyShares: 1, borrowingLimitPercent: 0, ...queue(10) })],
            ['flowschemas', schema('of-alice', 'alice', 'narrow')],
            ['flowschemas', schema('of-bob', 'bob', 'narrow')],
          );
        }
        const lists: (() => Promise<number>)[] = [];
        for (let i = 0; i < 5; i++) {
          lists.push(await unread(server, 'alice-token', MAPS));
          // until the client is seen to have stopped, others are refused where nobody waits
          for (const client of [bob, alice]) await soon(async () => (await client.get(`${MAPS}/long-1`)).status === 200);
        }
        const dump = async () => (await admin.get('/debug/api_priority_and_fairness/dump_queues')).text;
        if (fair) await soon(async () => /\nnarrow, +0, +0, +0, +0, /.test(await dump()));
        for (const read of lists) assert.ok((await read()) > LONG_COUNT * LONG_TEXT.length);
        // whoever has rested takes no turn any more
        await soon(async () => (await bob.get(`${MAPS}/long-1`)).status === 200);
      },
    ));

test('a user who takes none of their answers is refused, others are not, and what waits too long is cut off', () =>
  serving([], async (server, clients) => {
    const { alice, bob, admin } = clients;
    await withLongMaps(clients, 2);
    const session = http2.connect(server.url, { rejectUnauthorized: false });
    session.on('error', () => {});
    /** streams whose windows are full soon */
    const ask = async (timeout: string) => {
      const stream = session.request({ ':path': `${MAPS}/long-1?timeout=${timeout}`, authorization: 'Bearer alice-token' });
      stream.on('error', () => {});
      const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
      return { stream, status: Number(headers[':status']) };
    };
    const asked: Awaited<ReturnType<typeof ask>>[] = [];
    while (asked.at(-1)?.status !== 429 && asked.length < 200) asked.push(await ask('60s'));
    // three quarters of 64 MB
    assert.ok(asked.length > 90 && asked.length < 110, `${asked.length}`);
    assertRefused(await alice.get(`${MAPS}/long-1`));
    assert.is((await bob.get(`${MAPS}/long-1`)).status, 200);
    assert.is((await admin.get(`${MAPS}/long-1`)).status, 200);
    for (const { stream } of asked.slice(0, 5)) stream.close();
    let short = asked.at(-1) as (typeof asked)[number];
    await soon(async () => {
      short = await ask('2s');
      return short.status === 200;
    });
    await once(short.stream, 'error');
    assert.is(short.stream.rstCode, http2.constants.NGHTTP2_INTERNAL_ERROR);
    const ended = once(session, 'close');
    session.destroy();
    await ended;
    await soon(async () => (await alice.get(`${MAPS}/long-1`)).status === 200);
  }));

test('without it the two limits hold, for all but administrators', () =>
  serving(
    ['--enable-priority-and-fairness=false', '--max-requests-inflight=1', '--max-mutating-requests-inflight=1'],
    async (server, clients) => {
      const { alice, bob, admin } = clients;
      const end = await unfinished(server, 'alice-token', 'first');
      const refused = (await bob.post(MAPS, { metadata: { name: 'second' } })) as ReceivedAnswer;
      assertRefused(refused);
      assert.is(refused.headers['x-kubernetes-pf-flowschema-uid'], undefined);
      assert.is((await bob.get(MAPS)).status, 200);
      assert.is((await admin.post(MAPS, { metadata: { name: 'third' } })).status, 200);
      assert.is(await end(), 200);
      assert.is((await alice.post(MAPS, { metadata: { name: 'second' } })).status, 200);
      assert.is((await admin.get('/debug/api_priority_and_fairness/dump_queues')).status, 404);
    },
  ));

test('needs something to share', async () => {
  const start = startServer({ dialect: 'cluster', flags: ['--max-requests-inflight=0', '--max-mutating-requests-inflight=0'] });
  const error = await start.then(
    () => undefined,
    (reason) => reason as ServerStartError,
  );
  assert.instance(error, ServerStartError);
  assert.match(error?.output ?? '', /--max-requests-inflight and --max-mutating-requests-inflight must add up to something positive/);
});

test.after(() => rmSync(folder, { recursive: true }));
test.run();

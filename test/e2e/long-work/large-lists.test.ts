/** Lists that are larger than what the server holds in memory before it sends them: they are as whole as others, in every form. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds } from '../../../generated/core/v1/kinds.ts';
import { identity as identityData } from '../../../generated/identity.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import type { KindData } from '../../../runtime/contract/kind.ts';
import { compileType } from '../../../runtime/schema/codec/codec.ts';
import { decodeProtobuf, unwrapEnvelope } from '../../../runtime/schema/protobuf/codec.ts';
import { authority, Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/large/configmaps';
/** 72 MB. */
const COUNT = 72;
const text = (i: number) => String(i).padStart(4, '0').repeat(250_000);

interface List {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string; readonly remainingItemCount?: number };
  readonly items: readonly { readonly metadata: { readonly name: string }; readonly data: { readonly text: string } }[];
}

const lists = suite('large lists');
let server: TestServer;
let client: Client;
lists.before(async () => {
  server = await startServer({ dialect: 'kubernetes', flags: ['--controllers=-*'] });
  client = new Client(server);
  await client.post('/api/v1/namespaces', { metadata: { name: 'large' } });
  for (let i = 0; i < COUNT; i++) {
    const { status } = await client.post(CONFIG_MAPS, {
      metadata: { name: `map-${1000 + i}`, labels: { third: String(i % 3) } },
      data: { text: text(i) },
    });
    assert.is(status, 201);
  }
});
lists.after(async () => {
  client.close();
  await server.stop();
});

function ask(query: string, accept: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${server.tokens.admin}`, accept };
  return new Promise((resolve, reject) => {
    https.get(`${server.url}${CONFIG_MAPS}${query}`, { headers, ca: authority(server), agent: false }, resolve).on('error', reject);
  });
}

async function bytesOf(query: string, accept: string): Promise<Buffer> {
  const answer = await ask(query, accept);
  assert.is(answer.statusCode, 200);
  const bytes = Buffer.concat(await answer.toArray());
  const length = answer.headers['content-length'];
  if (length !== undefined) assert.is(Number(length), bytes.length);
  return bytes;
}

function assertWhole({ items }: List, count = COUNT): void {
  assert.is(items.length, count);
  for (const [i, { metadata, data }] of items.entries()) {
    assert.is(metadata.name, `map-${1000 + i}`);
    assert.ok(data.text === text(i), `${metadata.name} has its text`);
  }
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const listType = () => compileType((kinds.ConfigMapList as KindData).type, createIdentity(identityData, 'kubernetes'));

lists('as JSON', async () => {
  assertWhole(JSON.parse((await bytesOf('', 'application/json')).toString()));
});

lists('as JSON in pages that are large as well', async () => {
  const list: List = JSON.parse((await bytesOf(`?limit=${COUNT - 1}`, 'application/json')).toString());
  assertWhole(list, COUNT - 1);
  assert.is(list.metadata.remainingItemCount, 1);
  const rest: List = JSON.parse((await bytesOf(`?limit=5&continue=${list.metadata.continue}`, 'application/json')).toString());
  assert.equal(
    rest.items.map(({ metadata }) => metadata.name),
    [`map-${1000 + COUNT - 1}`],
  );
});

lists('as protobuf', async () => {
  const { raw } = unwrapEnvelope(await bytesOf('', PROTOBUF));
  assertWhole(decodeProtobuf(listType(), raw) as unknown as List);
});

lists('as protobuf for several clients at once', async () => {
  const all = await Promise.all([1, 2].map(() => bytesOf('', PROTOBUF)));
  assert.ok(all.every((bytes) => bytes.equals(all[0] as Buffer)));
});

for (const [name, query, accept] of [
  ['leaves in the middle of JSON', '', 'application/json'],
  ['leaves before protobuf is put together', '', PROTOBUF],
] as const)
  lists(`a client that ${name} leaves nothing behind`, async () => {
    const headers = { authorization: `Bearer ${server.tokens.admin}`, accept };
    const request = https.get(`${server.url}${CONFIG_MAPS}${query}`, { headers, ca: authority(server), agent: false });
    request.on('error', () => {});
    if (accept === PROTOBUF) await once(request, 'finish').then(() => client.get('/version'));
    else await once(request, 'response');
    request.destroy();
    assertWhole(decodeProtobuf(listType(), unwrapEnvelope(await bytesOf('', PROTOBUF)).raw) as unknown as List);
    assert.equal(server.faults(), []);
  });

lists('one that cannot be ready in time is refused, and ends', async () => {
  const answer = await ask('?timeout=1ms', PROTOBUF);
  answer.resume();
  assert.is(answer.statusCode, 504);
  assertWhole(decodeProtobuf(listType(), unwrapEnvelope(await bytesOf('', PROTOBUF)).raw) as unknown as List);
});

/** As many as there is memory for, if one user could have it all. */
const STALLED = 64;

lists('that their clients do not read leave room for those of other users', async () => {
  const body = {
    metadata: { name: 'alice-reads' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'alice' }],
  };
  assert.is((await client.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', body)).status, 201);
  const headers = { authorization: `Bearer ${server.tokens.admin}` };
  let answered = 0;
  const stalled = Array.from({ length: STALLED }, () =>
    https
      .get(`${server.url}${CONFIG_MAPS}`, { headers, ca: authority(server), agent: false }, (answer) => {
        answer.pause();
        answered++;
      })
      .on('error', () => {}),
  );
  try {
    for (const end = Date.now() + 60_000; answered < STALLED / 2; await sleep(20)) assert.ok(Date.now() < end, `${answered} have begun`);
    // the others have begun by then, or wait
    for (let i = 0; i < 3; i++) assert.is((await client.get('/version')).status, 200);
    const alice = new Client(server, server.tokens.alice);
    const { status, text: told } = await alice.get(CONFIG_MAPS);
    assert.is(status, 200, told.slice(0, 200));
    alice.close();
  } finally {
    for (const request of stalled) request.destroy();
  }
});

lists('leave no files', () => {
  const files = readdirSync(path.join(server.directory, 'data'));
  assert.equal(
    files.filter((name) => name.startsWith('spool')),
    [],
  );
});

lists.run();

/** Several processes behind one port: what one writes the others show at once, and one that dies is replaced while the others serve. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client, type Json } from '../../harness/client.ts';
import { ServerStartError, startServer, type TestServer } from '../../harness/server.ts';

const COUNT = 3;
const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const configmap = (name: string, data: Record<string, string> = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

const server = await startServer({ dialect: 'kubernetes', flags: [`--workers=${COUNT}`] });
const test = suite('workers');
test.after(async () => {
  const code = await server.stop();
  if (code !== 0) console.log(server.log());
  assert.is(code, 0);
});

/** Connections of their own: they are handed to the workers in turn. */
const clients = (count: number): Client[] => Array.from({ length: count }, () => new Client(server));

async function workers({ pid }: TestServer): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 300; i++) {
    if (await holds()) return;
    await sleep(50);
  }
  throw new Error('it did not come to that');
}

/** How often service accounts were looked for in vain. */
async function counted(client: Client): Promise<number> {
  const { text } = await client.get('/metrics');
  const line = /^apiserver_request_total\{code="404",.*resource="serviceaccounts".*verb="GET",.*\} (\d+)$/m.exec(text);
  return Number(line?.[1] ?? 0);
}

test('what all have counted is told together, whoever is asked', async () => {
  const all = clients(2 * COUNT);
  for (const client of all) for (let i = 0; i < 3; i++) await client.get('/api/v1/namespaces/default/serviceaccounts/none');
  for (const client of all) assert.is(await counted(client), 3 * all.length);
  for (const client of all) client.close();
});

test('what all have counted is set back together, whoever is asked', async () => {
  const all = clients(2 * COUNT);
  const [first] = all as [Client];
  await first.get('/api/v1/namespaces/default/serviceaccounts/none');
  assert.ok((await counted(first)) > 0);
  assert.is((await first.delete('/metrics')).text, 'metrics reset\n');
  // the others hear of it a moment later
  for (const client of all) await until(async () => (await counted(client)) === 0);
  for (const client of all) client.close();
});

/** Those that were not there before have come. */
const replaced = (before: readonly number[]) =>
  until(async () => {
    const now = await workers(server);
    return now.length === COUNT && now.some((pid) => !before.includes(pid));
  });

test('there are as many as were asked for', async () => {
  assert.is((await workers(server)).length, COUNT);
});

test('a write is seen by the next read of every worker', async () => {
  const all = clients(2 * COUNT);
  for (let i = 0; i < 60; i++) {
    const writer = all[i % all.length] as Client;
    const name = `seen-${i}`;
    const { status, body } = await writer.post(CONFIGMAPS, configmap(name));
    assert.is(status, 201);
    for (const answer of await Promise.all(all.map((client) => client.get(`${CONFIGMAPS}/${name}`))))
      assert.is(answer.body.metadata.resourceVersion, body.metadata.resourceVersion);
    const lists = await Promise.all(all.map((client) => client.get(CONFIGMAPS)));
    for (const list of lists) assert.ok(list.body.items.some((item: Json) => item.metadata.name === name));
  }
});

test('watches of all workers tell the same, each change once and in order', async () => {
  const all = clients(2 * COUNT);
  const { body } = await (all[0] as Client).get(CONFIGMAPS);
  const path = `${CONFIGMAPS}?watch=1&resourceVersion=${body.metadata.resourceVersion}`;
  const watches = await Promise.all(all.map((client) => client.watch(path)));
  const written = await Promise.all(
    Array.from({ length: 50 }, (_, i) => (all[i % all.length] as Client).post(CONFIGMAPS, configmap(`told-${i}`))),
  );
  const expected = written.map((answer) => Number(answer.body.metadata.resourceVersion)).sort((a, b) => a - b);
  for (const watch of watches) {
    const told: number[] = [];
    while (told.length < expected.length) told.push(Number((await watch.next()).object.metadata.resourceVersion));
    assert.equal(told, expected);
    watch.close();
  }
});

test('conflicting writes of different workers: one wins', async () => {
  const all = clients(2 * COUNT);
  const { body } = await (all[0] as Client).post(CONFIGMAPS, configmap('fought-for'));
  const answers = await Promise.all(
    all.map((client, i) =>
      client.put(`${CONFIGMAPS}/fought-for`, { ...configmap('fought-for', { winner: String(i) }), metadata: body.metadata }),
    ),
  );
  assert.equal(answers.map(({ status }) => status).sort(), [200, ...Array(all.length - 1).fill(409)]);
});

test('pages of a list go on at any worker', async () => {
  const all = clients(COUNT);
  const whole = await (all[0] as Client).get(CONFIGMAPS);
  const names: string[] = [];
  let token = '';
  for (let i = 0; i === 0 || token !== ''; i++) {
    const page = await (all[i % COUNT] as Client).get(`${CONFIGMAPS}?limit=7&continue=${encodeURIComponent(token)}`);
    assert.is(page.status, 200);
    names.push(...page.body.items.map((item: Json) => item.metadata.name));
    token = page.body.metadata.continue ?? '';
  }
  assert.equal(
    names,
    whole.body.items.map((item: Json) => item.metadata.name),
  );
});

test('a killed worker is replaced; the others serve on', async () => {
  for (let round = 0; round < 2; round++) {
    const before = await workers(server);
    process.kill(before[round] as number, 'SIGKILL');
    // new connections go to those that are left
    for (const client of clients(2 * COUNT)) assert.is((await client.get(CONFIGMAPS)).status, 200);
    await replaced(before);
  }
});

test('duties go on when the one that had them dies: an emptied namespace goes', async () => {
  for (const pid of await workers(server)) {
    const before = await workers(server);
    process.kill(pid, 'SIGKILL');
    await replaced(before);
  }
  const [client] = clients(1) as [Client];
  assert.is((await client.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'going' } })).status, 201);
  assert.is((await client.post('/api/v1/namespaces/going/configmaps', configmap('left'))).status, 201);
  await client.delete('/api/v1/namespaces/going');
  await until(async () => (await client.get('/api/v1/namespaces/going')).status === 404);
});

test('another server may listen on the port where both say so', async () => {
  const sharing = await startServer({ dialect: 'kubernetes', flags: ['--permit-port-sharing', '--workers=2'] });
  const start = (...flags: readonly string[]) => startServer({ dialect: 'kubernetes', flags, port: sharing.port });
  const other = await start('--permit-port-sharing');
  assert.is(other.port, sharing.port);
  assert.is(await other.stop(), 0);
  const refused: unknown = await start().catch((error) => error);
  assert.instance(refused, ServerStartError);
  assert.match((refused as ServerStartError).output, `port ${sharing.port} of 127.0.0.1 is in use by another program`);
  assert.is(await sharing.stop(), 0);
});

test('no worker reported a fault', () => assert.equal(server.faults(), []));

test.run();

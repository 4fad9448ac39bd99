/** Figures of the program, its process and its store at /metrics, from a real server. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../harness/client.ts';
import { startServer, type TestServer } from '../harness/server.ts';

const test = suite('figures of a server');
const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer({
    dialect: 'kubernetes',
    flags: [
      '--etcd-count-metric-poll-period=1ms',
      '--disabled-metrics=process_max_fds,apiserver_response_sizes',
      '--allow-metric-labels=apiserver_request_total,verb=GET,POST',
    ],
  });
  client = new Client(server);
});
test.after(async () => {
  client.close();
  await server.stop();
});

async function lines(): Promise<string[]> {
  return (await client.get('/metrics')).text.split('\n');
}

/** NaN where there is none. */
async function figure(row: string): Promise<number> {
  const line = (await lines()).find((each) => each.startsWith(`${row} `));
  return line === undefined ? Number.NaN : Number(line.slice(row.length + 1));
}

/** What is counted behind an answer is in a later one. */
async function counted(row: string, expected: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) if ((await figure(row)) === expected) return;
  assert.is(await figure(row), expected);
}

test('tell of the program and its gates', async () => {
  const all = await lines();
  const build = all.find((line) => line.startsWith('kubernetes_build_info{')) ?? '';
  assert.match(build, /major="1",minor="32"/);
  assert.match(build, /git_version="v1\.32\.0"/);
  assert.ok(build.endsWith(' 1'));
  const gates = all.filter((line) => line.startsWith('kubernetes_feature_enabled{'));
  assert.ok(gates.length > 100);
  assert.ok(gates.includes('kubernetes_feature_enabled{name="MutatingAdmissionPolicy",stage="ALPHA"} 0'), gates.join('\n'));
  assert.ok(gates.includes('kubernetes_feature_enabled{name="WatchList",stage="BETA"} 1'), gates.join('\n'));
});
test('tell of the process', async () => {
  const spent = await figure('process_cpu_seconds_total');
  assert.ok(spent > 0.05 && spent < 300, String(spent));
  assert.ok((await figure('process_cpu_seconds_total')) >= spent);
  const resident = await figure('process_resident_memory_bytes');
  assert.ok(resident > 20e6 && resident < 2e9, String(resident));
  const used = await figure('nodejs_heap_size_used_bytes');
  assert.ok(used > 1e6 && used < resident, String(used));
  const age = Date.now() / 1_000 - (await figure('process_start_time_seconds'));
  assert.ok(age > 0 && age < 600, String(age));
  if (process.platform === 'linux') assert.ok((await figure('process_open_fds')) > 5);
});
test('count objects by resource', async () => {
  const ofSecrets = 'apiserver_storage_objects{resource="secrets"}';
  const before = await counted('apiserver_storage_objects{resource="deployments.apps"}', 0).then(() => figure(ofSecrets));
  for (const name of ['a', 'b']) assert.is((await client.post(SECRETS, { metadata: { name } })).status, 201);
  await counted(ofSecrets, before + 2);
  assert.is((await client.delete(`${SECRETS}/a`)).status, 200);
  await counted(ofSecrets, before + 1);
});
test('tell of the store and its past', async () => {
  const revision = await figure('apiserver_store_revision');
  assert.is((await client.post(MAPS, { metadata: { name: 'c' }, data: { a: 'x'.repeat(1_000) } })).status, 201);
  const past = await figure('apiserver_store_history_bytes');
  assert.is((await client.put(`${MAPS}/c`, { metadata: { name: 'c' } })).status, 200);
  assert.ok((await figure('apiserver_store_revision')) >= revision + 2);
  assert.ok((await figure('apiserver_store_history_bytes')) >= past + 1_000);
  assert.is(await figure('apiserver_store_compacted_revision'), 0);
  assert.is(await figure('apiserver_store_compactions_total'), 0);
  const age = await figure('apiserver_store_oldest_history_seconds');
  assert.ok(age > 0 && age < 600, String(age));
  assert.ok((await figure('apiserver_storage_size_bytes{storage_cluster_id="store-0"}')) > 4_096);
});
test('are without those that a flag disables', async () => {
  const all = await lines();
  assert.equal(
    all.filter((line) => /process_max_fds|apiserver_response_sizes/.test(line)),
    [],
  );
});
test('have labels of the values that a flag allows', async () => {
  await client.get(`${MAPS}/b`);
  await client.put(`${MAPS}/b`, { metadata: { name: 'b' } });
  const verbs = new Set((await lines()).flatMap((line) => /^apiserver_request_total\{.*verb="([^"]+)"/.exec(line)?.[1] ?? []));
  assert.equal([...verbs].sort(), ['GET', 'POST', 'unexpected']);
  assert.ok((await figure('cardinality_enforcement_unexpected_categorizations_total')) > 0);
});
test.run();

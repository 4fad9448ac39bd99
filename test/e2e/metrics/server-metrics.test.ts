/** Figures of the program, its process and its store at /metrics, from a real server. */
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { authority, request } from '../../certificates/made.ts';
import { Client } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

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
const counted = (row: string, expected: number): Promise<void> =>
  eventually(`${row} is ${expected}`, async () => (await figure(row)) === expected);

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
test('tell what lists have read of the store', async () => {
  const row = (name: string): string => `apiserver_storage_list_${name}{resource="secrets"}`;
  const now = async (): Promise<number[]> =>
    Promise.all(
      ['total', 'fetched_objects_total', 'evaluated_objects_total', 'returned_objects_total'].map(
        async (name) => (await figure(row(name))) || 0,
      ),
    );
  for (const name of ['listed-a', 'listed-b']) await client.post(SECRETS, { metadata: { name, labels: { listed: name } } });
  const before = await now();
  assert.is((await client.get(`${SECRETS}?fieldSelector=type=Opaque&labelSelector=listed`)).status, 200);
  await counted(row('total'), (before[0] as number) + 1);
  const [lists, fetched, evaluated, returned] = (await now()).map((count, index) => count - (before[index] as number));
  assert.equal([lists, returned], [1, 2]);
  assert.ok((fetched as number) >= 2);
  assert.is(evaluated, fetched);
});
test('tell of addresses and ports of services', async () => {
  const range = '10.0.0.0/24';
  const named = (scope: string): string => `kube_apiserver_clusterip_allocator_allocation_total{cidr="${range}",scope="${scope}"}`;
  const allocated = `kube_apiserver_clusterip_allocator_allocated_ips{cidr="${range}"}`;
  // what takes long to count is told to the next one who asks
  await eventually('that of the server itself is counted', async () => (await figure(allocated)) > 0);
  const [addresses, free, statics] = [
    await figure(allocated),
    await figure(allocated.replace('allocated_ips', 'available_ips')),
    await figure(named('static')),
  ];
  assert.is(addresses + free, 254);
  const spec = { type: 'NodePort', clusterIP: '10.0.0.77', ports: [{ port: 80, nodePort: 30_077 }] };
  assert.is((await client.post('/api/v1/namespaces/default/services', { metadata: { name: 'figures' }, spec })).status, 201);
  await counted(allocated, addresses + 1);
  await counted(named('static'), (statics || 0) + 1);
  await counted('kube_apiserver_nodeport_allocator_allocated_ports', 1);
  await counted('kube_apiserver_nodeport_allocator_available_ports', 2_767);
  await counted('kube_apiserver_nodeport_allocator_allocation_total{scope="static"}', 1);
  await client.delete('/api/v1/namespaces/default/services/figures');
  await counted(allocated, addresses);
});
test('tell of what API servers ask themselves, and of the validation of fields', async () => {
  const own = 'apiserver_selfrequest_total{resource="configmaps",subresource="",verb="GET"}';
  const validated = (value: string): string => `field_validation_request_duration_seconds_count{field_validation="${value}"}`;
  const headers = { 'impersonate-user': 'system:apiserver', 'impersonate-group': 'system:masters' };
  assert.is((await client.request('GET', `${MAPS}/kube-root-ca.crt`, { headers })).status, 200);
  await client.get(`${MAPS}/kube-root-ca.crt`);
  await counted(own, 1);
  for (const value of ['Strict', 'invalid']) {
    const { status } = await client.post(`${MAPS}?fieldValidation=${value}`, { metadata: { name: 'validated' } });
    assert.is(status, value === 'Strict' ? 201 : 422);
    await counted(validated(value), 1);
  }
});
test('tell of certificates that are issued for as long as was asked', async () => {
  const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const spec = {
    request: base64(await request()),
    signerName: 'example.com/signer',
    usages: ['client auth'],
    expirationSeconds: 3_600,
  };
  assert.is((await client.post(REQUESTS, { metadata: { name: 'asked' }, spec })).status, 201);
  const { body } = await client.get(`${REQUESTS}/asked`);
  const issued = { ...body, status: { certificate: base64(await authority(false)) } };
  assert.is((await client.put(`${REQUESTS}/asked/status?dryRun=All`, issued)).status, 200);
  assert.is((await client.put(`${REQUESTS}/asked/status`, issued)).status, 200);
  const row = (name: string): string => `apiserver_certificates_registry_csr_${name}_duration_total{signerName="other"}`;
  await counted(row('requested'), 1);
  assert.ok(Number.isNaN(await figure(row('honored'))), 'it is valid for a year');
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
test('tell of admission, by phase and by plugin', async () => {
  const rows = [
    'apiserver_admission_step_admission_duration_seconds_count{operation="CREATE",rejected="false",type="admit"}',
    'apiserver_admission_controller_admission_duration_seconds_count{name="NamespaceLifecycle",operation="CREATE",rejected="false",type="admit"}',
    'apiserver_admission_controller_admission_duration_seconds_count{name="ResourceQuota",operation="CREATE",rejected="false",type="validate"}',
  ];
  const before = await Promise.all(rows.map(figure));
  assert.is((await client.post(MAPS, { metadata: { name: 'd' } })).status, 201);
  for (const [index, row] of rows.entries()) assert.ok((await figure(row)) > (before[index] as number), row);
  const refused = 'apiserver_admission_step_admission_duration_seconds_count{operation="CREATE",rejected="true",type="admit"}';
  assert.is((await client.post('/api/v1/namespaces/none/configmaps', { metadata: { name: 'd' } })).status, 404);
  assert.is(await figure(refused), 1);
});
test('tell of levels of pod security', async () => {
  const labels = { 'pod-security.kubernetes.io/enforce': 'baseline', 'pod-security.kubernetes.io/warn': 'restricted' };
  assert.is((await client.post('/api/v1/namespaces', { metadata: { name: 'levels', labels } })).status, 201);
  const pod = (name: string, hostNetwork: boolean) => ({
    metadata: { name },
    spec: { automountServiceAccountToken: false, hostNetwork, containers: [{ name: 'a', image: 'a' }] },
  });
  await client.post('/api/v1/namespaces/levels/serviceaccounts', { metadata: { name: 'default' } });
  const pods = '/api/v1/namespaces/levels/pods';
  assert.is((await client.post(pods, pod('a', false))).status, 201);
  assert.is((await client.post(pods, pod('b', true))).status, 403);
  const row = (decision: string, level: string, mode: string): string =>
    `pod_security_evaluations_total{decision="${decision}",mode="${mode}",policy_level="${level}",policy_version="latest",request_operation="create",resource="pod",subresource=""}`;
  assert.is(await figure(row('allow', 'baseline', 'enforce')), 1);
  assert.is(await figure(row('deny', 'baseline', 'enforce')), 1);
  assert.is(await figure(row('deny', 'restricted', 'warn')), 1);
});
test('tell of what watches send', async () => {
  const list = '?watch=1&timeoutSeconds=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
  const events: string[] = [];
  for await (const { type } of await client.watch(`${SECRETS}${list}`)) events.push(type);
  const added = events.filter((type) => type === 'ADDED').length;
  assert.ok(added > 0 && events.includes('BOOKMARK'));
  assert.is(await figure('apiserver_watch_events_total{group="",kind="Secret",version="v1"}'), events.length);
  assert.is(await figure('apiserver_watch_events_sizes_count{group="",kind="Secret",version="v1"}'), events.length);
  assert.is(await figure('apiserver_init_events_total{resource="secrets"}'), added);
  const listed = 'apiserver_watch_list_duration_seconds_count{group="",resource="secrets",scope="namespace",version="v1"}';
  assert.is(await figure(listed), 1);
});
test('tell of requests without what they waited for, of their bodies, and of what they go through', async () => {
  const ofMaps = 'component="apiserver",group="",resource="configmaps",scope="resource",subresource="",verb="POST",version="v1"';
  const rows = [
    `apiserver_request_sli_duration_seconds_count{${ofMaps}}`,
    'apiserver_request_body_size_bytes_count{resource="configmaps",verb="create"}',
    'apiserver_request_filter_duration_seconds_count{filter="authentication"}',
    'apiserver_request_filter_duration_seconds_count{filter="authorization"}',
  ];
  const before = await Promise.all(rows.map(figure));
  assert.is((await client.post(MAPS, { metadata: { name: 'e' } })).status, 201);
  for (const [index, row] of rows.entries()) assert.ok((await figure(row)) > (before[index] as number), row);
});
test('count requests for health by their paths, but for single checks', async () => {
  const row = (path: string): string =>
    `apiserver_request_total{code="200",component="",dry_run="",group="",resource="",scope="",subresource="${path}",verb="GET",version=""}`;
  const before = (await figure(row('/readyz'))) || 0;
  for (const path of ['/readyz', '/readyz?verbose', '/readyz/ping']) assert.is((await client.get(path)).status, 200);
  assert.is(await figure(row('/readyz')), before + 2);
  assert.ok(Number.isNaN(await figure(row('/readyz/ping'))));
});
test('tell of the work of controllers', async () => {
  const added = 'workqueue_adds_total{name="namespace"}';
  const before = (await figure(added)) || 0;
  assert.is((await client.post('/api/v1/namespaces', { metadata: { name: 'work' } })).status, 201);
  assert.is((await client.delete('/api/v1/namespaces/work')).status, 200);
  const ended = 'workqueue_work_duration_seconds_count{name="namespace"}';
  for (const end = performance.now() + 20_000; performance.now() < end && !((await figure(ended)) > 0); )
    await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok((await figure(ended)) > 0);
  assert.ok((await figure(added)) > before);
});
test('count connections whose handshake fails', async () => {
  const row = 'apiserver_tls_handshake_errors_total';
  const before = (await figure(row)) || 0;
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.end('this is not TLS\r\n\r\n');
  await new Promise((resolve) => socket.once('close', resolve));
  await counted(row, before + 1);
});
const AGGREGATED = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
test('tell of documents of the API that are made anew, and of the definitions that change them', async () => {
  const made = 'aggregator_discovery_aggregation_count_total';
  for (let i = 0; i < 2; i++) await client.get('/apis', AGGREGATED);
  const before = await figure(made);
  assert.ok(before >= 1, String(before));
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
  const spec = { group: 'figures.example.com', scope: 'Namespaced', names: { plural: 'toys', kind: 'Toy' }, versions };
  const name = 'toys.figures.example.com';
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  assert.is((await client.post(definitions, { metadata: { name }, spec })).status, 201);
  await counted(`apiextensions_openapi_v2_regeneration_count{crd="${name}",reason="add"}`, 1);
  await counted(`apiextensions_openapi_v3_regeneration_count{crd="${name}",group="figures.example.com",reason="add",version="v1"}`, 1);
  await client.get('/apis', AGGREGATED);
  assert.is(await figure(made), before + 1);
  await client.delete(`${definitions}/${name}`);
  await counted(`apiextensions_openapi_v2_regeneration_count{crd="${name}",reason="remove"}`, 1);
});

test.run();

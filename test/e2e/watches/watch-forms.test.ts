/** Watchers of one resource that each get their own form and see their own selection. */
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client, type Json } from '../../harness/client.ts';
import { connect } from '../../harness/raw.ts';
import { startServer, type TestServer } from '../../harness/server.ts';
import type { Watch } from '../../harness/watch.ts';

const CRONJOBS = '/apis/batch/v1/namespaces/default/cronjobs';
const HPAS = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
const as = (transform: string) => ({ accept: `application/json;as=${transform};g=meta.k8s.io;v=v1` });

const test = suite('forms of watches');
let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  client = new Client(server);
});
test.after(async () => {
  client.close();
  await server.stop();
});

async function events(watch: Watch, count: number): Promise<[type: string, object: Json][]> {
  const seen: [string, Json][] = [];
  for (let i = 0; i < count; i++) {
    const { type, object } = await watch.next();
    seen.push([type, object]);
  }
  watch.close();
  return seen;
}

/** Each watch counts seconds when it sends: one may be over between two of them. */
const ageless = (seen: readonly [type: string, object: Json][]): [type: string, object: Json][] =>
  seen.map(([type, object]) => [
    type,
    object.kind === 'Table'
      ? {
          ...object,
          rows: object.rows.map((row: Json) => ({ ...row, cells: row.cells.map((cell: Json) => (/^\d+s$/.test(cell) ? 'an age' : cell)) })),
        }
      : object,
  ]);

const cronJob = (labels: Record<string, string>) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'nightly', labels },
  spec: {
    schedule: '0 0 * * *',
    jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } } },
  },
});

test('a watch that asks for the form of a list ends at its first event, which it does not show', async () => {
  const accept = ['PartialObjectMetadataList', 'PartialObjectMetadata'].map((form) => as(form).accept).join();
  const { status, text } = await client.get('/api/v1/namespaces?watch=1', { accept });
  assert.equal([status, text], [200, '']);
});

test('two of each form see the same changes, each in its form', async () => {
  const { body: before } = await client.get(CRONJOBS);
  const path = `${CRONJOBS}?watch=1&resourceVersion=${before.metadata.resourceVersion}`;
  const forms = [{}, as('Table'), as('PartialObjectMetadata')];
  const watches = await Promise.all([...forms, ...forms].map((headers) => client.watch(path, headers)));
  const selecting = await client.watch(`${path}&labelSelector=tier%3Dgold`);
  await client.post(CRONJOBS, cronJob({ tier: 'gold' }));
  await client.patch(`${CRONJOBS}/nightly`, { metadata: { labels: { tier: 'tin' } } });
  const { body: last } = await client.get(`${CRONJOBS}/nightly`);
  await client.delete(`${CRONJOBS}/nightly?propagationPolicy=Background`);

  const [plain, table, partial, ...seconds] = (await Promise.all(watches.map((watch) => events(watch, 3)))).map(ageless);
  assert.equal(seconds, [plain, table, partial], 'both of a form get the same');
  const types = ['ADDED', 'MODIFIED', 'DELETED'];
  for (const form of [plain, table, partial])
    assert.equal(
      form?.map(([type]) => type),
      types,
    );
  assert.equal(
    plain?.map(([, object]) => object.metadata.labels.tier),
    ['gold', 'tin', 'tin'],
  );
  assert.equal(
    table?.map(([, object]) => [object.kind, object.columnDefinitions !== null, object.rows[0].cells[0]]),
    [
      ['Table', true, 'nightly'],
      ['Table', false, 'nightly'],
      ['Table', false, 'nightly'],
    ],
  );
  assert.equal(
    partial?.map(([, object]) => [object.kind, object.spec, object.metadata.name]),
    Array(3).fill(['PartialObjectMetadata', undefined, 'nightly']),
  );
  assert.is(plain?.[1]?.[1].metadata.resourceVersion, last.metadata.resourceVersion);

  // the object left the selection: it is told as it was, at the version at which it left
  const [, left] = await events(selecting, 2);
  assert.equal(
    [left?.[0], left?.[1].metadata.labels.tier, left?.[1].metadata.resourceVersion],
    ['DELETED', 'gold', last.metadata.resourceVersion],
  );
});

test('watches of two versions get their own', async () => {
  const watches = await Promise.all(['v1', 'v2', 'v1'].map((version) => client.watch(`${HPAS(version)}?watch=1`)));
  await client.post(HPAS('v2'), {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'a' },
    spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' }, metrics: [cpu(55)] },
  });
  const [old, current, again] = await Promise.all(watches.map((watch) => events(watch, 1)));
  assert.equal(again, old);
  assert.equal([old?.[0]?.[1].apiVersion, old?.[0]?.[1].spec.targetCPUUtilizationPercentage], ['autoscaling/v1', 55]);
  assert.equal([current?.[0]?.[1].apiVersion, current?.[0]?.[1].spec.metrics], ['autoscaling/v2', [cpu(55)]]);
});

const cpu = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

test('a wrong includeObject is refused before the stream begins', async () => {
  const { status, body } = await client.get(`${CRONJOBS}?watch=1&includeObject=All`, as('Table'));
  assert.equal([status, body.kind], [400, 'Status']);
  assert.equal(server.faults(), []);
});
test('two watches and a request that follow each other on one connection', async () => {
  const path = '/api/v1/namespaces/default/configmaps';
  const put = (turn: number) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'watched' }, data: { turn: String(turn) } });
  const { body: created } = await client.post(path, put(0));
  for (let turn = 1; turn <= 3; turn++) await client.put(`${path}/watched`, put(turn));
  const watch = `${path}?watch=1&timeoutSeconds=1&resourceVersion=${created.metadata.resourceVersion}`;
  const head = (target: string) => `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.tokens.admin}\r\n`;
  const socket = await connect(server);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(`${head(watch)}\r\n${head(watch)}\r\n${head('/readyz')}Connection: close\r\n\r\n`);
  await once(socket, 'close');
  const text = Buffer.concat(chunks).toString('latin1');
  // what each answer begins with, the events in it, and what it ends with
  const seen = [...text.matchAll(/HTTP\/1\.1 \d+|"turn":"\d"|\r\n0\r\n\r\n|\r\nok$/g)].map(([found]) => found.trim());
  const watched = ['HTTP/1.1 200', '"turn":"1"', '"turn":"2"', '"turn":"3"', '0'];
  assert.equal(seen, [...watched, ...watched, 'HTTP/1.1 200', 'ok']);
});

test.run();

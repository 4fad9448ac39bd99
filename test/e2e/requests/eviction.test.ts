/** Evictions of running pods against a disruption budget. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('eviction');
const PODS = '/api/v1/namespaces/default/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

let server: TestServer;
let client: Client;

test.before(async () => {
  server = await startServer({ dialect: 'kubernetes', flags: ['--disable-admission-plugins=ServiceAccount'] });
  client = new Client(server);
});
test.after(async () => {
  await server?.stop();
});

interface Situation {
  /** the pod's condition Ready */
  readonly ready?: boolean;
  readonly spec?: object;
  /** of the budget; absent: as created, unobserved */
  readonly status?: object;
  readonly options?: object;
  readonly apiVersion?: string;
  readonly query?: string;
}

const counts = { observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
const none = { ...counts, disruptionsAllowed: 0 };

let number = 0;

/** Statuses of an eviction that the budget let through, whatever came of the pod. */
const CHARGED = [201, 409];

/** One running pod with a budget of its own is evicted. */
async function evict(situation: Situation): Promise<{ answer: Answer; name: string }> {
  const name = `p${++number}`;
  const created = await client.post(PODS, {
    metadata: { name, labels: { app: name } },
    spec: { nodeName: 'node-a', containers: [{ name: 'c', image: 'i' }] },
  });
  assert.is(created.status, 201, created.text);
  const conditions = [{ type: 'Ready', status: situation.ready === false ? 'False' : 'True' }];
  await client.patch(`${PODS}/${name}/status`, { status: { phase: 'Running', conditions } });
  const spec = { minAvailable: 1, selector: { matchLabels: { app: name } }, ...situation.spec };
  assert.is((await client.post(BUDGETS, { metadata: { name }, spec })).status, 201);
  if (situation.status !== undefined)
    assert.is((await client.patch(`${BUDGETS}/${name}/status`, { status: situation.status })).status, 200);
  const answer = await client.post(`${PODS}/${name}/eviction${situation.query ?? ''}`, {
    apiVersion: situation.apiVersion ?? 'policy/v1',
    kind: 'Eviction',
    metadata: { name },
    deleteOptions: { gracePeriodSeconds: 0, ...situation.options },
  });
  return { answer, name };
}

const rows: [string, Situation, number, number][] = [
  ['room for one', { status: counts }, 201, 0],
  ['room for one, in the older version', { status: counts, apiVersion: 'policy/v1beta1' }, 201, 0],
  ['no room', { status: none }, 429, 0],
  ['unobserved', {}, 429, 0],
  [
    'of another uid, which is found out once the budget is charged',
    { status: counts, options: { preconditions: { uid: 'other' } } },
    409,
    0,
  ],
  ['not ready, the others are healthy', { ready: false, status: none }, 201, 0],
  ['not ready, too few are healthy', { ready: false, status: { ...none, currentHealthy: 0 } }, 429, 0],
  ['not ready, no matter who is healthy', { ready: false, spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } }, 201, 0],
  ['of another version', { status: counts, options: { preconditions: { resourceVersion: '1' } } }, 409, 0],
  [
    'not ready, of another version: the one that was judged counts',
    { ready: false, status: none, options: { preconditions: { resourceVersion: '1' } } },
    201,
    0,
  ],
  ['a dry run by the query', { status: counts, query: '?dryRun=All' }, 201, 1],
  ['a dry run by the options', { status: counts, options: { dryRun: ['All'] } }, 201, 1],
];
for (const [name, situation, status, left] of rows)
  test(name, async () => {
    const { answer, name: pod } = await evict(situation);
    assert.is(answer.status, status, answer.text);
    const { body } = await client.get(`${BUDGETS}/${pod}`);
    const kept = left === 1 || status !== 201;
    assert.is((await client.get(`${PODS}/${pod}`)).status, kept ? 200 : 404);
    if (situation.status !== undefined) assert.is(body.status.disruptionsAllowed, left);
    assert.is(pod in (body.status.disruptedPods ?? {}), left === 0 && situation.status === counts && CHARGED.includes(status));
  });

test('unknown fields are warned of where the eviction is refused, too', async () => {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'other' }, deleteOptions: { foo: 1 } };
  const answer = await client.post(`${PODS}/absent/eviction`, eviction);
  assert.is(answer.body.message, 'name in URL does not match name in Eviction object');
  assert.is(answer.headers.warning, '299 - "unknown field \\"deleteOptions.foo\\""');
});

test('an empty selector guards pods without labels too', async () => {
  assert.is((await client.post(BUDGETS, { metadata: { name: 'all' }, spec: { minAvailable: 1, selector: {} } })).status, 201);
  await client.post(PODS, { metadata: { name: 'bare' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await client.patch(`${PODS}/bare/status`, { status: { phase: 'Running' } });
  const refused = await client.post(`${PODS}/bare/eviction`, { metadata: { name: 'bare' } });
  assert.is(refused.status, 429, refused.text);
  assert.is(refused.headers['retry-after'], '10');
});

test.run();

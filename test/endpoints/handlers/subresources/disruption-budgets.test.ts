import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer, MERGE } from '../asked-server.ts';

const test = suite('evictions that a budget guards');
const server = await AskedServer.start();
test.after(() => server.stop());
const PODS = '/api/v1/namespaces/default/pods';
const pod = (name: string, spec: object = {}) => ({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'x' }], ...spec } });

const LONG_AGO = '2020-01-01T00:00:00Z';
const NEEDS_NONE = 'The disruption budget none needs 0 healthy pods and has 0 currently';
const TOO_MANY =
  'poddisruptionbudget.policy "waits-2001" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const CONDITIONS = [{ type: 'Ready', status: 'True' }];
const evict = (name: string) => server.post(`${PODS}/${name}/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } });

async function runningPod(name: string, labels: object, conditions: object[] = CONDITIONS): Promise<void> {
  await server.post(PODS, { ...pod(name), metadata: { name, labels } });
  await server.ask('PATCH', `${PODS}/${name}/status`, { body: { status: { phase: 'Running', conditions } }, type: MERGE });
}
async function budget(name: string, labels: object, status: object, spec: object = {}): Promise<void> {
  await server.post(BUDGETS, { metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: labels }, ...spec } });
  const { body } = await server.get(`${BUDGETS}/${name}`);
  await server.ask('PATCH', `${BUDGETS}/${name}/status`, {
    body: { status: { observedGeneration: body.metadata.generation, expectedPods: 2, currentHealthy: 2, desiredHealthy: 1, ...status } },
    type: MERGE,
  });
}
test('are charged to it as long as it has something left', async () => {
  await budget('some', { app: 'some' }, { disruptionsAllowed: 1 });
  for (const name of ['s1', 's2']) await runningPod(name, { app: 'some' });
  assert.is((await evict('s1')).status, 201);
  const { body } = await server.get(`${BUDGETS}/some`);
  assert.equal([body.status.disruptionsAllowed, Object.keys(body.status.disruptedPods)], [0, ['s1']]);
  const refused = await evict('s2');
  assert.equal([refused.status, refused.body.reason], [429, 'TooManyRequests']);
  assert.match(refused.body.message, /Cannot evict pod as it would violate the pod's disruption budget/);
});
test('go without charge for pods that are not ready, where it lets them', async () => {
  await budget('lax', { app: 'lax' }, { disruptionsAllowed: 0 }, { unhealthyPodEvictionPolicy: 'AlwaysAllow' });
  await runningPod('l1', { app: 'lax' }, [{ type: 'Ready', status: 'False' }]);
  assert.is((await evict('l1')).status, 201);
});
test('are refused for pods that are not ready as long as the budget wants no pod at all', async () => {
  await budget('none', { app: 'none' }, { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0 }, { minAvailable: 0 });
  await runningPod('n1', { app: 'none' }, [{ type: 'Ready', status: 'False' }]);
  const { status, body } = await evict('n1');
  assert.equal([status, body.details.causes], [429, [{ reason: 'DisruptionBudget', message: NEEDS_NONE }]]);
});
test('leave a budget that has nothing left with a condition that says so, among the others', async () => {
  const conditionsBefore = [
    { type: 'Other', status: 'True', reason: 'Some', message: '', lastTransitionTime: LONG_AGO },
    { type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', message: '', lastTransitionTime: LONG_AGO },
  ];
  await budget('last', { app: 'last' }, { disruptionsAllowed: 1, conditions: conditionsBefore });
  await runningPod('last', { app: 'last' });
  assert.is((await evict('last')).status, 201);
  const { conditions } = (await server.get(`${BUDGETS}/last`)).body.status;
  const told = conditions.map(({ type, status, reason }: { type: string; status: string; reason: string }) => [type, status, reason]);
  assert.equal(told, [
    ['Other', 'True', 'Some'],
    ['DisruptionAllowed', 'False', 'InsufficientPods'],
  ]);
  assert.equal(conditions[0].lastTransitionTime, LONG_AGO);
  assert.not.equal(conditions[1].lastTransitionTime, LONG_AGO);
});
for (const [count, answer] of [
  [2_000, [201, undefined]],
  [2_001, [403, TOO_MANY]],
] as const)
  test(`of a budget that waits for ${count} pods to go: ${answer[0]}`, async () => {
    const name = `waits-${count}`;
    const disruptedPods = Object.fromEntries(Array.from({ length: count }, (_, index) => [`gone-${index}`, LONG_AGO]));
    await budget(name, { app: name }, { disruptionsAllowed: 1, disruptedPods });
    await runningPod(name, { app: name });
    const { status, body } = await evict(name);
    assert.equal([status, status === 201 ? undefined : body.message], answer);
  });
const guarded: readonly (readonly [what: string, phase: string, status: number])[] = [
  ['has ended', 'Succeeded', 201],
  ['has failed', 'Failed', 201],
  ['has not begun', 'Pending', 201],
  ['runs', 'Running', 429],
  ['is lost', 'Unknown', 429],
];
for (const [what, phase, status] of guarded)
  test(`of a pod that ${what}, where nothing is left: ${status}`, async () => {
    const name = `in-${phase.toLowerCase()}`;
    await budget(name, { app: name }, { disruptionsAllowed: 0 });
    await runningPod(name, { app: name });
    await server.ask('PATCH', `${PODS}/${name}/status`, { body: { status: { phase } }, type: MERGE });
    assert.is((await evict(name)).status, status);
    assert.is((await server.get(`${PODS}/${name}`)).status, status === 201 ? 404 : 200);
  });
for (const phase of ['Succeeded', 'Pending'])
  test(`of a pod in phase ${phase} that has another version are refused`, async () => {
    const name = `older-${phase.toLowerCase()}`;
    await runningPod(name, {});
    await server.ask('PATCH', `${PODS}/${name}/status`, { body: { status: { phase } }, type: MERGE });
    const deleteOptions = { preconditions: { resourceVersion: '1' } };
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, deleteOptions };
    assert.is((await server.post(`${PODS}/${name}/eviction`, body)).status, 409);
    assert.is((await server.get(`${PODS}/${name}`)).status, 200);
  });
test('of a pod that goes already need nothing of the budget, and leave its condition since when it is true', async () => {
  await budget('going', { app: 'going' }, { disruptionsAllowed: 1 });
  await runningPod('going', { app: 'going' });
  const finalizers = ['example.com/held'];
  await server.ask('PATCH', `${PODS}/going`, { body: { metadata: { finalizers } }, type: MERGE });
  assert.is((await evict('going')).status, 201);
  const target = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', lastTransitionTime: LONG_AGO };
  await server.ask('PATCH', `${PODS}/going/status`, { body: { status: { conditions: [...CONDITIONS, target] } }, type: MERGE });
  assert.is((await evict('going')).status, 201);
  const { conditions } = (await server.get(`${PODS}/going`)).body.status;
  assert.is(conditions.length, 2);
  const { type, message, lastTransitionTime } = conditions[1];
  assert.equal([type, message, lastTransitionTime], ['DisruptionTarget', 'Eviction API: evicting', LONG_AGO]);
});
test('wait for a budget that has not seen its own change', async () => {
  await budget('late', { app: 'late' }, { disruptionsAllowed: 1, observedGeneration: 0 });
  await runningPod('late', { app: 'late' });
  const { status, headers } = await evict('late');
  assert.equal([status, headers.get('retry-after')], [429, '10']);
});
test('of a pod with several budgets are refused', async () => {
  await budget('one', { app: 'many' }, { disruptionsAllowed: 1 });
  await budget('two', { app: 'many' }, { disruptionsAllowed: 1 });
  await runningPod('many', { app: 'many' });
  assert.match((await evict('many')).body.message, /more than one PodDisruptionBudget/);
});

test.run();

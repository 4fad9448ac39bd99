import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer, MERGE, refusal } from '../asked-server.ts';

const test = suite('evictions');
const server = await AskedServer.start();
test.after(() => server.stop());
const PODS = '/api/v1/namespaces/default/pods';
const pod = (name: string, spec: object = {}) => ({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'x' }], ...spec } });

const evict = (name: string, body: object = {}) =>
  server.post(`${PODS}/${name}/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...body });
test('deletes a pod that no budget guards, and says so', async () => {
  await server.post(PODS, pod('a'));
  const { status, body } = await evict('a');
  assert.equal([status, body.status], [201, 'Success']);
  assert.is((await server.get(`${PODS}/a`)).status, 404);
});
test('removes nothing in a dry run', async () => {
  await server.post(PODS, pod('dry'));
  assert.is((await evict('dry', { deleteOptions: { dryRun: ['All'] } })).status, 201);
  assert.is((await server.get(`${PODS}/dry`)).status, 200);
});
test('refuses what is not there, another name, and dry runs that do not agree', async () => {
  assert.is((await evict('none')).status, 404);
  assert.equal(refusal(await server.post(`${PODS}/dry/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'b' } })), [
    400,
    'BadRequest',
    'name in URL does not match name in Eviction object',
  ]);
  const twice = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'dry' }, deleteOptions: { dryRun: ['All', 'All'] } };
  assert.equal(refusal(await server.post(`${PODS}/dry/eviction?dryRun=All`, twice)), [
    400,
    'BadRequest',
    'Non-matching dry-run options in request and content: [All] vs [All All]',
  ]);
});
test('takes the older version of its body', async () => {
  await server.post(PODS, pod('older'));
  assert.is((await evict('older', { apiVersion: 'policy/v1beta1' })).status, 201);
});
test('a pod says why it goes in releases that have the condition for it; an earlier one takes it as any other', async () => {
  const typesAfter = async (on: AskedServer, apiVersion: string): Promise<readonly unknown[]> => {
    await on.post(PODS, { ...pod('held'), metadata: { name: 'held', finalizers: ['example.com/held'] } });
    const evicted = await on.post(`${PODS}/held/eviction`, { apiVersion, kind: 'Eviction', metadata: { name: 'held' } });
    assert.is(evicted.status, 201);
    const { status } = (await on.get(`${PODS}/held`)).body;
    return (status.conditions ?? []).map(({ type }: { type: string }) => type);
  };
  assert.equal(await typesAfter(server, 'policy/v1'), ['DisruptionTarget']);
  const earlier = await AskedServer.start('kubernetes', { 'emulated-release': '1.20' });
  try {
    assert.equal(await typesAfter(earlier, 'policy/v1beta1'), []);
    const conditions = ['DisruptionTarget', 'PodReadyToStartContainers'].map((type) => ({ type, status: 'True' }));
    const patched = await earlier.ask('PATCH', `${PODS}/held/status`, { body: { status: { conditions } }, type: MERGE });
    assert.equal([patched.status, patched.body.message], [200, undefined]);
  } finally {
    await earlier.stop();
  }
});

test.run();

/** Subresources that do more, or less, than a write of their parent. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('subresources');
const PODS = '/api/v1/namespaces/default/pods';

let server: TestServer;
let client: Client;
test.before(async () => {
  const flags = ['--disable-admission-plugins=ServiceAccount', '--runtime-config=api/all=true'];
  server = await startServer({ dialect: 'kubernetes', flags });
  client = new Client(server);
});
test.after(async () => void (await server?.stop()));

test('a pod with scheduling gates says so, and is bound once they are gone', async () => {
  const spec = { containers: [{ name: 'c', image: 'i' }], schedulingGates: [{ name: 'example.com/a' }] };
  const created = await client.post(PODS, { metadata: { name: 'gated' }, spec });
  assert.equal(created.body.status.conditions, [
    {
      type: 'PodScheduled',
      status: 'False',
      lastProbeTime: null,
      lastTransitionTime: null,
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
    },
  ]);
  const bind = () => client.post(`${PODS}/gated/binding`, { metadata: { name: 'gated' }, target: { kind: 'Node', name: 'n' } });
  const refused = await bind();
  assert.is(refused.status, 409);
  assert.match(refused.body.message, /: pod gated has non-empty \.spec\.schedulingGates$/);
  assert.is((await client.patch(`${PODS}/gated`, { spec: { schedulingGates: null } })).status, 200);
  assert.is((await bind()).status, 201);
});

const absent: readonly [path: string, message: string][] = [
  ['/apis/apps/v1/namespaces/default/deployments/none/scale', 'deployments/scale.apps "none" not found'],
  ['/apis/apps/v1/namespaces/default/replicasets/none/scale', 'replicasets/scale.apps "none" not found'],
  ['/apis/apps/v1/namespaces/default/statefulsets/none/scale', 'statefulsets.apps "none" not found'],
  ['/api/v1/namespaces/default/replicationcontrollers/none/scale', 'replicationcontrollers/scale.autoscaling "none" not found'],
];
for (const [path, message] of absent)
  test(`the Scale of an absent object: ${message}`, async () => assert.is((await client.get(path)).body.message, message));

test('a change of a scale of an absent object names the object', async () => {
  const [path] = absent[0] as [string, string];
  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'none', namespace: 'default' }, spec: { replicas: 1 } };
  assert.is((await client.request('PUT', path, { body: scale })).body.message, 'deployments.apps "none" not found');
});

test('the status of a service range leaves its metadata as it was', async () => {
  const ranges = '/apis/networking.k8s.io/v1beta1/servicecidrs';
  await client.post(ranges, { metadata: { name: 'r', labels: { a: 'b' } }, spec: { cidrs: ['10.9.0.0/24'] } });
  const condition = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'R', message: 'm' };
  const patched = await client.patch(`${ranges}/r/status`, {
    metadata: { labels: { a: 'c' }, annotations: { d: 'e' } },
    status: { conditions: [condition] },
  });
  assert.is(patched.status, 200);
  assert.equal(patched.body.metadata.labels, { a: 'b' });
  assert.is(patched.body.metadata.annotations, undefined);
  assert.is(patched.body.status.conditions.length, 1);
});

test('a way to mount /proc that nobody may choose is the usual one', async () => {
  const securityContext = { procMount: 'Unmasked' };
  const spec = {
    containers: [
      { name: 'c', image: 'i', securityContext },
      { name: 'd', image: 'i' },
    ],
  };
  const { containers } = (await client.post(PODS, { metadata: { name: 'mounts' }, spec })).body.spec;
  assert.equal(containers[0].securityContext, { procMount: 'Default' });
  assert.is(containers[1].securityContext, undefined);
});

test.run();

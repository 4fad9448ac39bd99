/** What becomes of deleted objects in a server with its usual controllers, and in one without a garbage collector. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { startServer } from '../../harness/server.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const CONFIGMAPS = `${NAMESPACE}/configmaps`;
const CLAIMS = `${NAMESPACE}/persistentvolumeclaims`;

const test = suite('deletion and controllers');

/** Bounded: 10 s. */
async function answers(client: Client, path: string, status: number): Promise<void> {
  const until = Date.now() + 10_000;
  for (;;) {
    const answer = await client.get(path);
    if (answer.status === status) return;
    if (Date.now() > until) throw new Error(`${path}: ${answer.status}, not ${status}`);
    await sleep(20);
  }
}

async function familyOf(client: Client): Promise<void> {
  const { body } = await client.post(CONFIGMAPS, { metadata: { name: 'owner' } });
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: body.metadata.uid, blockOwnerDeletion: true };
  await client.post(CONFIGMAPS, { metadata: { name: 'child', ownerReferences: [reference] } });
}

test('a claim goes, dependents go with their owner, and a namespace with a pod on a node that is not there', async () => {
  const server = await startServer({ dialect: 'kubernetes' });
  const client = new Client(server);
  try {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const { body } = await client.post(CLAIMS, { metadata: { name: 'a' }, spec });
    assert.equal(body.metadata.finalizers, ['kubernetes.io/pvc-protection']);
    await familyOf(client);
    const place = '/api/v1/namespaces/place';
    await client.post('/api/v1/namespaces', { metadata: { name: 'place' } });
    await answers(client, `${place}/serviceaccounts/default`, 200);
    const containers = [{ name: 'c', image: 'i' }];
    const pod = await client.post(`${place}/pods`, {
      metadata: { name: 'p' },
      spec: { nodeName: 'nowhere', terminationGracePeriodSeconds: 1, containers },
    });
    assert.is(pod.status, 201, pod.text);
    await client.delete(place);
    await client.delete(`${CLAIMS}/a`);
    await client.delete(`${CONFIGMAPS}/owner?propagationPolicy=Foreground`);
    for (const path of [`${CLAIMS}/a`, `${CONFIGMAPS}/owner`, `${CONFIGMAPS}/child`, place]) await answers(client, path, 404);
  } finally {
    client.close();
    await server.stop();
  }
});

test('without a collector an owner goes at once, whatever the delete says of dependents, and they stay', async () => {
  const server = await startServer({ dialect: 'kubernetes', flags: ['--enable-garbage-collector=false'] });
  const client = new Client(server);
  try {
    for (const policy of ['Foreground', 'Orphan']) {
      await familyOf(client);
      const { status, body } = await client.delete(`${CONFIGMAPS}/owner?propagationPolicy=${policy}`);
      assert.equal([status, body.kind, body.status], [200, 'Status', 'Success'], policy);
      // The other controllers work: one that was to follow would have followed by then.
      await client.post('/api/v1/namespaces', { metadata: { name: `n-${policy.toLowerCase()}` } });
      await answers(client, `/api/v1/namespaces/n-${policy.toLowerCase()}/serviceaccounts/default`, 200);
      const child = await client.get(`${CONFIGMAPS}/child`);
      assert.equal([child.status, child.body.metadata.ownerReferences.length], [200, 1], policy);
      await client.delete(`${CONFIGMAPS}/child`);
    }
  } finally {
    client.close();
    await server.stop();
  }
});

test.run();

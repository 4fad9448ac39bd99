import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { AppsV1Api, KubeConfig } from '@kubernetes/client-node';
import { startServer } from 'cluster-control-api';

const server = await startServer({ dialect: 'kubernetes' });
after(() => server.stop());

const config = new KubeConfig();
config.loadFromString(server.clientConfig.kubeconfig);
const apps = config.makeApiClient(AppsV1Api);

const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };

test('a deployment gets its defaults', async () => {
  const body = { metadata: { name: 'web' }, spec: { selector: { matchLabels: labels }, template } };
  const { spec } = await apps.createNamespacedDeployment({ namespace: 'default', body });
  assert.equal(spec?.replicas, 1);
  assert.equal(spec?.strategy?.type, 'RollingUpdate');
});

test('a selector that does not fit is refused', async () => {
  const body = { metadata: { name: 'other' }, spec: { selector: { matchLabels: { app: 'other' } }, template } };
  await assert.rejects(apps.createNamespacedDeployment({ namespace: 'default', body }), { code: 422 });
});

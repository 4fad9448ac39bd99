import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadAllYaml } from '@kubernetes/client-node';
import { startServer } from 'cluster-control-api';

const prepared = await startServer({ dialect: 'kubernetes' });
after(() => prepared.stop());

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
for (const file of globSync('config/crd/*.yaml'))
  for (const definition of loadAllYaml(readFileSync(file, 'utf8'))) {
    await prepared.client.request('POST', DEFINITIONS, definition);
    await established(`${DEFINITIONS}/${definition.metadata.name}`);
  }

async function established(path: string): Promise<void> {
  const { status } = await prepared.client.request('GET', path);
  if (status?.conditions?.some(({ type, status }: Record<string, string>) => type === 'Established' && status === 'True')) return;
  await sleep(10);
  await established(path);
}

test('who may not list widgets is told so', async (context) => {
  const server = await prepared.fork();
  context.after(() => server.stop());
  const headers = { 'Impersonate-User': 'alice', 'Impersonate-Group': 'developers' };
  const answer = await server.client.fetch('/apis/example.com/v1/widgets', { headers });
  assert.equal(answer.status, 403);
});

/** Feature gates that decide what the server says of its API. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../harness/client.ts';
import { startServer, type TestServer } from '../harness/server.ts';

interface Said {
  readonly hash: string | undefined;
  readonly values: readonly string[] | undefined;
  readonly valuesOfVersion2: readonly string[] | undefined;
}

for (const dialect of ['kubernetes', 'cluster'] as const) {
  const test = suite(`gates of what the API says of itself: ${dialect}`);
  let server: TestServer | undefined;
  test.after.each(async () => void (await server?.stop()));

  async function said(...flags: string[]): Promise<Said> {
    server = await startServer({ dialect, flags: ['--controllers=-*', ...flags] });
    const client = new Client(server);
    const { body: list } = await client.get('/api/v1');
    const { body: v3 } = await client.get('/openapi/v3/api/v1');
    const { body: v2 } = await client.get('/openapi/v2');
    client.close();
    const valuesOf = (schemas: Record<string, { properties: Record<string, { enum?: string[] }> }>) =>
      schemas['io.k8s.api.core.v1.ServiceSpec']?.properties.type?.enum;
    const hash = list.resources.find(({ name }: { name: string }) => name === 'pods').storageVersionHash;
    return { hash, values: valuesOf(v3.components.schemas), valuesOfVersion2: valuesOf(v2.definitions) };
  }
  const values = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

  test('are open', async () => {
    const { hash, ...others } = await said();
    assert.match(hash ?? '', /^[A-Za-z\d+/]{11}=$/);
    assert.equal(others, { values, valuesOfVersion2: values });
  });
  test('StorageVersionHash is closed', async () => {
    assert.equal(await said('--feature-gates=StorageVersionHash=false'), { hash: undefined, values, valuesOfVersion2: values });
  });
  test('OpenAPIEnums is closed', async () => {
    const { hash, ...others } = await said('--feature-gates=OpenAPIEnums=false');
    assert.ok(hash);
    assert.equal(others, { values: undefined, valuesOfVersion2: undefined });
  });
  test.run();
}

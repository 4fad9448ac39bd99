/** `cluster-apiserver rewrite-storage`, of resources of all versions, and beside some that cannot be listed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client, type Json } from '../harness/client.ts';
import { runProgram } from '../harness/program.ts';
import { startServer, type TestServer } from '../harness/server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SCHEMA = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const version = (name: string, storage = true): Json => ({ name, served: true, storage, schema: SCHEMA });
const definition = (group: string, kind: string, name: string): Json => ({
  metadata: { name: `${kind.toLowerCase()}s.${group}` },
  spec: { group, scope: 'Cluster', names: { plural: `${kind.toLowerCase()}s`, kind }, versions: [version(name)] },
});

/** Made once the definition is served. */
async function make(client: Client, group: string, kind: string, name: string): Promise<void> {
  assert.is((await client.post(DEFINITIONS, definition(group, kind, name))).status, 201);
  const path = `/apis/${group}/${name}/${kind.toLowerCase()}s`;
  for (let tries = 0; tries < 200; tries++) {
    if ((await client.get(path)).status === 200) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.is((await client.post(path, { apiVersion: `${group}/${name}`, kind, metadata: { name: 'one' } })).status, 201);
}

const rewrite = (server: TestServer, ...names: string[]) =>
  runProgram('rewrite-storage', `--kubeconfig=${server.kubeconfig}`, '--dialect=kubernetes', ...names);

const test = suite('rewrite-storage');
let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  client = new Client(server);
  await make(client, 'things.example.com', 'Widget', 'v1');
  await make(client, 'things.example.com', 'Gadget', 'v1beta1');
});
test.after(async () => {
  client.close();
  await server.stop();
});

test('writes resources anew that the version that their group prefers does not have', async () => {
  const { body } = await client.get('/apis/things.example.com');
  assert.is(body.preferredVersion.version, 'v1');
  const { code, out } = await rewrite(server);
  assert.is(code, 0, out);
  assert.match(out, 'widgets.things.example.com: 0 objects written anew of 1 object\n');
  assert.match(out, 'gadgets.things.example.com: 0 objects written anew of 1 object\n');
  assert.is((await rewrite(server, 'gadgets.things.example.com')).code, 0);
});

test('goes on beside a resource that cannot be listed, and ends with 1', async () => {
  await make(client, 'a.example.com', 'Broken', 'v1');
  const webhook = { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://127.0.0.1:1/convert' } };
  const spec = { versions: [version('v1', false), version('v2')], conversion: { strategy: 'Webhook', webhook } };
  assert.is((await client.patch(`${DEFINITIONS}/brokens.a.example.com`, { spec })).status, 200);
  for (let tries = 0; tries < 200 && (await client.get('/apis/a.example.com/v2/brokens')).status === 404; tries++)
    await new Promise((resolve) => setTimeout(resolve, 50));
  const { code, out } = await rewrite(server);
  assert.is(code, 1, out);
  assert.match(out, /brokens\.a\.example\.com could not be listed: .*conversion webhook/);
  assert.match(out, 'gadgets.things.example.com: 0 objects written anew of 1 object\n');
  assert.is((await rewrite(server, 'gadgets.things.example.com')).code, 0);
});
test('goes on beside an aggregated API that does not answer, and tells of it', async () => {
  const spec = {
    group: 'gone.example.com',
    version: 'v1',
    service: { name: 'gone', namespace: 'default' },
    insecureSkipTLSVerify: true,
    groupPriorityMinimum: 1000,
    versionPriority: 15,
  };
  const created = await client.post('/apis/apiregistration.k8s.io/v1/apiservices', { metadata: { name: 'v1.gone.example.com' }, spec });
  assert.is(created.status, 201);
  const { code, out } = await rewrite(server);
  assert.is(code, 1, out);
  assert.match(out, '/apis/gone.example.com/v1 cannot be read: ');
  assert.match(out, 'gadgets.things.example.com: 0 objects written anew of 1 object\n');
  assert.is((await rewrite(server, 'widgets.things.example.com')).code, 0);
});
test.run();

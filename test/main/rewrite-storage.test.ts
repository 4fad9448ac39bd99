/** `cluster-apiserver rewrite-storage`, of resources of all versions, and beside some that cannot be listed. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
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

const PAGES = 150;

/** A server that holds a page of one object for each number, and whose lists are too old after every page. @returns the numbers of the pages that were listed */
async function forgetfulServer(begin: (url: string, listed: readonly number[]) => Promise<void>): Promise<void> {
  const listed: number[] = [];
  const page = (start: number): Json => ({
    metadata: { ...(start + 1 < PAGES && { continue: `old-${start + 1}` }) },
    items: [{ metadata: { name: `o${start}`, namespace: 'default', resourceVersion: '1' } }],
  });
  const list = (token: string): Json => {
    if (token.startsWith('old-'))
      return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 410, metadata: { continue: token.slice(4) } };
    listed.push(Number(token));
    return page(Number(token));
  };
  const answer = (method: string, url: URL): Json => {
    if (url.pathname === '/apis') return { groups: [] };
    if (url.pathname === '/api/v1') return { resources: [{ name: 'configmaps', namespaced: true, verbs: ['list', 'patch'] }] };
    return method === 'PATCH' ? { metadata: { name: 'o', resourceVersion: '2' } } : list(url.searchParams.get('continue') ?? '');
  };
  const forgetful = http.createServer(({ method = '', url = '' }, response) => {
    const body = answer(method, new URL(url, 'http://127.0.0.1'));
    response.writeHead(body.code ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await once(forgetful.listen(0, '127.0.0.1'), 'listening');
  try {
    await begin(`http://127.0.0.1:${(forgetful.address() as AddressInfo).port}`, listed);
  } finally {
    forgetful.closeAllConnections();
    forgetful.close();
  }
}

/** @returns a file that leads clients to the server */
async function kubeconfigOf(url: string): Promise<string> {
  const file = path.join(server.directory, 'other.kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: url } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user: {} }],
    'current-context': 'c',
  };
  await writeFile(file, JSON.stringify(config));
  return file;
}

test('goes on where it was, however often the list has become too old meanwhile', () =>
  forgetfulServer(async (url, listed) => {
    const { code, out } = await runProgram('rewrite-storage', `--kubeconfig=${await kubeconfigOf(url)}`, '--dialect=kubernetes');
    assert.is(code, 0, out);
    assert.equal(
      listed,
      Array.from({ length: PAGES }, (_, index) => index),
    );
    assert.match(out, `configmaps: ${PAGES} objects written anew of ${PAGES} objects\n`);
  }));

test('waits for a server that is restarted, and goes on', async () => {
  const objects = Array.from({ length: 40 }, (_, index) => ({
    metadata: { name: `o${index}`, namespace: 'default', resourceVersion: '1' },
  }));
  const written = new Map<string, number>();
  const answer = (method: string, pathname: string): Json => {
    if (pathname === '/apis') return { groups: [] };
    if (pathname === '/api/v1') return { resources: [{ name: 'configmaps', namespaced: true, verbs: ['list', 'patch'] }] };
    if (method === 'GET') return { metadata: {}, items: objects };
    written.set(pathname, (written.get(pathname) ?? 0) + 1);
    return { metadata: { name: 'o', resourceVersion: '2' } };
  };
  let port = 0;
  let restarts = 0;
  const start = async (): Promise<http.Server> => {
    const started = http.createServer(({ method = '', url = '' }, response) => {
      const body = answer(method, new URL(url, 'http://127.0.0.1').pathname);
      if (restarts < 1 && written.size === 20) void restart();
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await once(started.listen(port, '127.0.0.1'), 'listening');
    port = (started.address() as AddressInfo).port;
    return started;
  };
  const restart = async (): Promise<void> => {
    restarts++;
    running.close();
    running.closeAllConnections();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    running = await start();
  };
  let running = await start();
  const kubeconfig = await kubeconfigOf(`http://127.0.0.1:${port}`);
  const { code, out } = await runProgram('rewrite-storage', `--kubeconfig=${kubeconfig}`, '--dialect=kubernetes').finally(() => {
    running.close();
    running.closeAllConnections();
  });
  assert.is(code, 0, out);
  assert.is(restarts, 1);
  assert.is(written.size, objects.length);
  assert.match(out, 'the server is not reached; it is waited for\n');
  assert.match(out, 'configmaps: 40 objects written anew of 40 objects\n');
});

test.run();

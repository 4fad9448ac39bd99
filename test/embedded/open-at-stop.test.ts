/** Whatever is open when a server is stopped, nothing of it is left. */
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import { NodeAgent } from '../harness/node-agent.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'open-at-stop-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const POD = '/api/v1/namespaces/default/pods/one';
const MAPS = '/api/v1/namespaces/default/configmaps';

async function addPod({ client }: EmbeddedServer, agent: NodeAgent): Promise<void> {
  const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
  const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: agent.port } } };
  await client.request('POST', '/api/v1/nodes', { metadata: { name: 'near' }, status });
  const spec = { nodeName: 'near', containers: [{ name: 'main', image: 'registry.example/image:1' }] };
  await client.request('POST', path.dirname(POD), { metadata: { name: 'one' }, spec });
}

/** Opens one request of each kind that lasts. @returns resolves when the client has lost all of them */
async function openAll(server: EmbeddedServer): Promise<() => Promise<unknown>> {
  const { certificateAuthority: ca, token } = server.clientConfig;
  const options = { ca, headers: { authorization: `Bearer ${token}`, origin: server.url } };
  const ends: Promise<unknown>[] = [];
  for (const target of [`${MAPS}?watch=1`, `${POD}/log?follow=true`]) {
    const asked = request(new URL(target, server.url), { ...options, agent: false }).on('error', () => {});
    ends.push(new Promise((resolve) => asked.once('close', resolve)));
    asked.end();
    const [answer] = await once(asked, 'response');
    assert.is(answer.statusCode, 200, target);
    answer.on('error', () => {}).resume();
  }
  const protocols = {
    [`${MAPS}?watch=1`]: [],
    [`${POD}/log?follow=true`]: [],
    [`${POD}/exec?command=cat&stdin=1&stdout=1`]: ['v4.channel.k8s.io'],
  };
  for (const [target, offered] of Object.entries(protocols)) {
    const socket = new WebSocket(new URL(target, server.url.replace('https', 'wss')), offered, options).on('error', () => {});
    ends.push(new Promise((resolve) => socket.once('close', resolve)));
    await once(socket, 'open');
  }
  // one whose body never comes to its end
  const unfinished = request(new URL(MAPS, server.url), { ...options, agent: false, method: 'POST' }).on('error', () => {});
  unfinished.on('response', (answer) => answer.resume());
  ends.push(new Promise((resolve) => unfinished.once('close', resolve)));
  unfinished.setHeader('content-type', 'application/json');
  await new Promise((resolve) => unfinished.write('{', resolve));
  return () => Promise.all(ends);
}

/** Files of the folder that this process has open; of systems that do not tell, none. */
function openFiles(directory: string): string[] {
  if (!existsSync('/proc/self/fd')) return [];
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${descriptor}`);
      return file.startsWith(directory) ? [file] : [];
    } catch {
      return [];
    }
  });
}

const test = suite('a server that is stopped while requests last');
for (const [name, store] of [
  ['in memory', 'memory'],
  ['over a folder', { directory: path.join(folder, 'store') }],
] as const)
  test(`${name} leaves no handle, timer or file`, async () => {
    const agent = await NodeAgent.start(path.join(folder, name));
    // what the row before has closed is gone by then
    await new Promise(setImmediate);
    const before = process.getActiveResourcesInfo().sort();
    const server = await startServer({ dialect: 'kubernetes', store, log: false });
    await addPod(server, agent);
    const lost = await openAll(server);
    if (store !== 'memory') assert.ok(openFiles(folder).length > 0 || !existsSync('/proc/self/fd'));
    await server.stop();
    await lost();
    agent.disconnect();
    await new Promise(setImmediate);
    assert.equal(process.getActiveResourcesInfo().sort(), before);
    assert.equal(openFiles(folder), []);
    await agent.stop();
  });
test.run();

/** Devices of plugins in the status of a node, from the plugin's socket to what the server shows. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AgentProcess, startAgentProcess } from '../../harness/agent-process.ts';
import { Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';
import { TestPlugin } from '../../node-agent/device-plugins/test-plugin.ts';

const GPU = 'example.org/gpu';

const devices = suite('devices of a node');
let server: TestServer;
let agent: AgentProcess;
let client: Client;
let folder: string;
devices.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  client = new Client(server);
  // the node's status is written anew as soon as it has changed
  agent = await startAgentProcess(server, { configuration: { nodeStatusUpdateFrequency: '1s' } });
  folder = path.join(agent.rootDirectory, 'device-plugins');
});
devices.after(async () => {
  client.close();
  await agent.stop();
  await server.stop();
});

async function until(capacity: string | undefined, allocatable: string | undefined): Promise<void> {
  const end = performance.now() + 20_000;
  for (;;) {
    const { status } = (await client.get('/api/v1/nodes/near')).body;
    if (status.capacity[GPU] === capacity && status.allocatable[GPU] === allocatable) return;
    if (performance.now() > end) assert.equal([status.capacity[GPU], status.allocatable[GPU]], [capacity, allocatable]);
    await sleep(50);
  }
}

devices('come, turn unhealthy, and are unhealthy when their plugin goes', async () => {
  await until(undefined, undefined);
  const plugin = await TestPlugin.start(folder, 'gpu.sock', { a: 'Healthy', b: 'Healthy' });
  await plugin.register('kubelet.sock', { resourceName: GPU });
  await until('2', '2');
  plugin.devices = { a: 'Healthy', b: 'Unhealthy' };
  await until('2', '1');
  plugin.stop();
  await until('2', '0');
});
devices('are forgotten by an agent that starts again, until their plugin registers', async () => {
  await agent.restart();
  await until('0', '0');
  const plugin = await TestPlugin.start(folder, 'again.sock', { a: 'Healthy' });
  await plugin.register('kubelet.sock', { resourceName: GPU });
  await until('1', '1');
  plugin.stop();
});
devices('what an administrator has put there by hand stays', async () => {
  const { status, text } = await client.patch('/api/v1/nodes/near/status', { status: { capacity: { 'example.org/dongle': '4' } } });
  assert.is(status, 200, text);
  const end = performance.now() + 20_000;
  for (;;) {
    const node = (await client.get('/api/v1/nodes/near')).body.status;
    assert.is(node.capacity['example.org/dongle'], '4');
    if (node.allocatable['example.org/dongle'] === '4') return;
    assert.ok(performance.now() < end, 'pods may not have it');
    await sleep(50);
  }
});
devices.run();

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Registration } from '../../../generated/node-interfaces/device-plugins.ts';
import type { ResourceAmounts } from '../../../runtime/node-agent/contract/part.ts';
import { DevicePlugins } from '../../../runtime/node-agent/device-plugins/device-plugins.ts';
import { InterfaceClient } from '../../../runtime/node-agent/grpc/interface-client.ts';
import { InterfaceError } from '../../../runtime/node-agent/grpc/interface-error.ts';
import type { Log } from '../../../runtime/observability/log.ts';
import { eventually } from '../../harness/eventually.ts';
import { register, TestPlugin } from './test-plugin.ts';

interface Context {
  folder: string;
  plugins: DevicePlugins;
  running: TestPlugin[];
  warnings: object[];
}

const SOCKET = 'node-agent.sock';
const GPU = 'example.org/gpu';

const devices = suite<Context>('device plugins');
devices.before.each(async (context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'plugins-'));
  context.running = [];
  context.warnings = [];
  await startAgent(context);
});
devices.after.each(async ({ folder, plugins, running }) => {
  await plugins.stop();
  for (const plugin of running) plugin.stop();
  rmSync(folder, { recursive: true });
});

async function startAgent(context: Context, kept = 60_000): Promise<void> {
  const none = (): void => {};
  const log: Log = { debug: none, info: none, error: none, warn: (fields) => context.warnings.push(fields) };
  context.plugins = new DevicePlugins({ folder: context.folder, socket: SOCKET, labelDomain: 'cluster.io', log, kept });
  await context.plugins.start();
}

async function startPlugin(context: Context, endpoint: string, health: Record<string, string>, resourceName = GPU): Promise<TestPlugin> {
  const plugin = await TestPlugin.start(context.folder, endpoint, health);
  context.running.push(plugin);
  await plugin.register(SOCKET, { resourceName });
  return plugin;
}

/** Waits for a change after which the node has exactly these. */
async function until({ plugins }: Context, expected: Record<string, ResourceAmounts>): Promise<void> {
  const done = Promise.withResolvers<void>();
  const isSo = (): boolean => JSON.stringify(plugins.resources()) === JSON.stringify(expected);
  plugins.onChange(() => isSo() && done.resolve());
  if (!isSo()) await done.promise;
}

async function refusal(call: Promise<unknown>): Promise<InterfaceError> {
  try {
    await call;
  } catch (error) {
    assert.instance(error, InterfaceError);
    return error as InterfaceError;
  }
  throw new Error('it was not refused');
}

devices('the folder is closed to others, and nothing is there at first', ({ folder, plugins }) => {
  assert.is(statSync(folder).mode & 0o777, 0o750);
  assert.is(statSync(path.join(folder, SOCKET)).mode & 0o777, 0o600);
  assert.equal(plugins.resources(), {});
});
devices('devices are counted as they come, turn unhealthy, heal and go', async (context) => {
  const plugin = await startPlugin(context, 'gpu.sock', { a: 'Healthy', b: 'Healthy', c: 'Unhealthy' });
  await until(context, { [GPU]: { capacity: 3, allocatable: 2 } });
  plugin.devices = { a: 'Healthy', b: 'Unhealthy', c: 'Unhealthy' };
  await until(context, { [GPU]: { capacity: 3, allocatable: 1 } });
  plugin.devices = { a: 'Healthy', b: 'Healthy', c: 'Healthy' };
  await until(context, { [GPU]: { capacity: 3, allocatable: 3 } });
  plugin.devices = {};
  await until(context, { [GPU]: { capacity: 0, allocatable: 0 } });
});
devices('plugins of several resources stand beside each other', async (context) => {
  await startPlugin(context, 'gpu.sock', { a: 'Healthy' });
  await startPlugin(context, 'nic.sock', { a: 'Healthy', b: 'Healthy' }, 'example.org/nic');
  await until(context, { [GPU]: { capacity: 1, allocatable: 1 }, 'example.org/nic': { capacity: 2, allocatable: 2 } });
});
devices('a plugin that goes leaves its devices unhealthy; when it comes again they are healthy', async (context) => {
  const first = await startPlugin(context, 'gpu.sock', { a: 'Healthy', b: 'Healthy' });
  await until(context, { [GPU]: { capacity: 2, allocatable: 2 } });
  first.stop();
  await until(context, { [GPU]: { capacity: 2, allocatable: 0 } });
  assert.is(context.warnings.length, 1);
  rmSync(path.join(context.folder, 'gpu.sock'), { force: true });
  await startPlugin(context, 'gpu.sock', { a: 'Healthy' });
  await until(context, { [GPU]: { capacity: 1, allocatable: 1 } });
});
devices('a plugin that stays away takes its devices from the node', async (context) => {
  await context.plugins.stop();
  await startAgent(context, 30);
  const plugin = await startPlugin(context, 'gpu.sock', { a: 'Healthy' });
  await until(context, { [GPU]: { capacity: 1, allocatable: 1 } });
  plugin.stop();
  await until(context, { [GPU]: { capacity: 0, allocatable: 0 } });
  await startPlugin(context, 'again.sock', { a: 'Healthy' });
  await until(context, { [GPU]: { capacity: 1, allocatable: 1 } });
});
devices('a plugin that registers again takes over from itself, whatever the earlier one says', async (context) => {
  const old = await startPlugin(context, 'old.sock', { a: 'Healthy' });
  await until(context, { [GPU]: { capacity: 1, allocatable: 1 } });
  await startPlugin(context, 'new.sock', { a: 'Healthy', b: 'Healthy' });
  await until(context, { [GPU]: { capacity: 2, allocatable: 2 } });
  old.devices = {};
  old.stop();
  assert.equal(context.plugins.resources(), { [GPU]: { capacity: 2, allocatable: 2 } });
});
devices('a plugin whose socket nobody serves has no devices', async (context) => {
  await register(path.join(context.folder, SOCKET), { version: 'v1beta1', endpoint: 'nobody.sock', resourceName: GPU });
  await until(context, { [GPU]: { capacity: 0, allocatable: 0 } });
});

const registrations: [name: string, request: object, message: RegExp][] = [
  [
    'another version',
    { version: 'v1alpha1' },
    /^requested API version "v1alpha1" is not supported by the node agent\. Supported version is "v1beta1": v1beta1 works with cluster versions 1\.21 to 1\.26 .*; v1alpha1 is not compatible with any of these$/,
  ],
  ['no version', { version: '' }, /requested API version "" is not supported/],
  ['a resource without a domain', { resourceName: 'gpu' }, /the ResourceName "gpu" is invalid/],
  ['a resource of the cluster itself', { resourceName: 'cluster.io/gpu' }, /is invalid: .* outside of cluster\.io$/],
  ['one below it', { resourceName: 'devices.cluster.io/gpu' }, /is invalid/],
  ['a resource that is no name', { resourceName: 'example.org/g pu' }, /is invalid/],
  ['a resource of quotas', { resourceName: 'requests.example.org/gpu' }, /is invalid/],
  ['a socket elsewhere', { endpoint: '../gpu.sock' }, /the Endpoint "\.\.\/gpu\.sock" is invalid/],
  ['no socket', { endpoint: '' }, /the Endpoint "" is invalid/],
  ['a folder', { endpoint: '..' }, /the Endpoint "\.\." is invalid/],
];
for (const [name, request, message] of registrations)
  devices(`${name}: refused`, async ({ folder, plugins }) => {
    const whole = { version: 'v1beta1', endpoint: 'gpu.sock', resourceName: GPU, ...request };
    const error = await refusal(register(path.join(folder, SOCKET), whole));
    assert.is(error.code, 'INVALID_ARGUMENT');
    assert.match(error.details, message);
    assert.equal(plugins.resources(), {});
  });
devices('more resources than may be are refused', async ({ folder }) => {
  const client = new InterfaceClient(path.join(folder, SOCKET));
  const ask = (resourceName: string) =>
    client.call(Registration.Register, { version: 'v1beta1', endpoint: 'nobody.sock', resourceName }, { timeout: 60_000 });
  try {
    const names = Array.from({ length: 256 }, (_, index) => `example.org/device-${index}`);
    for (const name of names) await ask(name);
    assert.is((await refusal(ask(GPU))).code, 'RESOURCE_EXHAUSTED');
    await ask(names[0] as string);
  } finally {
    client.close();
  }
});
devices('an agent that starts again clears old sockets and nothing else', async (context) => {
  await context.plugins.stop();
  const { folder } = context;
  assert.not(existsSync(path.join(folder, SOCKET)));
  const left: Server = createServer().listen(path.join(folder, 'left.sock'));
  await new Promise((resolve) => left.once('listening', resolve));
  writeFileSync(path.join(folder, 'state'), 'x');
  mkdirSync(path.join(folder, 'sub'));
  await startAgent(context);
  assert.equal(readdirSync(folder).sort(), [SOCKET, 'state', 'sub']);
  assert.equal(context.plugins.resources(), {});
  left.close();
});
devices('an agent that starts again expects its plugins, without their devices', async (context) => {
  await startPlugin(context, 'gpu.sock', { a: 'Healthy' });
  await until(context, { [GPU]: { capacity: 1, allocatable: 1 } });
  await context.plugins.stop();
  // long enough for it to come again
  await startAgent(context, 2_000);
  assert.equal(context.plugins.resources(), { [GPU]: { capacity: 0, allocatable: 0 } });
  await startPlugin(context, 'again.sock', { a: 'Healthy' });
  await until(context, { [GPU]: { capacity: 1, allocatable: 1 } });
  await sleep(2_200);
  assert.equal(context.plugins.resources(), { [GPU]: { capacity: 1, allocatable: 1 } });
});
devices('a plugin that does not come again after a start is expected no more by the next one', async (context) => {
  await startPlugin(context, 'gpu.sock', { a: 'Healthy' });
  await until(context, { [GPU]: { capacity: 1, allocatable: 1 } });
  await context.plugins.stop();
  await startAgent(context, 10);
  const known = path.join(context.folder, 'known-resources.json');
  await eventually('it is expected no more', () => readFileSync(known, 'utf8') === '[]\n');
  assert.equal(context.plugins.resources(), { [GPU]: { capacity: 0, allocatable: 0 } });
  await context.plugins.stop();
  await startAgent(context);
  assert.equal(context.plugins.resources(), {});
});
for (const [name, text] of [
  ['cut', '["example.org/g'],
  ['of another form', '{"names":[]}'],
  ['with other values', '[1]'],
] as const)
  devices(`a file of known resources that is ${name} is told of, and made anew`, async (context) => {
    await context.plugins.stop();
    writeFileSync(path.join(context.folder, 'known-resources.json'), text);
    await startAgent(context);
    assert.equal(context.plugins.resources(), {});
    assert.is(context.warnings.length, 1);
    await startPlugin(context, 'gpu.sock', { a: 'Healthy' });
    assert.is(readFileSync(path.join(context.folder, 'known-resources.json'), 'utf8'), `["${GPU}"]\n`);
  });
devices('an agent that stops lets go of its plugins', async (context) => {
  await startPlugin(context, 'gpu.sock', { a: 'Healthy' });
  await until(context, { [GPU]: { capacity: 1, allocatable: 1 } });
  await context.plugins.stop();
  assert.equal(context.warnings, []);
});
devices.run();

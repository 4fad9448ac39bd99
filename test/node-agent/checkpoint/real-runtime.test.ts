/** The agent's requests to a real containerd, where there is one. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ArchiveFolder } from '../../../runtime/node-agent/checkpoint/archive-folder.ts';
import { checkpointRoute } from '../../../runtime/node-agent/checkpoint/checkpoint-route.ts';
import { ContainerRuntime } from '../../../runtime/node-agent/container-runtime/container-runtime.ts';
import { findContainer } from '../../../runtime/node-agent/container-runtime/find-container.ts';
import { runtimePods } from '../../../runtime/node-agent/container-runtime/runtime-pods.ts';
import { AgentProblem } from '../../../runtime/node-agent/contract/part.ts';
import { noRealRuntime, RealRuntime } from '../real-runtime.ts';
import { noSignal } from '../with-runtime.ts';

const missing = noRealRuntime();
const real = suite('containerd');
let runtime: RealRuntime;
let client: ContainerRuntime;
let containerId: string;
if (missing !== undefined) console.log(`SKIPPED: ${missing}`);
else {
  real.before(async () => {
    runtime = await RealRuntime.start();
    client = new ContainerRuntime(runtime.socket, 60_000);
    containerId = await runtime.runPod('default', 'web', 'shell');
  });
  real.after(async () => {
    client.close();
    await runtime.stop();
  });
  real('says what it is, and that it has no network yet', async () => {
    const { runtimeName, runtimeApiVersion } = await client.version();
    assert.equal([runtimeName, runtimeApiVersion], ['containerd', 'v1']);
    const conditions = await client.conditions();
    assert.equal(
      conditions.map(({ type, status }) => [type, status]),
      [
        ['RuntimeReady', true],
        ['NetworkReady', false],
      ],
    );
  });
  real('has the container that runs, and its pod', async () => {
    const found = await findContainer(client, { namespace: 'default', pod: 'web', container: 'shell' }, noSignal);
    assert.is('container' in found && found.container.id, containerId);
    const { items } = await runtimePods(client, 'n1', noSignal);
    assert.is(items?.length, 1);
    assert.equal([items?.[0]?.metadata.name, items?.[0]?.metadata.namespace, items?.[0]?.status?.phase], ['web', 'default', 'Running']);
    const [status] = items?.[0]?.status?.containerStatuses ?? [];
    assert.equal([status?.name, status?.containerID, status?.ready], ['shell', `containerd://${containerId}`, true]);
  });
  real('has no other container', async () => {
    const at = (pod: string, container: string) => findContainer(client, { namespace: 'default', pod, container }, noSignal);
    assert.equal(await at('db', 'shell'), { missing: 'pod' });
    assert.equal(await at('web', 'log'), { missing: 'container' });
  });
  real('checkpoints the container, or says that it cannot: 500', async () => {
    const folder = path.join(runtime.folder, 'checkpoints');
    const archives = new ArchiveFolder(folder);
    await archives.prepare();
    const route = checkpointRoute({ runtime: client, folder: archives, isEnabled: () => true, note: () => {} });
    const parameters = { namespace: 'default', pod: 'web', container: 'shell' };
    const user = { name: 'admin', groups: [], extra: {} } as never;
    try {
      const { body } = await route.handle({ parameters, query: new URLSearchParams(), user, signal: noSignal });
      const [archive] = (JSON.parse(body) as { items: string[] }).items;
      assert.ok(existsSync(archive as string));
    } catch (error) {
      assert.instance(error, AgentProblem);
      const { status, message } = error as AgentProblem;
      assert.is(status, 500);
      // containerd has the call from 2.0 on, and needs CRIU for it
      assert.match(
        message,
        /^checkpointing of default\/web\/shell failed \(rpc error: code = \w+ desc = .*(?:CheckpointContainer|[Cc][Rr][Ii][Uu])/,
      );
      assert.equal(readdirSync(folder), []);
    }
  });
  real.run();
}

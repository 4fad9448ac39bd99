import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ContainerState } from '../../../generated/node-interfaces/container-runtime.ts';
import { findContainer } from '../../../runtime/node-agent/container-runtime/find-container.ts';
import { runtimeSocket } from '../../../runtime/node-agent/container-runtime/runtime-endpoint.ts';
import { runtimePods } from '../../../runtime/node-agent/container-runtime/runtime-pods.ts';
import { InterfaceError } from '../../../runtime/node-agent/grpc/interface-error.ts';
import { closeRuntime, noSignal, openRuntime, type RuntimeContext } from '../with-runtime.ts';

const endpoints = suite('addresses of runtimes');
const sockets: [endpoint: string, socket: string][] = [
  ['unix:///run/containerd/containerd.sock', '/run/containerd/containerd.sock'],
  ['unix:/run/crio/crio.sock', '/run/crio/crio.sock'],
  ['/run/crio/crio.sock', '/run/crio/crio.sock'],
];
for (const [endpoint, socket] of sockets) endpoints(endpoint, () => assert.is(runtimeSocket(endpoint), socket));
const refused: [endpoint: string, problem: RegExp][] = [
  ['tcp://127.0.0.1:3735', /^containerRuntimeEndpoint: protocol "tcp" is not supported/],
  ['npipe:////./pipe/containerd', /protocol "npipe" is not supported/],
  ['unix://run/containerd.sock', /names no absolute path/],
  ['', /names no absolute path/],
  [`unix:///${'x'.repeat(120)}`, /has 121 bytes/],
];
for (const [endpoint, problem] of refused)
  endpoints(`${endpoint || 'nothing'}: refused`, () => assert.throws(() => runtimeSocket(endpoint), problem));
endpoints.run();

const runtimes = suite<RuntimeContext>('container runtimes');
runtimes.before.each((context) => openRuntime(context));
runtimes.after.each(closeRuntime);
runtimes('tell what they are and how they do', async ({ test, runtime }) => {
  assert.equal(await runtime.version(), { version: '0.1.0', runtimeName: 'test', runtimeVersion: '1.2.3', runtimeApiVersion: 'v1' });
  test.conditions = [{ type: 'RuntimeReady', status: false, reason: 'Stopped', message: 'stopped' }];
  assert.equal(await runtime.conditions(), [{ type: 'RuntimeReady', status: false, reason: 'Stopped', message: 'stopped' }]);
});
runtimes('have no status of a container that is not there; other failures are failures', async ({ test, runtime }) => {
  assert.is(await runtime.containerStatus('nobody'), undefined);
  test.failure = new InterfaceError('INTERNAL', 'broken');
  const [id = ''] = test.addPod('default', 'web', ['nginx']);
  await runtime.containerStatus(id).then(
    () => assert.unreachable(),
    (error: InterfaceError) => assert.is(error.code, 'INTERNAL'),
  );
});
const timeouts: [asked: bigint, told: bigint][] = [
  [0n, 5n],
  [3n, 5n],
  [60n, 60n],
  [2n ** 62n, 2n ** 62n],
];
for (const [asked, told] of timeouts)
  runtimes(`a checkpoint in ${asked} s at most is one in ${told} s`, async ({ test, runtime, folder }) => {
    await runtime.checkpoint({ containerId: 'c', location: `${folder}/c.tar`, timeout: asked, signal: noSignal });
    assert.equal(test.checkpoints, [{ containerId: 'c', location: `${folder}/c.tar`, timeout: told }]);
  });

const place = (container: string) => ({ namespace: 'default', pod: 'web', container });
runtimes('a container is found by the labels of its pod', async ({ test, runtime }) => {
  test.addPod('other', 'web', ['nginx']);
  const [id] = test.addPod('default', 'web', ['nginx', 'log']);
  assert.equal(await foundId(runtime, 'nginx'), id);
});
runtimes('a pod and a container may be missing', async ({ test, runtime }) => {
  assert.equal(await findContainer(runtime, place('nginx'), noSignal), { missing: 'pod' });
  test.addPod('default', 'web', ['log']);
  assert.equal(await findContainer(runtime, place('nginx'), noSignal), { missing: 'container' });
});
runtimes('of containers of one name the running one counts, else the newest', async ({ test, runtime }) => {
  const [id = ''] = test.addPod('default', 'web', ['nginx']);
  const [first] = test.containers;
  const again = (name: string, createdAt: bigint, state: number) => test.containers.push({ ...first, id: name, createdAt, state });
  again('newer', 1_800_000_000_000_000_000n, ContainerState.CONTAINER_EXITED);
  assert.is(await foundId(runtime, 'nginx'), id);
  test.containers[0] = { ...first, state: ContainerState.CONTAINER_EXITED };
  assert.is(await foundId(runtime, 'nginx'), 'newer');
});
runtimes('a pod that was there before under the same name does not count', async ({ test, runtime }) => {
  const [young] = test.addPod('default', 'web', ['nginx'], { uid: 'young' });
  test.addPod('default', 'web', ['nginx', 'log'], { uid: 'old', age: 60n });
  assert.is(await foundId(runtime, 'nginx'), young);
  assert.equal(await findContainer(runtime, place('log'), noSignal), { missing: 'container' });
});

async function foundId(runtime: RuntimeContext['runtime'], container: string): Promise<string | undefined> {
  const found = await findContainer(runtime, place(container), noSignal);
  return 'container' in found ? found.container.id : undefined;
}

runtimes('the pods of a node are those of its sandboxes, each container in its last attempt', async ({ test, runtime }) => {
  const [running = '', ended = ''] = test.addPod('default', 'web', ['nginx', 'job']);
  test.containers.push({ ...test.containers[0], id: 'older', createdAt: 1n, state: ContainerState.CONTAINER_EXITED });
  test.statuses.set(ended, {
    id: ended,
    state: ContainerState.CONTAINER_EXITED,
    startedAt: 1_700_000_001_000_000_000n,
    finishedAt: 1_700_000_002_000_000_000n,
    exitCode: 3,
    reason: 'Error',
    imageRef: 'sha256:4567',
  });
  const { items, ...list } = await runtimePods(runtime, 'n1', noSignal);
  assert.equal(list, { kind: 'PodList', apiVersion: 'v1', metadata: {} });
  const state = { ready: true, started: true, restartCount: 0 };
  assert.equal(items, [
    {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'web', namespace: 'default', uid: 'uid-web', creationTimestamp: '2023-11-14T22:13:20Z', labels: { app: 'web' } },
      spec: {
        nodeName: 'n1',
        containers: [
          { name: 'nginx', image: 'registry.example/nginx:1' },
          { name: 'job', image: 'registry.example/job:1' },
        ],
      },
      status: {
        phase: 'Running',
        startTime: '2023-11-14T22:13:20Z',
        containerStatuses: [
          {
            ...state,
            name: 'nginx',
            state: { running: { startedAt: '2023-11-14T22:13:20Z' } },
            image: 'registry.example/nginx:1',
            imageID: 'sha256:0123',
            containerID: `test://${running}`,
          },
          {
            ...state,
            ready: false,
            started: false,
            name: 'job',
            state: {
              terminated: {
                exitCode: 3,
                reason: 'Error',
                startedAt: '2023-11-14T22:13:21Z',
                finishedAt: '2023-11-14T22:13:22Z',
                containerID: `test://${ended}`,
              },
            },
            image: 'registry.example/job:1',
            imageID: 'sha256:4567',
            containerID: `test://${ended}`,
          },
        ],
      },
    },
  ]);
});
const phases: [name: string, exitCodes: (number | undefined)[], phase: string][] = [
  ['no containers', [], 'Pending'],
  ['one that has not started', [undefined], 'Pending'],
  ['all ended well', [0, 0], 'Succeeded'],
  ['one ended badly', [0, 1], 'Failed'],
];
for (const [name, exitCodes, phase] of phases)
  runtimes(`${name}: ${phase}`, async ({ test, runtime }) => {
    const ids = test.addPod(
      'default',
      'web',
      exitCodes.map((_, index) => `c${index}`),
    );
    ids.forEach((id, index) => {
      const exitCode = exitCodes[index];
      const state = exitCode === undefined ? ContainerState.CONTAINER_CREATED : ContainerState.CONTAINER_EXITED;
      test.statuses.set(id, { id, state, exitCode });
    });
    const { items } = await runtimePods(runtime, 'n1', noSignal);
    assert.is(items?.[0]?.status?.phase, phase);
  });
runtimes.run();

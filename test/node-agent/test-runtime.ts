/** A container runtime for tests: version 1 of the container runtime interface on a Unix socket, with sandboxes and containers that tests state. */
import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import {
  type CheckpointContainerRequest,
  type Container,
  ContainerState,
  type ContainerStatus,
  type PodSandbox,
  type RuntimeCondition,
  RuntimeService,
} from '../../generated/node-interfaces/container-runtime.ts';
import type { Sparse } from '../../runtime/contract/node-interface.ts';
import { InterfaceError } from '../../runtime/node-agent/grpc/interface-error.ts';
import { InterfaceServer } from '../../runtime/node-agent/grpc/interface-server.ts';

const SECOND = 1_000_000_000n;

export class TestRuntime {
  readonly socket: string;
  sandboxes: Sparse<PodSandbox>[] = [];
  containers: Sparse<Container>[] = [];
  /** by id of the container; others are as the container says */
  readonly statuses = new Map<string, Sparse<ContainerStatus>>();
  conditions: Sparse<RuntimeCondition>[] = [
    { type: 'RuntimeReady', status: true },
    { type: 'NetworkReady', status: true },
  ];
  readonly checkpoints: CheckpointContainerRequest[] = [];
  /** writes the archive, as the runtime's user */
  checkpoint: (request: CheckpointContainerRequest, signal: AbortSignal) => Promise<void> = ({ location }) =>
    writeFile(location, 'archive', { mode: 0o644 });
  /** what every call fails with */
  failure: InterfaceError | undefined;
  #server: InterfaceServer | undefined;

  constructor(socket: string) {
    this.socket = socket;
  }

  /** @param lacks the call CheckpointContainer, as containerd 1.6 does */
  async start({ lacksCheckpoints = false }: { lacksCheckpoints?: boolean } = {}): Promise<this> {
    const server = new InterfaceServer();
    server
      .answer(RuntimeService.Version, () =>
        this.#tell({ version: '0.1.0', runtimeName: 'test', runtimeVersion: '1.2.3', runtimeApiVersion: 'v1' }),
      )
      .answer(RuntimeService.Status, () => this.#tell({ status: { conditions: this.conditions } }))
      .answer(RuntimeService.ListPodSandbox, ({ filter }) =>
        this.#tell({ items: this.sandboxes.filter(({ labels }) => matches(labels, filter?.labelSelector)) }),
      )
      .answer(RuntimeService.ListContainers, ({ filter }) =>
        this.#tell({ containers: this.containers.filter(({ labels }) => matches(labels, filter?.labelSelector)) }),
      )
      .answer(RuntimeService.ContainerStatus, ({ containerId }) => this.#tell({ status: this.#status(containerId) }));
    if (!lacksCheckpoints)
      server.answer(RuntimeService.CheckpointContainer, async (request, signal) => {
        this.checkpoints.push(request);
        await this.checkpoint(request, signal);
        return this.#tell({});
      });
    await server.listen(this.socket);
    this.#server = server;
    return this;
  }

  stop(): void {
    this.#server?.stop();
    rmSync(this.socket, { force: true });
  }

  /** A sandbox with containers that run. @returns ids of the containers */
  addPod(namespace: string, name: string, containers: readonly string[], { age = 0n, uid = `uid-${name}` } = {}): string[] {
    const id = `sandbox-${this.sandboxes.length}`;
    const createdAt = 1_700_000_000n * SECOND - age * SECOND;
    const labels = new Map([
      ['io.kubernetes.pod.name', name],
      ['io.kubernetes.pod.namespace', namespace],
      ['io.kubernetes.pod.uid', uid],
    ]);
    this.sandboxes.push({ id, metadata: { name, namespace, uid, attempt: 0 }, createdAt, labels: new Map([...labels, ['app', name]]) });
    return containers.map((container, index) => {
      const containerId = `${id}-${container}-${index}`;
      this.containers.push({
        id: containerId,
        podSandboxId: id,
        metadata: { name: container, attempt: 0 },
        image: { image: `registry.example/${container}:1` },
        imageRef: 'sha256:0123',
        state: ContainerState.CONTAINER_RUNNING,
        createdAt,
        labels: new Map([...labels, ['io.kubernetes.container.name', container]]),
      });
      return containerId;
    });
  }

  #tell<T>(answer: T): T {
    if (this.failure !== undefined) throw this.failure;
    return answer;
  }

  #status(id: string): Sparse<ContainerStatus> {
    const found = this.containers.find((each) => each.id === id);
    if (found === undefined) throw new InterfaceError('NOT_FOUND', `an error occurred when try to find container "${id}": not found`);
    const { metadata, state, createdAt, image, imageRef, labels } = found;
    return this.statuses.get(id) ?? { id, metadata, state, createdAt, startedAt: createdAt, image, imageRef, labels };
  }
}

function matches(labels: ReadonlyMap<string, string> | undefined, selector: ReadonlyMap<string, string> | undefined): boolean {
  return [...(selector ?? [])].every(([name, value]) => labels?.get(name) === value);
}

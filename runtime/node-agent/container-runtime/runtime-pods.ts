/** The pods of the node as its runtime has them: what `GET /pods` answers. */
import type {
  ContainerState as ContainerStateObject,
  ContainerStatus as ContainerStatusObject,
  Pod,
  PodList,
  PodStatus,
} from '../../../generated/core/v1/types.ts';
import {
  type Container,
  ContainerState,
  type ContainerStatus,
  type PodSandbox,
} from '../../../generated/node-interfaces/container-runtime.ts';
import type { ContainerRuntime } from './container-runtime.ts';
import { CONTAINER_NAME, OWN_LABELS } from './runtime-labels.ts';

/** Number of containers whose state is asked for at the same time. */
const ASKED_AT_ONCE = 8;

interface KnownContainer {
  readonly container: Container;
  /** undefined: it is gone meanwhile */
  readonly status: ContainerStatus | undefined;
}

/** @throws InterfaceError */
export async function runtimePods(runtime: ContainerRuntime, nodeName: string, signal: AbortSignal): Promise<PodList> {
  const everything = new Map<string, string>();
  const [{ runtimeName }, sandboxes, containers] = await Promise.all([
    runtime.version(signal),
    runtime.sandboxes(everything, signal),
    runtime.containers(everything, signal),
  ]);
  const newest = newestOf(sandboxes, ({ metadata, id }) => metadata?.uid || id);
  const shown = newest.map((sandbox) => {
    const own = containers.filter(({ podSandboxId }) => podSandboxId === sandbox.id);
    return { sandbox, containers: newestOf(own, containerName) };
  });
  const statuses = await askStatuses(
    runtime,
    shown.flatMap(({ containers }) => containers),
    signal,
  );
  const items = shown.map(({ sandbox, containers }) => {
    const known = containers.map((container) => ({ container, status: statuses.get(container.id) }));
    return podOf(sandbox, known, { nodeName, runtimeName });
  });
  return { kind: 'PodList', apiVersion: 'v1', metadata: {}, items };
}

/** The newest item of each key, in the order in which the keys came. */
function newestOf<T extends { readonly createdAt: bigint }>(all: readonly T[], keyOf: (each: T) => string): T[] {
  const byKey = new Map<string, T>();
  for (const each of all) {
    const key = keyOf(each);
    const other = byKey.get(key);
    if (other === undefined || other.createdAt < each.createdAt) byKey.set(key, each);
  }
  return [...byKey.values()];
}

async function askStatuses(
  runtime: ContainerRuntime,
  containers: readonly Container[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ContainerStatus>> {
  const statuses = new Map<string, ContainerStatus>();
  const waiting = containers.values();
  const ask = async (): Promise<void> => {
    for (const { id } of waiting) {
      const status = await runtime.containerStatus(id, signal);
      if (status !== undefined) statuses.set(id, status);
    }
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, ask));
  return statuses;
}

function podOf(
  { metadata, id, labels, createdAt }: PodSandbox,
  containers: readonly KnownContainer[],
  { nodeName, runtimeName }: { nodeName: string; runtimeName: string },
): Pod {
  const own = [...labels].filter(([name]) => !name.startsWith(OWN_LABELS));
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: metadata?.name ?? id,
      namespace: metadata?.namespace ?? '',
      uid: metadata?.uid ?? '',
      creationTimestamp: timeText(createdAt),
      ...(own.length > 0 && { labels: Object.fromEntries(own) }),
    },
    spec: {
      nodeName,
      containers: containers.map(({ container }) => ({ name: containerName(container), image: container.image?.image ?? '' })),
    },
    status: {
      phase: phaseOf(containers),
      startTime: timeText(createdAt) ?? undefined,
      containerStatuses: containers.map((each) => statusOf(each, runtimeName)),
    },
  };
}

function containerName({ labels, metadata, id }: Container): string {
  return labels.get(CONTAINER_NAME) ?? metadata?.name ?? id;
}

function phaseOf(containers: readonly KnownContainer[]): PodStatus['phase'] {
  const states = containers.map(({ container, status }) => status?.state ?? container.state);
  if (states.includes(ContainerState.CONTAINER_RUNNING)) return 'Running';
  const haveEnded = states.length > 0 && states.every((state) => state === ContainerState.CONTAINER_EXITED);
  if (!haveEnded) return 'Pending';
  return containers.every(({ status }) => status?.exitCode === 0) ? 'Succeeded' : 'Failed';
}

function statusOf({ container, status }: KnownContainer, runtimeName: string): ContainerStatusObject {
  const isRunning = (status?.state ?? container.state) === ContainerState.CONTAINER_RUNNING;
  const containerID = `${runtimeName}://${container.id}`;
  return {
    name: containerName(container),
    state: stateOf(status, containerID),
    ready: isRunning,
    started: isRunning,
    restartCount: container.metadata?.attempt ?? 0,
    image: status?.image?.image || (container.image?.image ?? ''),
    imageID: status?.imageRef || container.imageRef,
    containerID,
  };
}

function stateOf(status: ContainerStatus | undefined, containerID: string): ContainerStateObject {
  switch (status?.state) {
    case ContainerState.CONTAINER_CREATED:
      return { waiting: { reason: 'ContainerCreating' } };
    case ContainerState.CONTAINER_RUNNING:
      return { running: { startedAt: timeText(status.startedAt) } };
    case ContainerState.CONTAINER_EXITED:
      return {
        terminated: {
          exitCode: status.exitCode,
          reason: status.reason,
          ...(status.message !== '' && { message: status.message }),
          startedAt: timeText(status.startedAt),
          finishedAt: timeText(status.finishedAt),
          containerID,
        },
      };
    default:
      return { waiting: { reason: 'ContainerStatusUnknown' } };
  }
}

/** @returns RFC 3339 with whole seconds; null for what has not happened */
function timeText(nanoseconds: bigint): string | null {
  if (nanoseconds <= 0n) return null;
  const milliseconds = Number(nanoseconds / 1_000_000n);
  // a runtime may send a number that is no valid time
  if (milliseconds > 8.64e15) return null;
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

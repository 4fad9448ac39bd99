/** Finds the runtime's container for a container of a pod. */
import { type Container, ContainerState, type PodSandbox } from '../../../generated/node-interfaces/container-runtime.ts';
import type { ContainerRuntime } from './container-runtime.ts';
import { CONTAINER_NAME, POD_NAME, POD_NAMESPACE } from './runtime-labels.ts';

export interface ContainerPlace {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** The container, or which part was not found. */
export type Found = { readonly container: Container } | { readonly missing: 'pod' | 'container' };

/**
 * A restarted pod may have several containers of one name. The running one counts; without one, the newest.
 * @throws InterfaceError
 */
export async function findContainer(runtime: ContainerRuntime, place: ContainerPlace, signal: AbortSignal): Promise<Found> {
  const ofPod = new Map([
    [POD_NAMESPACE, place.namespace],
    [POD_NAME, place.pod],
  ]);
  const [sandboxes, containers] = await Promise.all([runtime.sandboxes(ofPod, signal), runtime.containers(ofPod, signal)]);
  if (sandboxes.length === 0) return { missing: 'pod' };
  const newest = newestPod(sandboxes);
  const named = containers.filter(({ labels, podSandboxId }) => labels.get(CONTAINER_NAME) === place.container && newest.has(podSandboxId));
  const [container] = named.toSorted(byLiveliness);
  return container === undefined ? { missing: 'container' } : { container };
}

/** @returns ids of the sandboxes of the newest pod, because an earlier pod may have had the same name */
function newestPod(sandboxes: readonly PodSandbox[]): ReadonlySet<string> {
  const [newest] = sandboxes.toSorted((a, b) => compare(b.createdAt, a.createdAt));
  return new Set(sandboxes.filter(({ metadata }) => metadata?.uid === newest?.metadata?.uid).map(({ id }) => id));
}

function byLiveliness(a: Container, b: Container): number {
  const [first, second] = [a, b].map(({ state }) => (state === ContainerState.CONTAINER_RUNNING ? 0 : 1)) as [number, number];
  return first - second || compare(b.createdAt, a.createdAt);
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

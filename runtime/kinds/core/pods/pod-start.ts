/** The containers of a pod that run before the others, and whether they have let the others start. */
import type { ContainerStatus, Pod, PodStatus } from '../../../../generated/core/v1/types.ts';
import { isSidecar } from '../containers/containers.ts';

/** The status that names a container which goes on beside the others. */
export function isSidecarStatus({ spec }: Pod, { name }: ContainerStatus): boolean {
  const container = spec?.initContainers?.find((each) => each.name === name);
  return container !== undefined && isSidecar(container);
}

/** @returns index of the first status whose container keeps the next ones from starting, -1 where none does */
export function blockingIndex(pod: Pod): number {
  const statuses = pod.status?.initContainerStatuses;
  return statuses === undefined ? -1 : statuses.findIndex((status) => !hasSucceeded(status) && !isStartedSidecar(pod, status));
}

export function hasSucceeded({ state }: ContainerStatus): boolean {
  return state?.terminated !== undefined && (state.terminated.exitCode ?? 0) === 0;
}

export function isStartedSidecar(pod: Pod, status: ContainerStatus): boolean {
  return status.started === true && isSidecarStatus(pod, status);
}

/** @param blocking as `blockingIndex` has it: the pod may have been initialized before the container ended */
export function othersStarted({ status }: Pod, blocking: number): boolean {
  return blocking === -1 || hasTrueCondition(status, 'Initialized');
}

/** The status of a container that neither waits nor has ended, and is ready. */
export function isRunning({ ready, state }: ContainerStatus): boolean {
  return ready && state?.running !== undefined && !state.waiting?.reason && state.terminated === undefined;
}

/** Of several conditions of one type the first counts. */
export function hasTrueCondition(status: PodStatus | undefined, wanted: string): boolean {
  return status?.conditions?.find((condition) => condition.type === wanted)?.status === 'True';
}

/** The containers of a pod that run before the others, and whether they have let the others start. */
import type { ApiObject } from '../../contract/object.ts';
import type { Struct } from '../struct.ts';
import { isSidecar } from './containers.ts';

/** The status that names a container which goes on beside the others. */
export function isSidecarStatus({ spec }: ApiObject, { name }: Struct): boolean {
  const containers: Struct[] = spec?.initContainers ?? [];
  const container = containers.find((each) => each.name === name);
  return container !== undefined && isSidecar(container);
}

/** @returns index of the first status whose container keeps the next ones from starting, -1 where none does */
export function blockingIndex(pod: ApiObject): number {
  const statuses: Struct[] | undefined = pod.status?.initContainerStatuses;
  return statuses === undefined ? -1 : statuses.findIndex((status) => !hasSucceeded(status) && !isStartedSidecar(pod, status));
}

export function hasSucceeded({ state }: Struct): boolean {
  return state?.terminated !== undefined && (state.terminated.exitCode ?? 0) === 0;
}

export function isStartedSidecar(pod: ApiObject, status: Struct): boolean {
  return status.started === true && isSidecarStatus(pod, status);
}

/** @param blocking as `blockingIndex` has it: the pod may have been initialized before the container ended */
export function othersStarted({ status }: ApiObject, blocking: number): boolean {
  return blocking === -1 || hasTrueCondition(status, 'Initialized');
}

/** The status of a container that neither waits nor has ended, and is ready. */
export function isRunning({ ready, state }: Struct): boolean {
  return ready === true && state?.running !== undefined && !state.waiting?.reason && state.terminated === undefined;
}

export function hasTrueCondition(status: Struct | undefined, wanted: string): boolean {
  const conditions: Struct[] | undefined = status?.conditions;
  return conditions?.some((condition) => condition.type === wanted && condition.status === 'True') ?? false;
}

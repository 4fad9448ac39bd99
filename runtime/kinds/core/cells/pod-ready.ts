import type { Pod } from '../../../../generated/core/v1/types.ts';
import type { CellFunction } from '../../../contract/table.ts';
import { isSidecar } from '../containers/containers.ts';
import { blockingIndex, hasSucceeded, isRunning, isStartedSidecar, othersStarted } from '../pods/pod-start.ts';

/** Containers that are ready, and those that go on as long as the pod does: `1/2`. */
export const cell: CellFunction<Pod> = (pod) => {
  const blocking = blockingIndex(pod);
  const others = othersStarted(pod, blocking) ? count(pod.status?.containerStatuses, isRunning) : 0;
  const ready = readySidecars(pod, blocking) + others;
  return `${ready}/${(pod.spec?.containers?.length ?? 0) + count(pod.spec?.initContainers, isSidecar)}`;
};

function readySidecars(pod: Pod, blocking: number): number {
  const statuses = pod.status?.initContainerStatuses;
  if (statuses === undefined) return 0;
  const begun = blocking === -1 ? statuses : statuses.slice(0, blocking);
  return count(begun, (status) => status.ready && !hasSucceeded(status) && isStartedSidecar(pod, status));
}

function count<T>(all: readonly T[] | undefined, isCounted: (each: T) => boolean): number {
  let counted = 0;
  for (const each of all ?? []) if (isCounted(each)) counted++;
  return counted;
}

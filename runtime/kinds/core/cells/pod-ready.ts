import type { ApiObject } from '../../../contract/object.ts';
import type { CellFunction } from '../../../contract/table.ts';
import type { Struct } from '../../struct.ts';
import { isSidecar } from '../containers.ts';
import { blockingIndex, hasSucceeded, isRunning, isStartedSidecar, othersStarted } from '../pod-start.ts';

/** Containers that are ready, and those that go on as long as the pod does: `1/2`. */
export const cell: CellFunction = (pod) => {
  const blocking = blockingIndex(pod);
  const others = othersStarted(pod, blocking) ? count(pod.status?.containerStatuses, isRunning) : 0;
  const ready = readySidecars(pod, blocking) + others;
  return `${ready}/${(pod.spec?.containers ?? []).length + count(pod.spec?.initContainers, isSidecar)}`;
};

function readySidecars(pod: ApiObject, blocking: number): number {
  const statuses: Struct[] | undefined = pod.status?.initContainerStatuses;
  if (statuses === undefined) return 0;
  const begun = blocking === -1 ? statuses : statuses.slice(0, blocking);
  return count(begun, (status) => status.ready === true && !hasSucceeded(status) && isStartedSidecar(pod, status));
}

function count(all: readonly Struct[] | null | undefined, isCounted: (each: Struct) => boolean): number {
  let counted = 0;
  for (const each of all ?? []) if (isCounted(each)) counted++;
  return counted;
}

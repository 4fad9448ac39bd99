import type { ContainerStatus, Pod } from '../../../../generated/core/v1/types.ts';
import type { CellFunction } from '../../../contract/table.ts';
import { age } from '../../../go-text/age.ts';
import { blockingIndex, isSidecarStatus, othersStarted } from '../pods/pod-start.ts';

/** How often containers were restarted, and how long ago the last one ended: `3 (5m ago)`. */
export const cell: CellFunction<Pod> = (pod, now) => {
  let restarts = 0;
  let endedAt: string | undefined;
  for (const { restartCount = 0, lastState } of countedStatuses(pod)) {
    restarts += restartCount;
    const finishedAt = lastState?.terminated?.finishedAt;
    if (finishedAt && (endedAt === undefined || Date.parse(finishedAt) > Date.parse(endedAt))) endedAt = finishedAt;
  }
  return restarts > 0 && endedAt !== undefined ? `${restarts} (${age(endedAt, now)} ago)` : String(restarts);
};

/** What the containers that run first have cost does not count once the others run; sidecars go on with them. */
function countedStatuses(pod: Pod): readonly ContainerStatus[] {
  const { initContainerStatuses, containerStatuses = [] } = pod.status ?? {};
  if (initContainerStatuses === undefined) return containerStatuses;
  const blocking = blockingIndex(pod);
  const begun = blocking === -1 ? initContainerStatuses : initContainerStatuses.slice(0, blocking + 1);
  if (!othersStarted(pod, blocking)) return begun;
  return [...begun.filter((status) => isSidecarStatus(pod, status)), ...containerStatuses];
}

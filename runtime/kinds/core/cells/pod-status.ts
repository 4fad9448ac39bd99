import type { ContainerStateTerminated, ContainerStatus, Pod, PodStatus } from '../../../../generated/core/v1/types.ts';
import type { CellFunction } from '../../../contract/table.ts';
import { blockingIndex, isRunning, othersStarted } from '../pods/pod-start.ts';

/** In a word what a pod does or waits for. */
export const cell: CellFunction<Pod> = (pod) => {
  const { status = {}, metadata } = pod;
  if (metadata.deletionTimestamp !== undefined) {
    if (status.reason === 'NodeLost') return 'Unknown';
    if (status.phase !== 'Failed' && status.phase !== 'Succeeded') return 'Terminating';
  }
  const blocking = blockingIndex(pod);
  const before = blocking === -1 ? wholeText(status) : initText(pod, blocking);
  return othersStarted(pod, blocking) ? containersText(status, before) : before;
};

function wholeText({ conditions, reason, phase }: PodStatus): string {
  const isGated = conditions?.some((condition) => condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated');
  return isGated ? 'SchedulingGated' : reason || phase || '';
}

/** Of the container that keeps the others from starting. */
function initText({ spec, status }: Pod, blocking: number): string {
  const { waiting, terminated } = status?.initContainerStatuses?.[blocking]?.state ?? {};
  if (terminated !== undefined) return `Init:${ending(terminated)}`;
  if (waiting?.reason && waiting.reason !== 'PodInitializing') return `Init:${waiting.reason}`;
  return `Init:${blocking}/${spec?.initContainers?.length ?? 0}`;
}

function ending({ reason, signal, exitCode }: ContainerStateTerminated): string {
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`;
}

/** That of the first container that waits or has ended. @param otherwise where there is none */
function containersText(status: PodStatus, otherwise: string): string {
  const { containerStatuses = [], conditions = [] } = status;
  const text = firstText(containerStatuses) ?? otherwise;
  if (text !== 'Completed' || !containerStatuses.some(isRunning)) return text;
  return conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True') ? 'Running' : 'NotReady';
}

function firstText(statuses: readonly ContainerStatus[]): string | undefined {
  for (const { state } of statuses) {
    if (state?.waiting?.reason) return state.waiting.reason;
    if (state?.terminated !== undefined) return ending(state.terminated);
  }
  return undefined;
}

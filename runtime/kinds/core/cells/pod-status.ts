import type { ApiObject } from '../../../contract/object.ts';
import type { CellFunction } from '../../../contract/table.ts';
import type { Struct } from '../../struct.ts';
import { blockingIndex, hasTrueCondition, isRunning, othersStarted } from '../pod-start.ts';

/** In a word what a pod does or waits for. */
export const cell: CellFunction = (pod) => {
  const { status = {}, metadata } = pod;
  if (metadata.deletionTimestamp !== undefined) {
    if (status.reason === 'NodeLost') return 'Unknown';
    if (status.phase !== 'Failed' && status.phase !== 'Succeeded') return 'Terminating';
  }
  const blocking = blockingIndex(pod);
  const before = blocking === -1 ? wholeText(status) : initText(pod, blocking);
  return othersStarted(pod, blocking) ? containersText(status, before) : before;
};

function wholeText({ conditions, reason, phase }: Struct): string {
  return (conditions as Struct[] | undefined)?.some(isGated) ? 'SchedulingGated' : reason || phase || '';
}

function isGated({ type, reason }: Struct): boolean {
  return type === 'PodScheduled' && reason === 'SchedulingGated';
}

/** Of the container that keeps the others from starting. */
function initText({ spec, status }: ApiObject, blocking: number): string {
  const { waiting, terminated } = status.initContainerStatuses[blocking].state ?? {};
  if (terminated !== undefined) return `Init:${ending(terminated)}`;
  if (waiting?.reason && waiting.reason !== 'PodInitializing') return `Init:${waiting.reason}`;
  return `Init:${blocking}/${spec?.initContainers?.length ?? 0}`;
}

function ending({ reason, signal, exitCode }: Struct): string {
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`;
}

/** That of the first container that waits or has ended. @param otherwise where there is none */
function containersText(status: Struct, otherwise: string): string {
  const statuses: Struct[] = status.containerStatuses ?? [];
  const text = firstText(statuses) ?? otherwise;
  return text === 'Completed' && statuses.some(isRunning) ? (hasTrueCondition(status, 'Ready') ? 'Running' : 'NotReady') : text;
}

function firstText(statuses: readonly Struct[]): string | undefined {
  for (const { state } of statuses) {
    if (state?.waiting?.reason) return state.waiting.reason;
    if (state?.terminated !== undefined) return ending(state.terminated);
  }
  return undefined;
}

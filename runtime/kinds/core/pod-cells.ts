/** The row of a pod in a table. */
import type { Now, TableRowCondition } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { age } from '../cells/age.ts';
import type { Struct } from '../struct.ts';
import { isSidecar } from './containers.ts';

const NONE = '<none>';

const COMPLETED: Readonly<Record<string, readonly TableRowCondition[]>> = {
  Succeeded: [{ type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' }],
  Failed: [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }],
};

export function podRowConditions({ status }: ApiObject): readonly TableRowCondition[] | undefined {
  return COMPLETED[status?.phase ?? ''];
}

/** Name, Ready, Status, Restarts, Age, IP, Node, Nominated Node, Readiness Gates. */
export function podCells(pod: ApiObject, now: Now): unknown[] {
  const spec: Struct = pod.spec ?? {};
  const status: Struct = pod.status ?? {};
  const { text, ready, restarts, restartedAt } = summaryOf(pod);
  const sidecars = ((spec.initContainers ?? []) as Struct[]).filter(isSidecar).length;
  return [
    pod.metadata.name ?? '',
    `${ready}/${(spec.containers ?? []).length + sidecars}`,
    text,
    restarts > 0 && restartedAt !== undefined ? `${restarts} (${age(restartedAt, now)} ago)` : String(restarts),
    age(pod.metadata.creationTimestamp, now),
    status.podIPs?.[0]?.ip || status.podIP || NONE,
    spec.nodeName || NONE,
    status.nominatedNodeName || NONE,
    readinessGates(spec.readinessGates, status.conditions),
  ];
}

interface Summary {
  text: string;
  ready: number;
  restarts: number;
  /** when a container last ended to be restarted */
  restartedAt: string | undefined;
}

function summaryOf(pod: ApiObject): Summary {
  const status: Struct = pod.status ?? {};
  const summary: Summary = { text: status.reason || status.phase || '', ready: 0, restarts: 0, restartedAt: undefined };
  const gated = ((status.conditions ?? []) as Struct[]).some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated');
  if (gated) summary.text = 'SchedulingGated';
  const { blocked, sidecars } = summarizeInit(pod, summary);
  if (!blocked || isInitialized(status)) {
    // What the containers that run first have cost does not count once the others run; sidecars go on with them.
    Object.assign(summary, sidecars);
    summarizeContainers(pod, summary);
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    if (status.reason === 'NodeLost') summary.text = 'Unknown';
    else if (status.phase !== 'Failed' && status.phase !== 'Succeeded') summary.text = 'Terminating';
  }
  return summary;
}

function isInitialized({ conditions }: Struct): boolean {
  return ((conditions ?? []) as Struct[]).some(({ type, status }) => type === 'Initialized' && status === 'True');
}

type Restarts = Pick<Summary, 'restarts' | 'restartedAt'>;

function countRestarts(counts: Restarts, status: Struct): void {
  counts.restarts += status.restartCount ?? 0;
  counts.restartedAt = later(counts.restartedAt, status);
}

/** @returns whether one of the containers that run first has not let the others start, and what sidecars add to the restarts */
function summarizeInit(pod: ApiObject, summary: Summary): { blocked: boolean; sidecars: Restarts } {
  const containers: Struct[] = pod.spec?.initContainers ?? [];
  const statuses: Struct[] = pod.status?.initContainerStatuses ?? [];
  const sidecars: Restarts = { restarts: 0, restartedAt: undefined };
  for (const [index, status] of statuses.entries()) {
    const container = containers.find(({ name }) => name === status.name);
    const sidecar = container !== undefined && isSidecar(container);
    countRestarts(summary, status);
    if (sidecar) countRestarts(sidecars, status);
    const { waiting, terminated } = status.state ?? {};
    if (terminated !== undefined && (terminated.exitCode ?? 0) === 0) continue;
    if (sidecar && status.started === true) {
      if (status.ready === true) summary.ready++;
      continue;
    }
    if (terminated !== undefined) summary.text = `Init:${ending(terminated)}`;
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') summary.text = `Init:${waiting.reason}`;
    else summary.text = `Init:${index}/${containers.length}`;
    return { blocked: true, sidecars };
  }
  return { blocked: false, sidecars };
}

function ending({ reason, signal, exitCode }: Struct): string {
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`;
}

function summarizeContainers(pod: ApiObject, summary: Summary): void {
  const statuses: Struct[] = pod.status?.containerStatuses ?? [];
  let running = false;
  for (const status of [...statuses].reverse()) {
    countRestarts(summary, status);
    const { waiting, terminated } = status.state ?? {};
    if (waiting?.reason) summary.text = waiting.reason;
    else if (terminated !== undefined) summary.text = ending(terminated);
    else if (status.ready === true && status.state?.running !== undefined) {
      running = true;
      summary.ready++;
    }
  }
  if (summary.text === 'Completed' && running) summary.text = isReady(pod.status) ? 'Running' : 'NotReady';
}

function isReady({ conditions }: Struct): boolean {
  return ((conditions ?? []) as Struct[]).some(({ type, status }) => type === 'Ready' && status === 'True');
}

function later(known: string | undefined, { lastState }: Struct): string | undefined {
  const finished: string | undefined = lastState?.terminated?.finishedAt ?? undefined;
  if (finished === undefined) return known;
  return known === undefined || Date.parse(finished) > Date.parse(known) ? finished : known;
}

function readinessGates(gates: readonly Struct[] | undefined, conditions: readonly Struct[] | undefined): string {
  if ((gates ?? []).length === 0) return NONE;
  const passed = (gates ?? []).filter(({ conditionType }) =>
    (conditions ?? []).some(({ type, status }) => type === conditionType && status === 'True'),
  );
  return `${passed.length}/${gates?.length}`;
}

/** Pods that are there: put anew, patched, applied and deleted, each writer doing one after the other. */
import { type Bench, request } from '../bench.ts';
import { changedPodBody, LISTED_POD_BYTES, podName, STRATEGIC_PATCH, TURN_INTENT, TURN_PATCH } from '../objects.ts';
import { requestText } from '../target.ts';
import { closedLoopRow } from './closed-loop-row.ts';
import { fillWithPods } from './fill.ts';

const FIRST_POD = 'pod-00000000';
/** Written one after the other, so that writers do not meet at one pod. */
const PODS = 1_000;
/** Deleted by one writer and by all of them: two seconds of work at least. */
const DELETED_BY_ONE = 4_000;
const DELETED_BY_ALL = 40_000;

export async function measureUpdate(bench: Bench): Promise<void> {
  const pod = await storedPods(bench);
  const stored = JSON.parse(String(await request(bench.target, 'GET', pod.replace(podName, FIRST_POD))));
  await measureWrites(bench, 'update', '', send(bench, 'PUT', pod, changedPodBody(LISTED_POD_BYTES, stored), 'application/json'));
}

export async function measurePatch(bench: Bench): Promise<void> {
  const pod = await storedPods(bench);
  await measureWrites(bench, 'patch', 'merge', send(bench, 'PATCH', pod, TURN_PATCH, 'application/merge-patch+json'));
  const strategic = send(bench, 'PATCH', pod, STRATEGIC_PATCH, 'application/strategic-merge-patch+json');
  await measureWrites(bench, 'patch', 'strategic', strategic);
}

export async function measureApply(bench: Bench): Promise<void> {
  const pod = await storedPods(bench);
  const path = `${pod}?fieldManager=applier&force=true`;
  await measureWrites(bench, 'apply', '', send(bench, 'PATCH', path, TURN_INTENT, 'application/apply-patch+yaml'));
}

export async function measureDelete(bench: Bench): Promise<void> {
  for (const connections of [1, bench.options.connections]) {
    const count = connections === 1 ? DELETED_BY_ONE : DELETED_BY_ALL;
    const text = requestText(bench.target, 'DELETE', await storedPods(bench, count));
    await closedLoopRow(bench, 'delete', writers(connections), { request: text, connections, count });
  }
}

/** @returns the path of each pod, with the mark of its number */
async function storedPods(bench: Bench, count: number = PODS): Promise<string> {
  const namespace = await bench.makeNamespace();
  await fillWithPods(bench, namespace, count, LISTED_POD_BYTES);
  return `/api/v1/namespaces/${namespace}/pods/${podName}`;
}

function send({ target }: Bench, method: string, path: string, body: string, type: string): string {
  return requestText(target, method, path, body, { 'Content-Type': type });
}

/** @param form tells the rows of one workload apart */
async function measureWrites(bench: Bench, workload: string, form: string, text: string): Promise<void> {
  for (const connections of [1, bench.options.connections]) {
    const name = form === '' ? writers(connections) : `${form}, ${writers(connections)}`;
    await closedLoopRow(bench, workload, name, { request: text, connections, cycle: PODS });
  }
}

const writers = (count: number): string => (count === 1 ? '1 writer' : `${count} writers`);

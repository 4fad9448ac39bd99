/** Pods that are there: put anew, patched, applied and deleted, each writer doing one after the other. */
import { type Bench, request } from '../bench.ts';
import { changedPodBody, LISTED_POD_BYTES, podName, TURN_INTENT, TURN_PATCH } from '../objects.ts';
import { requestText } from '../target.ts';
import { closedLoopRow } from './closed-loop-row.ts';
import { fillWithPods } from './fill.ts';

const FIRST_POD = 'pod-00000000';
/** Written one after the other, so that writers do not meet at one pod. */
const PODS = 1_000;
/** Deleted by one writer and by all of them: two seconds of work at least. */
const DELETED_BY_ONE = 4_000;
const DELETED_BY_ALL = 10_000;

export async function measureWrite(bench: Bench): Promise<void> {
  const namespace = await bench.makeNamespace();
  await fillWithPods(bench, namespace, PODS, LISTED_POD_BYTES);
  const pod = `/api/v1/namespaces/${namespace}/pods/${podName}`;
  const stored = JSON.parse(String(await request(bench.target, 'GET', pod.replace(podName, FIRST_POD))));
  const send = (method: string, path: string, body: string, type: string) =>
    requestText(bench.target, method, path, body, { 'Content-Type': type });
  const requests: Readonly<Record<string, string>> = {
    update: send('PUT', pod, changedPodBody(LISTED_POD_BYTES, stored), 'application/json'),
    patch: send('PATCH', pod, TURN_PATCH, 'application/merge-patch+json'),
    apply: send('PATCH', `${pod}?fieldManager=applier&force=true`, TURN_INTENT, 'application/apply-patch+yaml'),
  };
  for (const [workload, text] of Object.entries(requests))
    for (const connections of [1, bench.options.connections])
      await closedLoopRow(bench, workload, writers(connections), { request: text, connections, cycle: PODS });
  for (const connections of [1, bench.options.connections]) await measureDelete(bench, connections);
}

async function measureDelete(bench: Bench, connections: number): Promise<void> {
  const namespace = await bench.makeNamespace();
  const count = connections === 1 ? DELETED_BY_ONE : DELETED_BY_ALL;
  await fillWithPods(bench, namespace, count, LISTED_POD_BYTES);
  const text = requestText(bench.target, 'DELETE', `/api/v1/namespaces/${namespace}/pods/${podName}`);
  await closedLoopRow(bench, 'delete', writers(connections), { request: text, connections, count });
}

const writers = (count: number): string => (count === 1 ? '1 writer' : `${count} writers`);

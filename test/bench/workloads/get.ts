/** Single pods, each connection asking for one after the other. */
import type { Bench } from '../bench.ts';
import { podName } from '../objects.ts';
import { requestText } from '../target.ts';
import { closedLoopRow } from './closed-loop-row.ts';
import { fillWithPods } from './fill.ts';

const PODS = 100;

export async function measureGet(bench: Bench): Promise<void> {
  const namespace = await bench.makeNamespace();
  await fillWithPods(bench, namespace, PODS);
  const request = requestText(bench.target, 'GET', `/api/v1/namespaces/${namespace}/pods/${podName}`);
  for (const connections of [1, bench.options.connections])
    await closedLoopRow(bench, 'get', connectionsText(connections), { request, connections, cycle: PODS });
}

export const connectionsText = (count: number): string => (count === 1 ? '1 connection' : `${count} connections`);

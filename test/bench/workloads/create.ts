/** New pods, each writer creating one after the other. */
import type { Bench } from '../bench.ts';
import { podBody } from '../objects.ts';
import { requestText } from '../target.ts';
import { closedLoopRow } from './closed-loop-row.ts';

export async function measureCreate(bench: Bench): Promise<void> {
  for (const connections of [1, bench.options.connections]) {
    const namespace = await bench.makeNamespace();
    const request = requestText(bench.target, 'POST', `/api/v1/namespaces/${namespace}/pods`, podBody());
    await closedLoopRow(bench, 'create', connections === 1 ? '1 writer' : `${connections} writers`, {
      request,
      connections,
    });
  }
}

import { type Bench, WARM_UP_SECONDS, withProcessorTime } from '../bench.ts';
import type { ClosedLoop, ClosedLoopResult } from '../load/closed-loop.ts';

type Given = Pick<ClosedLoop, 'request' | 'connections' | 'firstNumber' | 'cycle' | 'count'>;

/** Runs a closed loop for the time that is asked for, and reports it. @throws Error when a request failed */
export async function closedLoopRow(bench: Bench, workload: string, name: string, given: Given): Promise<ClosedLoopResult> {
  const { target, load, options } = bench;
  const loop: ClosedLoop = { kind: 'closedLoop', target, seconds: options.seconds, warmUpSeconds: WARM_UP_SECONDS, ...given };
  const [result, processorUs] = await withProcessorTime(
    target,
    () => load.run(loop),
    ({ sent }) => sent,
  );
  if (result.failures > 0)
    throw new Error(`${workload}: ${result.failures} of ${result.sent} requests failed, first: ${result.firstFailure}`);
  const { perSecond, p50Ms, p99Ms } = result;
  bench.report({ workload, name, perSecond, p50Ms, p99Ms, ...(processorUs !== undefined && { processorUs }) });
  return result;
}

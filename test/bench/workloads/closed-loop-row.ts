import { type Bench, withProcessorTime } from '../bench.ts';
import type { ClosedLoop, ClosedLoopResult } from '../load/closed-loop.ts';

type Given = Pick<ClosedLoop, 'request' | 'connections' | 'cycle' | 'count'>;

/**
 * Runs a closed loop for the time that is asked for, and reports it. The same load runs before: V8 compiles a function for speed when it was called
 * thousands of times, for which one writer needs ten seconds. Of a load that has a count the first half is the warm-up.
 *
 * @throws Error when a request failed
 */
export async function closedLoopRow(bench: Bench, workload: string, name: string, given: Given): Promise<ClosedLoopResult> {
  const { target, load, options } = bench;
  const { count } = given;
  const loop: ClosedLoop = { kind: 'closedLoop', target, first: 0, seconds: options.seconds, ...given };
  const run = async (part: Partial<ClosedLoop>) => {
    const result = await load.run({ ...loop, ...part });
    if (result.failures > 0)
      throw new Error(`${workload}: ${result.failures} of ${result.sent} requests failed, first: ${result.firstFailure}`);
    return result;
  };
  const { sent: first } = await run(count === undefined ? { seconds: options.warmUpSeconds } : { count: Math.floor(count / 2) });
  const [result, processorUs] = await withProcessorTime(
    target,
    () => run({ first, ...(count !== undefined && { count: count - first }) }),
    ({ sent }) => sent,
  );
  const { perSecond, bestSecond, p50Ms, p99Ms } = result;
  bench.report({
    workload,
    name,
    perSecond,
    ...(bestSecond !== undefined && { bestSecond }),
    p50Ms,
    p99Ms,
    ...(processorUs !== undefined && { processorUs }),
  });
  return result;
}

import { type Bench, withProcessorTime } from '../bench.ts';
import { type Ratio, ratioOf } from '../comparison.ts';
import type { ClosedLoop, ClosedLoopResult } from '../load/closed-loop.ts';

type Given = Pick<ClosedLoop, 'request' | 'connections' | 'cycle' | 'count'>;

/** What was measured of a closed loop. */
interface Measured {
  readonly result: ClosedLoopResult;
  /** processor time of the server for a request, microseconds */
  readonly processorUs?: number | undefined;
  /** to that of the other server */
  readonly processorRatio?: Ratio | undefined;
}

/**
 * Runs a closed loop for the time that is asked for, and reports it. The same load runs before: V8 compiles a function for speed when it was called
 * thousands of times, for which one writer needs ten seconds. Of a load that has a count the first half is the warm-up. Loops of two servers that are
 * compared run in turn.
 *
 * @throws Error when a request failed
 */
export async function closedLoopRow(bench: Bench, workload: string, name: string, given: Given): Promise<ClosedLoopResult> {
  const { target, options } = bench;
  const { count } = given;
  const loop: ClosedLoop = { kind: 'closedLoop', target, first: 0, seconds: options.seconds, ...given };
  const run = async (part: Partial<ClosedLoop>) => {
    const measured = await measure(bench, { ...loop, ...part });
    const { failures, sent, firstFailure } = measured.result;
    if (failures > 0) throw new Error(`${workload}: ${failures} of ${sent} requests failed, first: ${firstFailure}`);
    return measured;
  };
  const warmUp = await run(count === undefined ? { seconds: options.warmUpSeconds } : { count: Math.floor(count / 2) });
  const first = warmUp.result.sent;
  const { result, processorUs, processorRatio } = await run({ first, ...(count !== undefined && { count: count - first }) });
  const { perSecond, bestSecond, p50Ms, p99Ms } = result;
  bench.report({
    workload,
    name,
    perSecond,
    ...(bestSecond !== undefined && { bestSecond }),
    p50Ms,
    p99Ms,
    ...(processorUs !== undefined && { processorUs }),
    ...(processorRatio !== undefined && { processorRatio }),
  });
  return result;
}

async function measure({ target, load, comparison }: Bench, loop: ClosedLoop): Promise<Measured> {
  if (comparison === undefined) {
    const [result, processorUs] = await withProcessorTime(
      target,
      () => load.run(loop),
      ({ sent }) => sent,
    );
    return { result, processorUs };
  }
  const results = await comparison.both.run(comparison.isFirst, loop);
  const result = results[comparison.isFirst ? 0 : 1];
  return { result, processorUs: result.processorUs, processorRatio: comparison.isFirst ? ratioOf(results) : undefined };
}

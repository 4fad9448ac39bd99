import { type Bench, withPeakMemory, withProcessorTime } from '../bench.ts';

/** How a list is asked for. */
export interface ListCase {
  readonly name: string;
  /** begins with `?`, or is empty */
  readonly query?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly paged?: boolean;
  /** lists that are read at the same time; 1 where it is absent */
  readonly atOnce?: number;
}

/** Reads one list again and again, and reports it. The first one, which fills caches, does not count. */
export async function listRow(bench: Bench, workload: string, path: string, of: ListCase): Promise<void> {
  const { target, load, options, report } = bench;
  const { name, query = '', headers, paged = false, atOnce = 1 } = of;
  const lists = { kind: 'lists', target, path: path + query, headers, paged, atOnce } as const;
  await load.run({ ...lists, atOnce: 1, repeat: 1, seconds: 0 });
  const measured = () => load.run({ ...lists, repeat: options.repeat, seconds: options.seconds });
  const [[result, processorUs], peak] = await withPeakMemory(target, () => withProcessorTime(target, measured, ({ answers }) => answers));
  const { p50Ms, p99Ms, bytes, megabytesPerSecond, failure } = result;
  if (failure !== undefined) report({ workload, name, note: `refused: ${failure.slice(0, 60)}` });
  else report({ workload, name, p50Ms, p99Ms, megabytesPerSecond, processorUs, ...peak, note: sizeText(bytes) });
}

export const sizeText = (bytes: number): string => (bytes >= 1e5 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e3).toFixed(1)} KB`);

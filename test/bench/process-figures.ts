/** Memory and processor time of a process and all below it, from /proc. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

export interface ProcessFigures {
  /** resident bytes: all, and those of them that are no file's (a mapped store counts among the files') */
  readonly residentBytes: number;
  readonly anonymousBytes: number;
  /** the most that was resident since the last `resetPeak`: of several processes the sum of their peaks */
  readonly peakBytes: number;
  readonly processorSeconds: number;
  readonly processes: number;
}

/** Clock ticks of /proc/PID/stat in a second; Linux shows it as 100 on every machine. */
const TICKS = 100;
/** What proc(5) calls resetting the peak resident set size. */
const PEAK_OF_RESIDENT_MEMORY = '5';

/** @returns undefined where there is no /proc */
export function processFigures(root: number): ProcessFigures | undefined {
  const family = processFamily(root);
  return family === undefined ? undefined : figuresOf(family);
}

/** Ids of a process and all below it as they are now. @returns undefined where there is no /proc */
export function processFamily(root: number): readonly number[] | undefined {
  const parents = parentsByProcess();
  return parents === undefined ? undefined : familyOf(root, parents);
}

/** Of processes that were a family, for who looks often: those that have ended count as nothing. */
export function figuresOf(family: readonly number[]): ProcessFigures {
  const figures = { residentBytes: 0, anonymousBytes: 0, peakBytes: 0, processorSeconds: 0, processes: 0 };
  for (const pid of family) {
    const status = readProc(pid, 'status');
    const stat = readProc(pid, 'stat');
    if (status === undefined || stat === undefined) continue;
    figures.residentBytes += kilobytes(status, 'VmRSS');
    figures.anonymousBytes += kilobytes(status, 'RssAnon');
    figures.peakBytes += kilobytes(status, 'VmHWM');
    figures.processorSeconds += processorTicks(stat) / TICKS;
    figures.processes++;
  }
  return figures;
}

/**
 * Processor time of the threads that these processes have now, so far, to the nanosecond; a thread that ends takes its own with it.
 * @returns undefined where the system does not count so
 */
export function threadSeconds(family: readonly number[]): number | undefined {
  try {
    let nanoseconds = 0;
    for (const pid of family)
      for (const thread of readdirSync(`/proc/${pid}/task`))
        nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ', 1)[0]);
    return nanoseconds / 1e9;
  } catch {
    return undefined;
  }
}

/** Peaks of memory count from now on. @returns false where the system does not allow that */
export function resetPeak(family: readonly number[]): boolean {
  try {
    for (const pid of family) writeFileSync(`/proc/${pid}/clear_refs`, PEAK_OF_RESIDENT_MEMORY);
    return true;
  } catch {
    return false;
  }
}

function parentsByProcess(): Map<number, number> | undefined {
  try {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    return new Map(pids.map((pid) => [pid, Number(statFields(readProc(pid, 'stat') ?? '')[1] ?? 0)]));
  } catch {
    return undefined;
  }
}

function familyOf(root: number, parents: ReadonlyMap<number, number>): number[] {
  const family = [root];
  for (const member of family) for (const [pid, parent] of parents) if (parent === member) family.push(pid);
  return family;
}

/** undefined for a process that has ended */
function readProc(pid: number, file: 'status' | 'stat'): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return undefined;
  }
}

/** The fields from the third on; the second, the name, may hold spaces and parentheses. */
function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** utime and stime */
function processorTicks(stat: string): number {
  const fields = statFields(stat);
  return Number(fields[11]) + Number(fields[12]);
}

function kilobytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1_024;
}

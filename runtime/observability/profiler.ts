/**
 * Takes profiles of the process, in the formats `.cpuprofile` and `.heapprofile` of V8's tools. The inspector is loaded only for a profile, so it costs nothing
 * before.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** `profile` shows where processor time is spent, `allocs` where memory is allocated. */
export type ProfileKind = 'profile' | 'allocs';

/** Microseconds between two samples of the running functions. */
const CPU_INTERVAL = 1_000;
/** Bytes that are allocated between two samples of the allocating functions. */
const ALLOCATION_INTERVAL = 64 * 1024;

export class Profiler {
  #isUnderWay = false;

  /**
   * Takes a profile. Only one can be taken at a time.
   * @param milliseconds how long samples are taken, unless the signal ends it before
   * @returns the profile as JSON; undefined if another one is being taken
   * @throws AbortError if the signal is aborted
   */
  async take(kind: ProfileKind, milliseconds: number, signal: AbortSignal): Promise<string | undefined> {
    if (this.#isUnderWay) return undefined;
    this.#isUnderWay = true;
    try {
      return await (kind === 'profile' ? takeCpuProfile : takeAllocationProfile)(milliseconds, signal);
    } finally {
      this.#isUnderWay = false;
    }
  }
}

async function takeCpuProfile(milliseconds: number, signal: AbortSignal): Promise<string> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: CPU_INTERVAL });
    await session.post('Profiler.start');
    await sleep(milliseconds, undefined, { signal });
    return JSON.stringify((await session.post('Profiler.stop')).profile);
  } finally {
    session.disconnect();
  }
}

async function takeAllocationProfile(milliseconds: number, signal: AbortSignal): Promise<string> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    const all = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
    await session.post('HeapProfiler.startSampling', { samplingInterval: ALLOCATION_INTERVAL, ...all });
    await sleep(milliseconds, undefined, { signal });
    return JSON.stringify((await session.post('HeapProfiler.stopSampling')).profile);
  } finally {
    session.disconnect();
  }
}

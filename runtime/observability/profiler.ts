/** Profiles of the process, in the forms that the tools of V8 open (`.cpuprofile`, `.heapprofile`). Nothing of it is loaded, and nothing slower, until one is asked for. */
import { setTimeout as sleep } from 'node:timers/promises';

export type ProfileKind = 'profile' | 'allocs';

/** Microseconds between two looks at what runs. */
const CPU_INTERVAL = 1_000;
/** Bytes allocated between two looks at who allocates. */
const ALLOCATION_INTERVAL = 64 * 1024;

export class Profiler {
  #isUnderWay = false;

  /**
   * What takes the time, or who allocates memory, for so long.
   * @param milliseconds for which it looks, unless the signal ends it
   * @returns JSON; undefined where another one is under way
   * @throws the reason of the signal
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

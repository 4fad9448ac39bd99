/** What a server's processes have computed, and what they have in memory. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process and those that it has started, in turn. */
export function processTree(pid: number): number[] {
  const listed = textOf(`/proc/${pid}/task/${pid}/children`).split(' ');
  return [pid, ...listed.filter((text) => text.trim() !== '').flatMap((text) => processTree(Number(text)))];
}

/** Milliseconds that a process and its children have computed so far, in steps of ten; 0 where the system does not say. */
export function processorTime(pid: number): number {
  return processTree(pid).reduce((sum, each) => sum + own(each), 0);
}

/**
 * Milliseconds of a look at what processes compute, how much of them is next to nothing, how long they may have waited for a processor, and how many
 * looks there are at most. Who is to compute for long on a machine that computes for others waits for most of the time.
 */
const [LOOK, LITTLE, SHORT, LOOKS] = [500, 50, 125, 60];

/** Resolves when a process and its children do next to nothing: what a start, or what was asked before, brings with it is done. */
export async function untilIdle(pid: number): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    const before = { computed: processorTime(pid), waited: waitingTime(pid) };
    await sleep(LOOK);
    if (processorTime(pid) - before.computed <= LITTLE && waitingTime(pid) - before.waited <= SHORT) return;
  }
}

/** Milliseconds for which threads of a process and its children could compute and had no processor; 0 where the system does not say. */
function waitingTime(pid: number): number {
  return processTree(pid).reduce((sum, each) => sum + ownWaiting(each), 0);
}

function ownWaiting(pid: number): number {
  const threads = `/proc/${pid}/task`;
  return listOf(threads).reduce((sum, thread) => sum + Number(textOf(`${threads}/${thread}/schedstat`).split(' ')[1] ?? 0) / 1e6, 0);
}

function own(pid: number): number {
  const [user, system] = textOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return ((user ?? 0) + (system ?? 0)) * 10;
}

/**
 * Bytes of all that a process and its children have in memory, with the files that they have mapped, but for their store: what is stored is in the
 * memory of the system, which takes it back when it wants. 0 where the system does not say.
 */
export function residentMemory(pid: number): number {
  return processTree(pid).reduce((sum, each) => sum + all(each) - mappedStore(each), 0);
}

const all = (pid: number): number => kilobytes(/^VmRSS:\s+(\d+) kB$/m.exec(textOf(`/proc/${pid}/status`)));

const mappedStore = (pid: number): number =>
  kilobytes(/^\S+ \S+ \S+ \S+ \S+ +\S*\/data\.mdb\n(?:[^-\n]+\n)*?Rss:\s+(\d+) kB$/m.exec(textOf(`/proc/${pid}/smaps`)));

function listOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** '' of a process or a thread that has ended, perhaps just now. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const kilobytes = (found: RegExpExecArray | null): number => Number(found?.[1] ?? 0) * 1024;

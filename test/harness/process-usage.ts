/** What a server's processes have computed, and what they have in memory. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process and those that it has started, in turn. */
export function processTree(pid: number): number[] {
  const children = `/proc/${pid}/task/${pid}/children`;
  const listed = existsSync(children) ? readFileSync(children, 'utf8').split(' ') : [];
  return [pid, ...listed.filter((text) => text.trim() !== '').flatMap((text) => processTree(Number(text)))];
}

/** Milliseconds that a process and its children have computed so far, in steps of ten; 0 where the system does not say. */
export function processorTime(pid: number): number {
  return processTree(pid).reduce((sum, each) => sum + own(each), 0);
}

/** Milliseconds of a look at what processes compute, how much of them is next to nothing, and how many looks there are at most. */
const [LOOK, LITTLE, LOOKS] = [500, 50, 60];

/** Resolves when a process and its children do next to nothing: what a start, or what was asked before, brings with it is done. */
export async function untilIdle(pid: number): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    const before = processorTime(pid);
    await sleep(LOOK);
    if (processorTime(pid) - before <= LITTLE) return;
  }
}

function own(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const [user, system] = readFileSync(file, 'utf8')
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

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

const kilobytes = (found: RegExpExecArray | null): number => Number(found?.[1] ?? 0) * 1024;

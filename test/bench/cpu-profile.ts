/** The profile that V8 makes of a server's serving thread. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { median } from './statistics.ts';

/** Microseconds of the system's monotonic clock. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export interface Profile {
  /**
   * @param counts whether a function's own time counts, and that of what it calls of Node and of libraries. `file` is below `runtime/`; '' outside
   * @returns the part of the samples in which the thread did that, of those in which it did anything; NaN where there are none
   */
  share(window: Window, counts: (file: string, functionName: string) => boolean): number;
}

/** As of the DevTools protocol. */
interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

interface ProfileText {
  readonly nodes: readonly ProfileNode[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** @param folder has those of all threads: the serving one has done most. @throws Error where there is none */
export function readProfile(folder: string): Profile {
  const files = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  const largest = files.map((name) => path.join(folder, name)).toSorted((a, b) => statSync(b).size - statSync(a).size)[0];
  if (largest === undefined) throw new Error('the server has left no profile');
  return profileOf(JSON.parse(readFileSync(largest, 'utf8')));
}

export function profileOf({ nodes, startTime, samples, timeDeltas }: ProfileText): Profile {
  const callers = new Map<number, ProfileNode>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const node of nodes) for (const child of node.children ?? []) callers.set(child, node);
  const usual = median(timeDeltas);
  return {
    share({ from, to }, counts) {
      const known = new Map<number, boolean>();
      let [at, busy, counted] = [startTime, 0, 0];
      for (const [i, id] of samples.entries()) {
        at += timeDeltas[i] as number;
        const node = byId.get(id) as ProfileNode;
        if (at < from || at > to || node.callFrame.functionName === '(idle)') continue;
        // Samples are counted, not the time between them: in some of that the thread waited for a processor. But none is taken while garbage is collected.
        busy += node.callFrame.functionName === '(garbage collector)' ? (timeDeltas[i] as number) / usual : 1;
        if (!known.has(id)) known.set(id, isCounted(node, callers, counts));
        if (known.get(id) === true) counted++;
      }
      return counted / busy;
    },
  };
}

/** Goes up to the first function of ours. */
function isCounted(node: ProfileNode, callers: ReadonlyMap<number, ProfileNode>, counts: (file: string, name: string) => boolean): boolean {
  for (let each: ProfileNode | undefined = node; each !== undefined; each = callers.get(each.id)) {
    const { functionName, url } = each.callFrame;
    const file = /\/runtime\/(?<file>.*)$/.exec(url)?.groups?.file ?? '';
    if (counts(file, functionName)) return true;
    if (file !== '' || url.includes('/generated/')) return false;
  }
  return false;
}

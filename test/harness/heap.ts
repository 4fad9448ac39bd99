/** How much memory the process holds on to. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes that are in use, without garbage. */
export function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // the second time finds the memory of buffers whose objects went the first time
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A text of its own, as a parsed request would hold it. */
export function longText(index: number, characters: number): string {
  return Buffer.alloc(characters, `${index} `).toString();
}

/** The program, run to its end. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { programFile, projectRoot } from './programs.ts';

export interface Ended {
  readonly code: number | null;
  /** both streams, one after the other */
  readonly out: string;
}

export async function runProgram(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [programFile('cluster-apiserver'), ...args], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const out = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out: out.join('') };
}

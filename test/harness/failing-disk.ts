/** Disks that fail when a test wants it, for the calls and files that it names: see failing-calls.c. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectRoot } from './programs.ts';

/**
 * What fails: `sync` is writing through a descriptor that flushes each write, which is made and then said to have failed; `drop` is the same, which is not made;
 * of `last` the first one is made alone; `write` is writing otherwise; `hang` is flushing that does not end.
 */
export type FailingCall = 'read' | 'write' | 'flush' | 'sync' | 'drop' | 'last' | 'hang';
/** The call, and a part of the path of the file. */
export type Failure = `${FailingCall} ${string}`;

const SOURCE = path.join(projectRoot, 'test/harness/failing-calls.c');
const COMPILERS = ['cc', 'gcc', 'clang', 'tcc', path.join(projectRoot, '.cache/bin/tcc')];

export class FailingDisk {
  /** of the processes for which it fails */
  readonly env: Readonly<Record<string, string>>;
  readonly #folder: string;
  readonly #failing: string;

  private constructor(folder: string, library: string) {
    this.#folder = folder;
    this.#failing = path.join(folder, 'failing');
    this.env = { LD_PRELOAD: library, FAILING_CALLS: this.#failing };
    this.recover();
  }

  /** @returns why there is none, where there cannot be one */
  static make(): FailingDisk | string {
    if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) return 'calls are made to fail on 64-bit Linux alone';
    const folder = mkdtempSync(path.join(tmpdir(), 'failing-disk-'));
    const library = path.join(folder, 'failing-calls.so');
    const options = ['-shared', '-fPIC', '-nostdlib', '-fno-stack-protector', '-o', library, SOURCE];
    const why: string[] = [];
    for (const compiler of COMPILERS) {
      const { status, stderr, error } = spawnSync(compiler, options, { encoding: 'utf8' });
      const probe = status === 0 ? probed(library) : undefined;
      if (probe === '') return new FailingDisk(folder, library);
      if (error === undefined) why.push(`${compiler}: ${probe ?? stderr}`);
    }
    rmSync(folder, { recursive: true });
    return why.length === 0 ? 'no compiler of C is there, by which calls are made to fail' : why.join('\n');
  }

  /** From now on these fail, and no others. */
  fail(...failures: readonly Failure[]): void {
    // as a whole: it is read at each call
    writeFileSync(`${this.#failing}.new`, failures.map((failure) => `${failure}\n`).join(''));
    renameSync(`${this.#failing}.new`, this.#failing);
  }

  recover(): void {
    this.fail();
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A library of another C library is loaded by nobody. @returns what a process says that has it */
function probed(library: string): string {
  return spawnSync(process.execPath, ['--version'], { env: { LD_PRELOAD: library }, encoding: 'utf8' }).stderr;
}

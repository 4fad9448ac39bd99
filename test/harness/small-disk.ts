/** Disks that are full when a test wants it. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Whether the limits of running processes can be changed here; Linux has a program for it, which needs no rights for one's own. */
export const canLimitFiles = spawnSync('prlimit', ['--version']).status === 0;

/**
 * What a process writes beyond that place of any file fails from now on, as on a full disk (EFBIG); what it writes before that does not.
 * @param bytes undefined: nothing fails any more
 */
export function limitFiles(pid: number, bytes: number | undefined): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes ?? 'unlimited'}:`]);
  if (status !== 0) throw new Error(`prlimit: ${stderr}`);
}

/** A folder on a disk that is full when a test says so, for the processes of a server. */
export interface SmallDisk {
  readonly directory: string;
  /** What starts a program on it: its arguments go behind. */
  readonly starter: readonly string[];
  fill(pids: readonly number[]): void;
  makeRoom(pids: readonly number[]): void;
  remove(): void;
}

/** Bytes of a disk of its own: what a server has there, and what is to be free when it writes. */
const DISK = 48 * 1024 * 1024;

/** A disk of its own, which only root can make. @returns undefined where it cannot be made */
export function ownDisk(): SmallDisk | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const directory = mkdtempSync(path.join(tmpdir(), 'small-disk-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', directory]).status !== 0) {
    rmSync(directory, { recursive: true });
    return undefined;
  }
  const filler = path.join(directory, 'filler');
  return {
    directory,
    starter: [],
    fill: () => fillUp(filler),
    makeRoom: () => rmSync(filler),
    remove() {
      spawnSync('umount', ['-l', directory]);
      rmSync(directory, { recursive: true });
    },
  };
}

/** Files beyond some length cannot be written by some processes. @param file whose length it is; @returns undefined where there are no such limits */
export function limitedDisk(file: string): SmallDisk | undefined {
  if (!canLimitFiles) return undefined;
  const directory = mkdtempSync(path.join(tmpdir(), 'limited-disk-'));
  const starter: string[] = [];
  return {
    directory,
    starter,
    fill(pids) {
      const { size } = statSync(path.join(directory, file));
      for (const pid of pids) limitFiles(pid, size);
      starter.push('prlimit', `--fsize=${size}:`, '--');
    },
    makeRoom(pids) {
      for (const pid of pids) limitFiles(pid, undefined);
      starter.length = 0;
    },
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  };
}

function fillUp(file: string): void {
  const descriptor = openSync(file, 'w');
  const bytes = Buffer.alloc(4_096, 1);
  try {
    for (;;) writeSync(descriptor, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(descriptor);
  }
}

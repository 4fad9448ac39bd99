import { open, rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds after which the owner of a lock is assumed to be dead, because work under a lock takes only a few. */
const DEAD = 10_000;
/** Milliseconds between two attempts to take a lock. */
const PATIENCE = 5;

/**
 * Runs `action` while no other process runs one under the same lock.
 * @param file the path of the lock, a file that exists while `action` runs
 * @throws Error of the system; what `action` throws
 */
export async function whileLocked(file: string, action: () => Promise<void>): Promise<void> {
  while (!(await isTaken(file))) await sleep(PATIENCE);
  try {
    await action();
  } finally {
    await rm(file, { force: true });
  }
}

async function isTaken(file: string): Promise<boolean> {
  try {
    await (await open(file, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const lock = await stat(file).catch(() => undefined);
    // one of a time to come was made before the clock was set back
    if (lock !== undefined && Math.abs(Date.now() - lock.mtimeMs) > DEAD) await rm(file, { force: true });
    return false;
  }
}

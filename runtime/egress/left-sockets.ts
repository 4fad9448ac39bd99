/** Removes the folders of sockets that processes have left behind which did not end by themselves, such as those that were killed. */
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'cluster-egress-';
const FOLDER = /^cluster-egress-(\d+)-\w+$/;
/** Milliseconds for which a folder is left alone: its owner may be about to listen. */
const FRESH = 60_000;

/** What the folder of a socket of this process begins with. It says whose it is. */
export const socketFolder = (): string => join(tmpdir(), `${PREFIX}${process.pid}-`);

/** @param now milliseconds since 1970. @returns the folders that are gone now */
export async function removeLeftSockets(now: number): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const folder of foldersOfOthers(now))
    if (await isDead(join(folder, 'socket'))) {
      rmSync(folder, { recursive: true, force: true });
      removed.push(folder);
    }
  return removed;
}

/** Those of this user whose process does not live, as far as this process sees others: in another container it may. */
function foldersOfOthers(now: number): readonly string[] {
  const folders: string[] = [];
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(FOLDER.exec(name)?.[1] ?? 0);
    if (pid === 0 || (pid !== process.pid && isRunning(pid))) continue;
    const folder = join(tmpdir(), name);
    const found = lstatSync(folder, { throwIfNoEntry: false });
    // in containers, the process before this one had the same number
    const before = pid === process.pid ? performance.timeOrigin : now - FRESH;
    if (found?.isDirectory() && found.uid === process.getuid?.() && found.mtimeMs < before) folders.push(folder);
  }
  return folders;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** A socket refuses at once where nobody listens, wherever its process would be. */
function isDead(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const told = (dead: boolean): void => {
      connection.destroy();
      resolve(dead);
    };
    connection.once('connect', () => told(false));
    connection.once('error', ({ code }: NodeJS.ErrnoException) => told(code === 'ECONNREFUSED' || code === 'ENOENT'));
  });
}

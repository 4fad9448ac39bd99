/**
 * The folder of checkpoint archives. Archives contain all memory of processes, so only the agent's own user may read them. An archive is there whole or not
 * at all: the runtime writes it into a folder below this one, and it is moved to its place when it is on the disk.
 */
import { constants, type Dirent } from 'node:fs';
import { chmod, link, lstat, mkdir, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

/** Begins the names of folders for archives that are being written. */
const UNFINISHED = '.unfinished-';

export class ArchiveFolder {
  readonly path: string;

  /** @param folder absolute path */
  constructor(folder: string) {
    this.path = folder;
  }

  /** Makes the folder, and removes what a killed agent left in it. @throws Error of the system, or if something else is in its place */
  async prepare(): Promise<void> {
    await this.#make();
    const entries = await readdir(this.path, { withFileTypes: true });
    await Promise.all(entries.filter(isUnfinished).map(({ name }) => rm(path.join(this.path, name), { recursive: true, force: true })));
  }

  /**
   * @param nameFor gives the archive's name for a time
   * @param write writes the archive to an absolute path that does not exist yet
   * @returns path of the archive, which is on the disk, and which only the agent's own user can read
   * @throws what `write` throws, and Error of the system; then nothing is left
   */
  async keep(nameFor: (time: Date, isPrecise: boolean) => string, write: (location: string) => Promise<void>): Promise<string> {
    await this.#make();
    const began = new Date();
    const unfinished = await mkdtemp(path.join(this.path, UNFINISHED));
    try {
      const location = path.join(unfinished, nameFor(began, false));
      await write(location);
      await secure(location);
      return await this.#place(location, (isPrecise) => nameFor(began, isPrecise));
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  }

  async #make(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const found = await lstat(this.path);
    if (!found.isDirectory()) throw new Error(`${this.path} is no folder`);
    if ((found.mode & 0o777) !== 0o700) await chmod(this.path, 0o700);
  }

  /** Gives the archive its name, or a more precise one if another archive has that name. */
  async #place(location: string, name: (isPrecise: boolean) => string): Promise<string> {
    for (const isPrecise of [false, true]) {
      const place = path.join(this.path, name(isPrecise));
      try {
        await link(location, place);
        await syncFolder(this.path);
        return place;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
    throw new Error(`there is an archive ${name(true)} already`);
  }
}

function isUnfinished(entry: Dirent): boolean {
  return entry.isDirectory() && entry.name.startsWith(UNFINISHED);
}

/** Makes the runtime's archive the agent's own file, and waits until it is on the disk. */
async function secure(location: string): Promise<void> {
  const file = await openArchive(location);
  try {
    const { uid, gid, size } = await checkedFile(file, location);
    if (size === 0) throw new Error(`the runtime left an empty archive at ${location}`);
    const [ownUid, ownGid] = [process.getuid?.() ?? uid, process.getgid?.() ?? gid];
    if (uid !== ownUid || gid !== ownGid) await file.chown(ownUid, ownGid);
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function openArchive(location: string): Promise<Awaited<ReturnType<typeof open>>> {
  try {
    // a link could lead the agent to any file, and a pipe would block it
    return await open(location, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Error(`the runtime left no archive at ${location}`);
    throw error;
  }
}

async function checkedFile(file: Awaited<ReturnType<typeof open>>, location: string): Promise<{ uid: number; gid: number; size: number }> {
  const found = await file.stat();
  if (!found.isFile()) throw new Error(`what the runtime left at ${location} is no file`);
  return found;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

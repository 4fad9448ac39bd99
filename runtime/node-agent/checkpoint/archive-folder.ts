/**
 * The folder of checkpoint archives. They hold all memory of processes, so that nobody but the agent's own user may read them, and an archive is there whole or
 * not at all: the runtime writes it in a folder of its own below this one, and it comes to its place when it is on the disk.
 */
import { constants, type Dirent } from 'node:fs';
import { chmod, link, lstat, mkdir, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

/** Folders of archives that are being written. */
const UNFINISHED = '.unfinished-';

export class ArchiveFolder {
  readonly path: string;

  /** @param folder absolute path */
  constructor(folder: string) {
    this.path = folder;
  }

  /** Makes the folder, and clears what an agent left that was ended suddenly. @throws Error of the system, or for something else in its place */
  async prepare(): Promise<void> {
    await this.#make();
    const entries = await readdir(this.path, { withFileTypes: true });
    await Promise.all(entries.filter(isUnfinished).map(({ name }) => rm(path.join(this.path, name), { recursive: true, force: true })));
  }

  /**
   * @param nameFor a time: the archive's name
   * @param write writes the archive to an absolute path at which nothing is
   * @returns path of the archive, which is on the disk and readable for the agent's own user alone
   * @throws what `write` throws, and Error of the system; nothing is left then
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

  /** Gives the archive its name, and a more precise one where another archive has that. */
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

/** Takes the archive of the runtime into the agent's hand, and waits until it is on the disk. */
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
    // a link would lead the agent to a file of somebody else's choice, and a pipe would hold it
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

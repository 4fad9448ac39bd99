import { createReadStream, createWriteStream, type Stats } from 'node:fs';
import { chmod, chown, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Replaces a file by a compressed one atomically, which is for the same users. Several processes may try it at the same time. @throws Error of the system */
export async function compressFile(file: string, compressed: string): Promise<void> {
  const unfinished = `${compressed}.${process.pid}`;
  try {
    const found = await stat(file);
    await pipeline(createReadStream(file), createGzip(), createWriteStream(unfinished, { mode: 0o600, flags: 'w' }));
    await giveTo(unfinished, found);
    await rename(unfinished, compressed);
    await rm(file, { force: true });
  } catch (error) {
    await rm(unfinished, { force: true });
    // another process has compressed it already
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && (await stat(compressed).catch(() => undefined)) !== undefined) return;
    throw error;
  }
}

/** Lets those use a file who may use another one. @throws Error of the system */
export async function giveTo(file: string, { mode, uid, gid }: Stats): Promise<void> {
  const own = await stat(file);
  if (own.uid !== uid || own.gid !== gid) await chown(file, uid, gid);
  if (own.mode !== mode) await chmod(file, mode & 0o777);
}

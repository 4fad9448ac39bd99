import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Replaces a file by a compressed one atomically. Several processes may try it at the same time. @throws Error of the system */
export async function compressFile(file: string, compressed: string, mode: number): Promise<void> {
  const unfinished = `${compressed}.${process.pid}`;
  try {
    await pipeline(createReadStream(file), createGzip(), createWriteStream(unfinished, { mode, flags: 'w' }));
    await rename(unfinished, compressed);
    await rm(file, { force: true });
  } catch (error) {
    await rm(unfinished, { force: true });
    // another process has compressed it already
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && (await stat(compressed).catch(() => undefined)) !== undefined) return;
    throw error;
  }
}

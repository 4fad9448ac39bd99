import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Replaces a file by a compressed one, which is there as a whole or not at all. Of processes that do so at once one does it. @throws Error of the system */
export async function compressFile(file: string, compressed: string, mode: number): Promise<void> {
  const unfinished = `${compressed}.${process.pid}`;
  try {
    await pipeline(createReadStream(file), createGzip(), createWriteStream(unfinished, { mode, flags: 'w' }));
    await rename(unfinished, compressed);
    await rm(file, { force: true });
  } catch (error) {
    await rm(unfinished, { force: true });
    // another process has done it
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && (await stat(compressed).catch(() => undefined)) !== undefined) return;
    throw error;
  }
}

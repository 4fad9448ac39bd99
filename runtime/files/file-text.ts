/** Contents of files that people or programs write for this one. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { FileError } from './file-error.ts';
import { systemReason } from './system-reason.ts';

/** Bytes; as much as a request may bring. */
export const MAX_FILE_BYTES = 3 * 1024 * 1024;

/** @throws FileError for what is no regular file, cannot be read, is larger than `MAX_FILE_BYTES`, or is no UTF-8 */
export async function readFileText(file: string): Promise<string> {
  const bytes = await readBytes(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FileError(file, ['the file is not UTF-8']);
  }
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    // Without O_NONBLOCK the opening of a pipe waits for whoever writes to it.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = await handle.stat();
    if (!status.isFile()) throw new FileError(file, ['it is not a regular file']);
    const buffer = Buffer.allocUnsafe(Math.min(status.size, MAX_FILE_BYTES) + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (bytesRead === 0) return buffer.subarray(0, length);
      if (length === buffer.length) throw new FileError(file, [`the file is larger than ${Math.min(status.size, MAX_FILE_BYTES)} bytes`]);
    }
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw new FileError(file, [systemReason(error)]);
  }
}

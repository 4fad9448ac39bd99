/** Reads files with credentials and authorities. Only regular files are read: opening a pipe would block until somebody writes, and a device never ends. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** The most bytes of a file, enough for a large bundle of authorities. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Opens pipes without waiting for a writer, which would block this thread. */
const NOT_WAITING = constants.O_NONBLOCK ?? 0;

/** @throws Error of the system, or one that names the file and says that it is not a regular one or too large */
export function readCredentialFile(file: string): string {
  const descriptor = opened(file);
  try {
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** @throws Error as `readCredentialFile` if the file cannot be opened */
export function assertCredentialFile(file: string): void {
  closeSync(opened(file));
}

function opened(file: string): number {
  const descriptor = openSync(file, constants.O_RDONLY | NOT_WAITING);
  const status = fstatSync(descriptor);
  // for a folder, the system's own error says what it is
  const isRead = status.isDirectory() || (status.isFile() && status.size <= MOST_BYTES);
  if (isRead) return descriptor;
  closeSync(descriptor);
  const found = status.isFile()
    ? `it has ${status.size} bytes, where ${MOST_BYTES} are the most that it may have`
    : 'it is not a regular file';
  throw new Error(`read ${file}: ${found}`);
}

/** Files with credentials and authorities. They are to be regular ones: opening a pipe would wait for whoever writes to it, and a device has no end. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** Bytes: authorities of many. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Without it the opening of a pipe waits, and with it this thread. */
const NOT_WAITING = constants.O_NONBLOCK ?? 0;

/** @throws Error of the system, or that names the file and says what it is instead */
export function readCredentialFile(file: string): string {
  const descriptor = opened(file);
  try {
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** @throws as `readCredentialFile`, where it cannot be opened */
export function assertCredentialFile(file: string): void {
  closeSync(opened(file));
}

function opened(file: string): number {
  const descriptor = openSync(file, constants.O_RDONLY | NOT_WAITING);
  const status = fstatSync(descriptor);
  // of folders the system says itself what they are
  const isRead = status.isDirectory() || (status.isFile() && status.size <= MOST_BYTES);
  if (isRead) return descriptor;
  closeSync(descriptor);
  const found = status.isFile()
    ? `it has ${status.size} bytes, where ${MOST_BYTES} are the most that it may have`
    : 'it is not a regular file';
  throw new Error(`read ${file}: ${found}`);
}

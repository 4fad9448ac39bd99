/** Reads files that are to be regular ones: what stands in their place is told, and never waited for. */
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { systemReason } from './system-reason.ts';

/** The flag without which opening a pipe would wait, and this thread with it, until somebody writes to the pipe. */
export const NOT_WAITING = constants.O_NONBLOCK ?? 0;

/**
 * Reads a regular file.
 * @param most the most bytes that it may have: a device, or a wrong file, may have no end
 * @throws Error of the system, or one that tells what it is instead of a regular file
 */
export function readRegularFile(file: string, most: number): string {
  const descriptor = openSync(file, constants.O_RDONLY | NOT_WAITING);
  try {
    const status = fstatSync(descriptor);
    if (status.isDirectory()) throw new Error('it is a folder');
    if (!status.isFile()) throw new Error('it is not a regular file');
    if (status.size > most) throw new Error(`it has ${status.size} bytes, where ${most} are the most that it may have`);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** Whether there is something: what may not be looked at is not taken for missing. @throws Error that names the file */
export function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw new Error(`${file} cannot be read: ${systemReason(error)}`, { cause: error });
  }
}

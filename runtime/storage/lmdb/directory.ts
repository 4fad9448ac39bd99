import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Creates a directory with mode 0700, and what leads there with the usual mode, so that they are there after a power failure. */
export function createDirectory(path: string): void {
  const absolute = resolve(path);
  if (existsSync(absolute)) return;
  const parent = dirname(absolute);
  createParents(parent);
  mkdirSync(absolute, { mode: 0o700, recursive: true });
  syncDirectory(parent);
}

function createParents(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  createParents(parent);
  mkdirSync(path, { recursive: true });
  syncDirectory(parent);
}

/** Makes the names in a directory durable. */
export function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Reads the files that `-f` means, as kubectl finds them: files, the manifests of a folder, standard input. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { ManifestError } from './manifest-error.ts';

/** A file that was asked for, or that a folder has which was asked for. */
export interface ManifestFile {
  /** What messages call the file: its path, or `standard input`. */
  readonly name: string;
  /** Undefined for standard input. */
  readonly path: string | undefined;
  /** Path from the folder that was asked for; if the file itself was asked for, its name. */
  readonly relative: string;
  readonly text: string;
}

/** Greatest number of bytes in one file, about ten times what a request may bring. */
export const MAX_BYTES = 32 * 1024 * 1024;
export const MAX_FILES = 20_000;
/** Greatest number of bytes in all files together. */
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
/** Greatest number of folders within each other. */
const MAX_DEPTH = 64;
const MANIFEST = /\.(?:ya?ml|json)$/;
export const STDIN = 'standard input';
const STDIN_DESCRIPTOR = 0;

/**
 * @param places paths, and `-` for standard input
 * @param recursive whether to read folders within folders as well; links to folders are not followed
 * @throws ManifestError for a place that cannot be read, and beyond the limits
 */
export function* readManifestFiles(places: readonly string[], recursive: boolean): Generator<ManifestFile> {
  const reader = new Reader();
  for (const place of places)
    if (place === '-') yield { name: STDIN, path: undefined, relative: STDIN, text: reader.read(STDIN, STDIN_DESCRIPTOR) };
    else
      for (const { file, relative } of filesOf(place, recursive)) yield { name: file, path: file, relative, text: reader.readFile(file) };
}

interface FoundFile {
  readonly file: string;
  readonly relative: string;
}

function filesOf(place: string, recursive: boolean): FoundFile[] {
  if (/^https?:\/\//.test(place)) throw new ManifestError(place, undefined, 'addresses are not read; fetch the file first and name it.');
  if (!attempt(place, () => statSync(place)).isDirectory()) return [{ file: place, relative: path.basename(place) }];
  const found: FoundFile[] = [];
  collect(place, '', recursive, 1, found);
  if (found.length === 0) {
    const how = recursive ? '' : '; -R reads the folders within it too';
    throw new ManifestError(place, undefined, `the folder has no .yaml, .yml or .json files${how}.`);
  }
  return found;
}

function collect(folder: string, prefix: string, recursive: boolean, depth: number, found: FoundFile[]): void {
  if (depth > MAX_DEPTH) throw new ManifestError(folder, undefined, `more than ${MAX_DEPTH} folders are within each other.`);
  const entries = attempt(folder, () => readdirSync(folder, { withFileTypes: true }));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const [file, relative] = [path.join(folder, entry.name), path.join(prefix, entry.name)];
    if (entry.isDirectory()) {
      if (recursive) collect(file, relative, recursive, depth + 1, found);
    } else if (MANIFEST.test(entry.name) && (entry.isFile() || isLinkToFile(file))) found.push({ file, relative });
    if (found.length > MAX_FILES)
      throw new ManifestError(folder, undefined, `there are more than ${MAX_FILES} files; convert them folder by folder.`);
  }
}

function isLinkToFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

class Reader {
  #left = MAX_TOTAL_BYTES;

  readFile(file: string): string {
    // Without O_NONBLOCK, opening a pipe blocks until somebody writes to it.
    const descriptor = attempt(file, () => openSync(file, constants.O_RDONLY | constants.O_NONBLOCK));
    try {
      if (!fstatSync(descriptor).isFile()) throw new ManifestError(file, undefined, 'it is neither a file nor a folder.');
      return this.read(file, descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  read(name: string, descriptor: number): string {
    const chunks: Buffer[] = [];
    const chunk = Buffer.allocUnsafe(64 * 1024);
    for (let length = 0; ; ) {
      const count = attempt(name, () => readChunk(descriptor, chunk));
      if (count === 0) break;
      length += count;
      this.#left -= count;
      if (length > MAX_BYTES) throw new ManifestError(name, undefined, `it is larger than ${MAX_BYTES} bytes; split it.`);
      if (this.#left < 0)
        throw new ManifestError(
          name,
          undefined,
          `all files together are larger than ${MAX_TOTAL_BYTES} bytes; convert them folder by folder.`,
        );
      chunks.push(Buffer.from(chunk.subarray(0, count)));
    }
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
    } catch {
      throw new ManifestError(name, undefined, 'it is not UTF-8.');
    }
  }
}

/**
 * Waits as long as standard input has nothing yet.
 * @returns the number of bytes that were read; 0 at the end
 */
function readChunk(descriptor: number, chunk: Buffer): number {
  for (;;)
    try {
      return readSync(descriptor, chunk);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
}

/** @throws ManifestError with the system's message */
function attempt<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ManifestError) throw error;
    throw new ManifestError(name, undefined, (error as Error).message);
  }
}

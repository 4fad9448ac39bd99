import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { compareUtf8 } from '../schema/member.ts';
import { FileError } from './file-error.ts';

const EXTENSION = '.conf';

/** Files below a folder, in the order of their names, folders in their place. */
export interface DropInFiles {
  /** those whose names end in `.conf`, in the order in which they are applied */
  readonly files: readonly string[];
  /** the others */
  readonly skipped: readonly string[];
}

/** @throws FileError for a folder that cannot be read */
export async function dropInFiles(folder: string): Promise<DropInFiles> {
  const all = await filesBelow(folder);
  const [files, skipped] = [true, false].map((wanted) => all.filter((file) => file.endsWith(EXTENSION) === wanted));
  return { files: files as string[], skipped: skipped as string[] };
}

async function filesBelow(folder: string): Promise<string[]> {
  try {
    const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => compareUtf8(a.name, b.name));
    const files = await Promise.all(
      entries.map((entry) => (entry.isDirectory() ? filesBelow(path.join(folder, entry.name)) : [path.join(folder, entry.name)])),
    );
    return files.flat();
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw new FileError(folder, [error instanceof Error ? error.message : String(error)]);
  }
}

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { compareUtf8 } from '../schema/json/member.ts';
import { FileError } from './file-error.ts';
import { systemReason } from './system-reason.ts';

const EXTENSION = '.conf';

/** The files in a folder and its subfolders, in the order of their names; those of a subfolder are at the place of its name. */
export interface DropInFiles {
  /** the files whose names end in `.conf`, in the order in which they are applied */
  readonly files: readonly string[];
  /** the other files */
  readonly skipped: readonly string[];
}

/** Lists the files of a folder. @throws FileError if the folder cannot be read */
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
    throw new FileError(folder, [systemReason(error)]);
  }
}

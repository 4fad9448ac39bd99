import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { FileError } from './file-error.ts';

const EXTENSION = '.conf';

/**
 * Paths of the files below a folder whose names end in `.conf`, in the order in which they are applied: by name, folders in their place.
 * @throws FileError for a folder that cannot be read
 */
export async function dropInFiles(folder: string): Promise<string[]> {
  try {
    const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
    const files = await Promise.all(
      entries.map((entry) => {
        const file = path.join(folder, entry.name);
        if (entry.isDirectory()) return dropInFiles(file);
        return entry.name.endsWith(EXTENSION) ? [file] : [];
      }),
    );
    return files.flat();
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw new FileError(folder, [error instanceof Error ? error.message : String(error)]);
  }
}

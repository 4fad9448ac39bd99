/** The folder of all that the server keeps. */
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { systemReason } from '../files/system-reason.ts';

/**
 * Made where it is missing, for its owner alone.
 * @param chosenBy what names the folder, for the text of the error
 * @throws Error that names the folder, the reason and what chooses another, where it cannot be used
 */
export function makeDataDirectory(directory: string, chosenBy = '--data-dir'): void {
  try {
    make(path.resolve(directory));
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(`the data directory ${directory} cannot be used: ${systemReason(error)}; ${chosenBy} chooses another`, {
      cause: error,
    });
  }
}

/** Node's own `recursive` never ends below folders that nothing can be made in, such as /proc. */
function make(directory: string): void {
  if (isFolder(directory)) return;
  make(path.dirname(directory));
  mkdirSync(directory, { mode: 0o700 });
}

/** The root always is one. */
function isFolder(directory: string): boolean {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** What a start tells of the keys that the server keeps for itself: that others can read them, and that one is made in place of one that is gone. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Names of files without their endings, of those that clients have believed, and what their loss means. */
const LASTING: Readonly<Record<string, string>> = {
  ca: 'clients must trust a new authority',
  'client-ca': 'certificates of clients that it has signed are no longer believed',
  'service-account': 'tokens that were issued are no longer believed',
};
const KEY = '.key';
/** The bit of a file's mode that lets every user read the file. */
const OTHERS_READ = 0o004;

/** @param folder of certificates and keys. @returns a sentence for each key that every user of the machine can read */
export function exposedKeys(folder: string): string[] {
  const keys = (namesIn(folder) ?? []).filter((name) => name.endsWith(KEY));
  return keys.flatMap((name) => {
    const file = path.join(folder, name);
    const mode = modeOf(file);
    if ((mode & OTHERS_READ) === 0) return [];
    return [
      `${file} has the mode ${mode.toString(8).padStart(4, '0')}: every user of this machine can read the key, and may have; make it 0600, and where others use the machine remove it with its certificate, so that another is made`,
    ];
  });
}

/**
 * @param folder of certificates and keys, where a server has been before
 * @param isGiven whether flags name what the server takes instead of a file of its own
 * @returns a sentence for each key that is made anew, with what no longer works by that
 */
export function replacedKeys(folder: string, isGiven: (name: string) => boolean): string[] {
  const names = namesIn(folder);
  if (names === undefined) return [];
  // where a key alone is missing, or a certificate alone, nothing is made
  return Object.entries(LASTING)
    .filter(([name]) => !names.some((each) => each.startsWith(`${name}.`)) && !isGiven(name))
    .map(([name, lost]) => `${path.join(folder, name)}${KEY} is missing and is made anew: ${lost}, unless it is brought back from a copy`);
}

/** @returns undefined where the folder cannot be read, which is told by whoever needs a file of it */
function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : undefined;
  }
}

/** 0 for what is no file. */
function modeOf(file: string): number {
  try {
    const status = statSync(file);
    return status.isFile() ? status.mode & 0o777 : 0;
  } catch {
    return 0;
  }
}

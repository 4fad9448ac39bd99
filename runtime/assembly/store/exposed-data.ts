/** What a start tells of a data directory that other users of the machine can read or change. */
import { statSync } from 'node:fs';
import { dataFile, logFile } from '../../storage/lmdb/store-files/store-files.ts';
import { storeFolder } from './store-folder.ts';

/** The bits of a mode that let every user read a file, write to it or to a folder, and reach what is in a folder. */
const Others = { read: 0o004, write: 0o002, reach: 0o001 } as const;

/**
 * @param directory of the data
 * @param certificates the folder of keys and certificates
 * @returns a sentence for each folder, and each file of the store, that gives every user of the machine more than they may have
 */
export function exposedData(directory: string, certificates: string): string[] {
  const store = storeFolder(directory);
  const folders = [directory, store, certificates].filter((folder) => has(folder, Others.write));
  const isReached = has(directory, Others.reach) && has(store, Others.reach);
  const files = isReached ? [dataFile(store), logFile(store)].filter((file) => has(file, Others.read)) : [];
  return [
    ...folders.map((folder) => `${described(folder)}: every user of this machine can replace files of the server in it; make it 0700`),
    ...files.map((file) => `${described(file)}: every user of this machine can read what is stored, secrets among it; make it 0600`),
  ];
}

const described = (path: string): string => `${path} has the mode ${modeOf(path).toString(8).padStart(4, '0')}`;

const has = (path: string, bit: number): boolean => (modeOf(path) & bit) !== 0;

/** 0 for what is not there. */
function modeOf(path: string): number {
  try {
    return statSync(path).mode & 0o777;
  } catch {
    return 0;
  }
}

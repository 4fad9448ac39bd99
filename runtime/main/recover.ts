/** `cluster-apiserver recover`: a new data directory of all that can be read of one whose store is damaged, which stays as it is. */
import { existsSync, mkdirSync } from 'node:fs';
import { basename } from 'node:path';
import { groupVersions } from '../../generated/routes.ts';
import { isLeftFile } from '../assembly/store/left-files.ts';
import { missingStore, storeFolder } from '../assembly/store/store-folder.ts';
import { storedTerms } from '../registry/stored-objects/stored-terms.ts';
import { isOfLock, lockForReading } from '../server/directory-lock.ts';
import { FlagError } from '../server/flags/flag-data.ts';
import type { RevisionRange } from '../storage/lmdb/recovery/damaged-store.ts';
import type { LostVersion } from '../storage/lmdb/recovery/latest-versions.ts';
import { type RecoveredStore, recoverStore } from '../storage/lmdb/recovery/recover-store.ts';
import { hasData } from '../storage/lmdb/store-files/store-files.ts';
import { checkStore } from '../storage/lmdb/verification/store-check.ts';
import { compareKeys } from '../storage/storage.ts';
import { counted, ELSEWHERE, EXIT_CODES, ExitCode, givenOrDefault, HELP_FLAG, Progress, runCommand } from './command-line.ts';
import { copyFiles } from './copied-files.ts';
import { createDataDirectory, isWithin } from './new-data-directory.ts';

/** The new store is not one: nothing is to rely on it. */
function assertRecovered(store: string): void {
  const damaged = (file: string, found: string): never => {
    throw new Error(`what was made is no store: ${file} ${found}`);
  };
  checkStore(store, storedTerms(groupVersions), { damaged, noted: () => {}, progress: () => {} });
}

const command = {
  name: 'recover',
  summary:
    'Makes a new data directory of all that can be read of one whose store is damaged, and that no server has open; that one stays as it is. It says what cannot ' +
    'be read. Objects keep their versions; the new store has no past and begins at a version beyond all that may have been given, so that clients begin their ' +
    `watches anew. Certificates, keys and the client configuration are copied. ${EXIT_CODES}`,
  flags: {
    groups: { general: 'Flags' },
    flags: [
      {
        name: 'data-dir',
        group: 'general',
        type: 'string',
        status: 'effective',
        help: 'The data directory that is damaged, as the server has it; data/ by default.',
      },
      { name: 'to', group: 'general', type: 'string', status: 'effective', help: 'The new data directory, where there is nothing yet.' },
      {
        name: 'dialect',
        group: 'general',
        type: 'string',
        values: ['stored', 'cluster', 'kubernetes'],
        default: 'stored',
        status: 'effective',
        help: 'The dialect that the server had, where the store does not say so any more.',
      },
      HELP_FLAG,
    ],
  },
} as const;

/** @param argv arguments after the command's name */
export function main(argv: readonly string[]): Promise<void> {
  return runCommand(command, argv, ({ 'data-dir': from, to, dialect }) => recover(givenOrDefault(from), to, dialect));
}

/** @returns exit code. @throws FlagError, Error where it cannot be done */
async function recover(from: string, to: string, dialect: string): Promise<number> {
  assertFolders(from, to);
  const unlock = lockForReading(from);
  try {
    if (missingStore(from) === undefined && !hasData(storeFolder(from))) throw new Error(`there is no store in ${from}: ${ELSEWHERE}`);
    const failures: string[] = [];
    const failed = (file: string, found: string): void => void failures.push(`${file} ${found}`);
    const recovered = await recoverTo(from, to, dialect, failed);
    for (const failure of failures) say(failure);
    tell(recovered, to);
    const isWhole = recovered.isLatest && failures.length === 0 && recovered.lost.length === 0 && recovered.missing.length === 0;
    return isWhole ? 0 : ExitCode.damaged;
  } finally {
    unlock();
  }
}

function assertFolders(from: string, to: string): void {
  if (to === '') throw new FlagError('--to is needed: the new data directory, where there is nothing yet');
  if (isWithin(to, from)) throw new FlagError('--to is in the data directory: it is to be another one');
  if (!existsSync(from)) throw new Error(`there is no data directory ${from}; --data-dir names another`);
  if (existsSync(to)) throw new Error(`there is something at ${to}; --to names a folder that is made`);
}

async function recoverTo(
  from: string,
  to: string,
  dialect: string,
  failed: (file: string, found: string) => void,
): Promise<RecoveredStore> {
  const progress = new Progress();
  const listener = {
    damaged: failed,
    noted: () => {},
    progress: (what: string, done: number, total: number) => progress.tell(what, done, total),
  };
  let recovered: RecoveredStore | undefined;
  await createDataDirectory(to, async (part) => {
    copyFiles(from, part, isLeftOut, (file, reason) => failed(file, `is not copied: ${reason}`));
    const store = storeFolder(part);
    mkdirSync(store, { mode: 0o700 });
    recovered = await recoverStore(storeFolder(from), store, dialect === 'stored' ? undefined : dialect, listener);
    assertRecovered(store);
  });
  return recovered as RecoveredStore;
}

/** The store is made anew; the rest is of the process that has the folder. */
const isLeftOut = (name: string): boolean => name === basename(storeFolder('')) || isOfLock(name) || isLeftFile(name);

function tell({ saved, isLatest, lost, missing, revision }: RecoveredStore, to: string): void {
  for (const each of lost.toSorted((a, b) => compareKeys(a.key, b.key))) say(shownLoss(each));
  if (!isLatest) say('what was written last cannot be read: any key that is saved may have been changed or deleted since');
  if (missing.length > 0)
    say(`there are no records of ${counted(missing.length, 'stretch', 'stretches')} of revisions: ${missing.map(shownRange).join(', ')}`);
  say(`${counted(saved, 'key')} saved to ${to}; it begins at revision ${revision}, so that watches from before begin anew`);
}

function shownLoss({ key, revision, instead }: LostVersion): string {
  if (revision === undefined) return `key ${key} is saved as of revision ${instead}; it may have been changed or deleted since`;
  const which = `key ${key} cannot be read at revision ${revision}, its latest`;
  return instead === undefined ? `${which}, and is lost` : `${which}, and is saved as of revision ${instead}`;
}

const shownRange = ({ first, last }: RevisionRange): string => (first === last ? String(first) : `${first} to ${last}`);

const say = (line: string): void => void process.stdout.write(`${line}\n`);

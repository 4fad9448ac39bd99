/** `cluster-apiserver check`: whether the store of a data directory is what a server left. Changes nothing. */
import { existsSync } from 'node:fs';
import { groupVersions } from '../../generated/routes.ts';
import { missingStore, storeFolder } from '../assembly/store/store-folder.ts';
import { storedTerms } from '../registry/stored-objects/stored-terms.ts';
import { lockForReading } from '../server/directory-lock.ts';
import { dataFile, hasData } from '../storage/lmdb/store-files/store-files.ts';
import { type CheckedStore, checkStore } from '../storage/lmdb/verification/store-check.ts';
import { counted, ELSEWHERE, EXIT_CODES, ExitCode, givenOrDefault, HELP_FLAG, PROGRAM, Progress, runCommand } from './command-line.ts';

const command = {
  name: 'check',
  summary:
    'Looks through the store of a data directory that no server has open: the pages of its data, its keys, history, indexes and counts against each other, ' +
    `the checksum of each record, and its write-ahead log. It changes nothing. ${EXIT_CODES}`,
  flags: {
    groups: { general: 'Flags' },
    flags: [
      {
        name: 'data-dir',
        group: 'general',
        type: 'string',
        status: 'effective',
        help: 'The data directory, as the server has it; data/ by default.',
      },
      HELP_FLAG,
    ],
  },
} as const;

/** @param argv arguments after the command's name */
export function main(argv: readonly string[]): Promise<void> {
  return runCommand(command, argv, async (values) => check(givenOrDefault(values['data-dir'])));
}

/** @returns exit code. @throws Error where there is no store, or it cannot be read */
function check(directory: string): number {
  if (!existsSync(directory)) throw new Error(`there is no data directory ${directory}; --data-dir names another`);
  const unlock = lockForReading(directory);
  try {
    return checkLocked(directory);
  } finally {
    unlock();
  }
}

function checkLocked(directory: string): number {
  const store = storeFolder(directory);
  const missing = missingStore(directory);
  if (missing === undefined && !hasData(store)) throw new Error(`there is no store in ${directory}: ${ELSEWHERE}`);
  const progress = new Progress();
  let damages = 0;
  const damaged = (file: string, found: string): void => {
    damages++;
    say(`${file} ${found}`);
  };
  if (missing !== undefined) damaged(dataFile(store), missing);
  const checked =
    missing === undefined
      ? checkStore(store, storedTerms(groupVersions), {
          damaged,
          noted: (file, found) => say(`${file} ${found}`),
          progress: (what, done, total) => progress.tell(what, done, total),
        })
      : undefined;
  if (checked !== undefined) say(summaryOf(checked));
  if (damages === 0) {
    say('nothing is damaged');
    return 0;
  }
  say(`${counted(damages, 'damage was', 'damages were')} found; nothing was changed. ${ADVICE}`);
  return ExitCode.damaged;
}

const ADVICE = `A backup that is put back has all of what it was made of; ${PROGRAM} recover saves what can be read`;

function summaryOf({ revision, compacted, rows }: CheckedStore): string {
  const { keys = 0, log = 0 } = rows;
  return `looked at ${counted(keys, 'key')} and ${counted(log, 'record')}; the newest revision is ${revision}, the oldest that can be read ${compacted}`;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

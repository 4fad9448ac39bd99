/** `cluster-apiserver snapshot save|status|restore`: all that a server stores in one file, taken while it serves, and back. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { identity as identityData } from '../../generated/identity.ts';
import { groupVersions } from '../../generated/routes.ts';
import { isLeftFile } from '../assembly/store/left-files.ts';
import { ADMINISTRATORS_CONFIGURATION, storeFolder } from '../assembly/store/store-folder.ts';
import { findConnection } from '../client/configuration/connection.ts';
import { readChunks } from '../client/transport/read-body.ts';
import { Transport } from '../client/transport/transport.ts';
import { createIdentity } from '../contract/identity.ts';
import { SNAPSHOT_PATH } from '../endpoints/request/snapshot-path.ts';
import { systemReason } from '../files/system-reason.ts';
import { storedTerms } from '../registry/stored-objects/stored-terms.ts';
import { isOfLock } from '../server/directory-lock.ts';
import { FlagError } from '../server/flags/flag-data.ts';
import { UnwritableFile } from '../storage/lmdb/files/regular-file.ts';
import { recoverStore } from '../storage/lmdb/recovery/recover-store.ts';
import { dataFile } from '../storage/lmdb/store-files/store-files.ts';
import { checkStore } from '../storage/lmdb/verification/store-check.ts';
import { extractSnapshot, readSnapshot, SnapshotCheck, type SnapshotHeader, writeTo } from '../storage/snapshot/snapshot-file.ts';
import { counted, givenOrDefault, HELP_FLAG, PROGRAM, Progress, runCommand } from './command-line.ts';
import { copyFiles } from './copied-files.ts';
import { createDataDirectory, createFile, isWithin } from './new-data-directory.ts';

const SAVE = {
  name: 'snapshot save',
  operands: 'FILE',
  summary:
    'Saves all that a server stores, its history included, in a file, while the server goes on. The file is there once it is whole, and readable for its owner ' +
    'alone: it has all secrets. Certificates and keys of the server are not in it.',
  flags: {
    groups: { general: 'Flags' },
    flags: [
      {
        name: 'kubeconfig',
        group: 'general',
        type: 'string',
        status: 'effective',
        help: `Client configuration of an administrator; data/${ADMINISTRATORS_CONFIGURATION} by default.`,
      },
      HELP_FLAG,
    ],
  },
} as const;

const STATUS = {
  name: 'snapshot status',
  operands: 'FILE',
  summary: 'Says what a snapshot has, once it has found it whole. It ends with code 1 where the file is not whole.',
  flags: { groups: { general: 'Flags' }, flags: [HELP_FLAG] },
} as const;

const RESTORE = {
  name: 'snapshot restore',
  operands: 'FILE',
  summary:
    'Makes a new data directory of a snapshot, once it has found it whole. Objects keep their versions; the new store has no past and begins at a version beyond all ' +
    'that may have been given since the snapshot, so that clients begin their watches anew.',
  flags: {
    groups: { general: 'Flags' },
    flags: [
      { name: 'to', group: 'general', type: 'string', status: 'effective', help: 'The new data directory, where there is nothing yet.' },
      {
        name: 'files-of',
        group: 'general',
        type: 'string',
        status: 'effective',
        help: 'A data directory whose certificates, keys and client configuration are copied; without it the server makes new ones, and tokens of before count no more.',
      },
      {
        name: 'bump-revision',
        group: 'general',
        type: 'integer',
        unit: 'revisions',
        minimum: 0,
        // a ninth of all that there are: what was restored may be restored again
        maximum: 1_000_000_000_000_000,
        default: 1_000_000_000,
        status: 'effective',
        help: 'How many may have been given since the snapshot, at most.',
      },
      HELP_FLAG,
    ],
  },
} as const;

/** @param argv arguments after the command's name */
export async function main([command = '', ...rest]: readonly string[]): Promise<void> {
  if (command === 'save') return runCommand(SAVE, rest, ({ kubeconfig }, operands) => save(fileOf(operands), kubeconfig));
  if (command === 'status') return runCommand(STATUS, rest, (_flags, operands) => status(fileOf(operands)));
  if (command === 'restore')
    return runCommand(RESTORE, rest, (flags, operands) => restore(fileOf(operands), flags.to, flags['files-of'], flags['bump-revision']));
  const needed = 'one of save, status and restore is needed; each has --help';
  if (command === '--help' || command === '-h') return say(`${PROGRAM} snapshot: ${needed}`);
  process.stderr.write(`${PROGRAM} snapshot: ${needed}\n`);
  process.exitCode = 2;
}

/** @throws FlagError */
function fileOf(operands: readonly string[]): string {
  const [file, ...more] = operands;
  if (file === undefined || more.length > 0) throw new FlagError('one FILE is needed');
  return file;
}

async function save(file: string, kubeconfig: string): Promise<number> {
  if (existsSync(file)) throw new Error(`${file} is there already`);
  const configuration = kubeconfig === '' ? join(givenOrDefault(''), ADMINISTRATORS_CONFIGURATION) : kubeconfig;
  const { connection } = await findConnection(createIdentity(identityData, 'cluster'), { file: configuration });
  const transport = new Transport(connection);
  try {
    const header = await createFile(file, (output) => receive(transport, output, file));
    say(`${file} has ${summaryOf(header)}`);
    return 0;
  } finally {
    await transport.close();
  }
}

/** @throws Error with what the server says, DamagedSnapshot where it does not come whole, UnwritableFile */
async function receive(transport: Transport, output: FileHandle, file: string): Promise<SnapshotHeader> {
  const answer = await transport.send({ method: 'GET', path: SNAPSHOT_PATH, isStream: true });
  const chunks = readChunks(answer, `GET ${SNAPSHOT_PATH}`);
  if (answer.statusCode !== 200) throw new Error(await refusal(answer.statusCode, chunks));
  const check = new SnapshotCheck();
  const progress = new Progress();
  for await (const chunk of chunks) {
    check.add(chunk);
    await writeTo(output, file, chunk);
    if (check.header !== undefined) progress.tell('bytes', check.received, check.header.bytes);
  }
  return check.end();
}

/** Characters of what a server says that are shown. */
const SHOWN = 1_000;

async function refusal(status: number, chunks: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) if (text.length < SHOWN) text += chunk.toString();
  return `the server answers with ${status}: ${text.slice(0, SHOWN)}`;
}

async function status(file: string): Promise<number> {
  const progress = new Progress();
  const header = await explained(
    file,
    readSnapshot(
      file,
      () => {},
      (done, total) => progress.tell('bytes', done, total),
    ),
  );
  say(`${file} is whole: it has ${summaryOf(header)}`);
  return 0;
}

/** @throws FlagError, Error where it cannot be done */
async function restore(file: string, to: string, filesOf: string, given: number): Promise<number> {
  if (to === '') throw new FlagError('--to is needed: the new data directory, where there is nothing yet');
  if (filesOf !== '' && isWithin(to, filesOf)) throw new FlagError('--to is in the folder of --files-of: it is to be another one');
  if (existsSync(to)) throw new Error(`there is something at ${to}; --to names a folder that is made`);
  if (filesOf !== '' && !existsSync(filesOf)) throw new Error(`there is no data directory ${filesOf}`);
  const progress = new Progress();
  const tell = (what: string) => (done: number, total: number) => progress.tell(what, done, total);
  await createDataDirectory(to, async (part) => {
    if (filesOf !== '') copyFiles(filesOf, part, isLeftOut, missing);
    const [taken, store] = [join(part, 'snapshot'), storeFolder(part)];
    for (const folder of [taken, store]) mkdirSync(folder, { mode: 0o700 });
    const { dialect } = await explained(file, extractSnapshot(file, dataFile(taken), tell('bytes')));
    const { saved, revision } = await recoverStore(taken, store, dialect, { damaged, progress: progress.tell.bind(progress) }, given);
    rmSync(taken, { recursive: true });
    checkStore(store, storedTerms(groupVersions), { damaged, noted: () => {}, progress: () => {} });
    say(`${counted(saved, 'key')} restored to ${to}; it begins at revision ${revision}, so that watches from before begin anew`);
  });
  return 0;
}

/** The checksum holds, so what is wrong with it was wrong when it was taken. */
function damaged(_file: string, found: string): never {
  throw new Error(`what was restored is no store: its data ${found}`);
}

function missing(file: string, reason: string): never {
  throw new Error(`${file} is not copied: ${reason}`);
}

const isLeftOut = (name: string): boolean => name === basename(storeFolder('')) || isOfLock(name) || isLeftFile(name);

const explained = <T>(file: string, read: Promise<T>): Promise<T> =>
  read.catch((error) =>
    Promise.reject(error instanceof UnwritableFile ? error : new Error(`${file}: ${systemReason(error)}`, { cause: error })),
  );

const summaryOf = ({ dialect, revision, made, bytes }: SnapshotHeader): string =>
  `all up to revision ${revision} of a store of the dialect ${dialect}, taken at ${made}, ${counted(bytes, 'byte')} of data`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Decides from which files a client's configuration is read, and merges them. The rules are those of 1.32. */

import { createReadStream } from 'node:fs';
import { access, copyFile, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { aggregateText } from '../../contract/aggregate-text.ts';
import type { Identity } from '../../contract/identity.ts';
import { type Configuration, ConfigurationError, EMPTY_CONFIGURATION } from './configuration.ts';
import { readConfiguration } from './configuration-object.ts';
import { mergeConfigurations } from './merge.ts';
import { parseConfigurationText } from './parse.ts';
import { resolvePaths } from './paths.ts';
import { systemText } from './system-text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface LoadingRules {
  /** the only file, which must exist; '' or absent: those of `precedence` */
  readonly explicitPath?: string;
  /** files that may be missing; earlier ones take precedence */
  readonly precedence: readonly string[];
  /** former paths of files by their present paths; a file that is missing at the present path is copied from the former one */
  readonly migrations?: Readonly<Record<string, string>>;
  /** true leaves paths in the configuration as they are; absent: they are made relative to the folder of their file */
  readonly keepsPaths?: boolean;
  /** is called with the missing files if none of them exists */
  readonly onMissing?: (files: readonly string[]) => void;
}

/**
 * The default rules: the files of `KUBECONFIG`, or else the file in the home folder of the user.
 * @param identity names of the dialect. @param explicitPath path of the only file, if there is one
 */
export function defaultLoadingRules(
  identity: Pick<Identity, 'text'>,
  explicitPath = '',
  environment: Environment = process.env,
): LoadingRules {
  const name = identity.text('${clientConfigName}');
  const listed = environment[name.toUpperCase()] ?? '';
  const folder = path.join(environment.HOME || os.homedir(), identity.text('${clientConfigFolder}'));
  const home = path.join(folder, 'config');
  return {
    explicitPath,
    precedence: listed === '' ? [home] : [...new Set(listed.split(path.delimiter))],
    migrations: { [home]: path.join(folder, `.${name}`) },
    ...(listed !== '' && { onMissing: (files: readonly string[]) => process.emitWarning(`Config not found: ${files.join(', ')}`) }),
  };
}

/** @returns the files that are read: that one which is named, or else all that may be there */
export function loadingPrecedence({ explicitPath = '', precedence }: LoadingRules): readonly string[] {
  return explicitPath === '' ? precedence : [explicitPath];
}

/**
 * Reads the files and merges them.
 * @throws ConfigurationError that names all files which cannot be read
 */
export async function loadConfiguration(rules: LoadingRules): Promise<Configuration> {
  const { explicitPath = '', migrations = {}, keepsPaths = false, onMissing } = rules;
  for (const [place, former] of Object.entries(migrations)) await migrate(place, former);
  if (explicitPath !== '' && (await isMissing(explicitPath)))
    throw new ConfigurationError(`stat ${explicitPath}: no such file or directory`);
  const loaded: Configuration[] = [];
  const missing: string[] = [];
  const problems: string[] = [];
  for (const file of loadingPrecedence(rules).filter((each) => each !== ''))
    try {
      loaded.push(await loadConfigurationFile(file));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') missing.push(file);
      else problems.push(`error loading config file "${file}": ${systemText(error, file)}`);
    }
  if (missing.length > 0 && loaded.length === 0) onMissing?.(missing);
  if (problems.length > 0) throw new ConfigurationError(aggregateText(problems));
  const merged = mergeConfigurations(loaded);
  return keepsPaths ? merged : resolvePaths(merged);
}

/** Reads one file, without merging and without making paths relative. @throws ConfigurationError; Error of the system */
export async function loadConfigurationFile(file: string): Promise<Configuration> {
  const text = await readText(file);
  return text.trim() === '' ? EMPTY_CONFIGURATION : readConfiguration(await parseConfigurationText(text), file);
}

/** The most bytes of a file. No configuration is that long, but a device has no end. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Reads pipes too, as programs of 1.32 do: shells pass the output of a command that way. */
async function readText(file: string): Promise<string> {
  const bytes = await buffer(createReadStream(file, { end: MOST_BYTES }));
  if (bytes.length > MOST_BYTES) throw new ConfigurationError(`read ${file}: it has more than ${MOST_BYTES} bytes`);
  return bytes.toString();
}

async function isMissing(file: string): Promise<boolean> {
  return stat(file).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}

/** Copies a file from its former path if it is missing. Does nothing if either cannot be looked at. */
async function migrate(place: string, former: string): Promise<void> {
  if (!(await isMissing(place)) || (await access(former).catch(() => false)) === false) return;
  if ((await stat(former)).isDirectory()) throw new ConfigurationError(`cannot migrate ${former} to ${place} because it is a directory`);
  await copyFile(former, place);
}

/** Which files a client's configuration is read from, and what becomes of several. The rules are those of 1.32. */
import { createReadStream } from 'node:fs';
import { access, copyFile, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Identity } from '../../contract/identity.ts';
import { type Configuration, ConfigurationError, EMPTY_CONFIGURATION } from './configuration.ts';
import { readConfiguration } from './configuration-object.ts';
import { mergeConfigurations } from './merge.ts';
import { parseConfigurationText } from './parse.ts';
import { resolvePaths } from './paths.ts';
import { aggregated, systemText } from './system-text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface LoadingRules {
  /** the only file, which must exist; '' or absent: those of `precedence` */
  readonly explicitPath?: string;
  /** files that may be missing, those that count most first */
  readonly precedence: readonly string[];
  /** former places of files, by their places of today: what is missing there is copied */
  readonly migrations?: Readonly<Record<string, string>>;
  /** paths in the configuration stay as they stand there; absent: they are relative to the folder of the file that states them */
  readonly keepsPaths?: boolean;
  /** told of files that are missing where not one is there */
  readonly onMissing?: (files: readonly string[]) => void;
}

/**
 * The rules that clients follow unless they are told otherwise: `KUBECONFIG`, or the file in the folder of the user.
 * @param identity names of the dialect. @param explicitPath of the only file
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

/**
 * Reads the files and merges what they say.
 * @throws ConfigurationError for files that cannot be read; of several all are named
 */
export async function loadConfiguration(rules: LoadingRules): Promise<Configuration> {
  const { explicitPath = '', precedence, migrations = {}, keepsPaths = false, onMissing } = rules;
  for (const [place, former] of Object.entries(migrations)) await migrate(place, former);
  if (explicitPath !== '' && (await isMissing(explicitPath)))
    throw new ConfigurationError(`stat ${explicitPath}: no such file or directory`);
  const loaded: Configuration[] = [];
  const missing: string[] = [];
  const problems: string[] = [];
  for (const file of explicitPath === '' ? precedence.filter((each) => each !== '') : [explicitPath])
    try {
      loaded.push(await loadConfigurationFile(file));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') missing.push(file);
      else problems.push(`error loading config file "${file}": ${systemText(error, file)}`);
    }
  if (missing.length > 0 && loaded.length === 0) onMissing?.(missing);
  if (problems.length > 0) throw new ConfigurationError(aggregated(problems));
  const merged = mergeConfigurations(loaded);
  return keepsPaths ? merged : resolvePaths(merged);
}

/** One file, as it stands there. @throws ConfigurationError; Error of the system */
export async function loadConfigurationFile(file: string): Promise<Configuration> {
  const text = await readText(file);
  return text.trim() === '' ? EMPTY_CONFIGURATION : readConfiguration(await parseConfigurationText(text), file);
}

/** Bytes: far more than any configuration has; a device has no end. */
const MOST_BYTES = 64 * 1024 * 1024;

/** What a command writes to a pipe is a file as well, as to programs of 1.32. */
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

/** What cannot be looked at stays as it is. */
async function migrate(place: string, former: string): Promise<void> {
  if (!(await isMissing(place)) || (await access(former).catch(() => false)) === false) return;
  if ((await stat(former)).isDirectory()) throw new ConfigurationError(`cannot migrate ${former} to ${place} because it is a directory`);
  await copyFile(former, place);
}

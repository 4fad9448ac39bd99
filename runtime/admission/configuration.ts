/** What --admission-control-config-file says to plugins. */
import path from 'node:path';
import { parseDocument } from '../files/file-document.ts';
import { FileError } from '../files/file-error.ts';
import type { FileKinds } from '../files/file-kinds.ts';
import { readFileText } from '../files/file-text.ts';
import { type ConfigurationParts, ORDERED_PLUGINS } from './ordered-plugins.ts';

const WANTED = { group: 'apiserver.config.${groupDomain}', kind: 'AdmissionConfiguration' };

interface PluginEntry {
  readonly name: string;
  readonly path?: string;
  readonly configuration?: unknown;
}

/**
 * @param file an AdmissionConfiguration
 * @returns by the names of plugins, the object that the file, or one that it names, has for each
 * @throws FileError that tells all that is wrong with the file
 */
export async function readAdmissionConfiguration(file: string, parts: ConfigurationParts): Promise<ReadonlyMap<string, unknown>> {
  const kinds = await parts.fileKinds();
  const { object } = await kinds.read(file, WANTED);
  const { plugins = [] } = object as { plugins?: readonly PluginEntry[] };
  const unknown = plugins.filter(({ name }) => !ORDERED_PLUGINS.some((plugin) => plugin.name === name));
  if (unknown.length > 0)
    throw new FileError(
      file,
      unknown.map(({ name }) => `plugins: no admission plugin is named ${JSON.stringify(name)}`),
    );
  return new Map(await Promise.all(plugins.map(async (entry) => [entry.name, await configurationOf(entry, file, kinds, parts)] as const)));
}

async function configurationOf(entry: PluginEntry, file: string, kinds: FileKinds, parts: ConfigurationParts): Promise<unknown> {
  const value = await documentOf(entry, file, kinds);
  const { readConfiguration } = ORDERED_PLUGINS.find(({ name }) => name === entry.name) ?? {};
  return value === undefined || readConfiguration === undefined ? value : readConfiguration(value, file, parts);
}

/** What stands in the file itself counts before a file that it names. @throws FileError */
async function documentOf({ name, path: named = '', configuration }: PluginEntry, file: string, kinds: FileKinds): Promise<unknown> {
  const wanted = ORDERED_PLUGINS.find((plugin) => plugin.name === name)?.configuredBy;
  if (configuration !== undefined && configuration !== null) {
    if (wanted === undefined) return configuration;
    return (await kinds.parse(JSON.stringify(configuration), `${file}: the configuration of ${name}`, wanted)).object;
  }
  if (named === '') return undefined;
  const place = path.resolve(path.dirname(file), named);
  if (wanted !== undefined) return (await kinds.read(place, wanted)).object;
  return parseDocument(await readFileText(place), place).value;
}

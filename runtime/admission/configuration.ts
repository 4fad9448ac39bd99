/** What --admission-control-config-file says to plugins. */
import path from 'node:path';
import { parseDocument } from '../files/file-document.ts';
import type { FileKinds } from '../files/file-kinds.ts';
import { readFileText } from '../files/file-text.ts';
import { type ConfigurationParts, ORDERED_PLUGINS } from './ordered-plugins.ts';

const WANTED = { group: 'apiserver.config.${groupDomain}', kind: 'AdmissionConfiguration' };

interface PluginEntry {
  readonly name: string;
  readonly path?: string;
  readonly configuration?: unknown;
}

/** Plugins of which the whole file may be the configuration, with the member that it then has. */
const ALONE = { ImagePolicyWebhook: 'imagePolicy', PodNodeSelector: 'podNodeSelectorPluginConfig' };

/**
 * @param file an AdmissionConfiguration, or what one of two plugins takes in its place
 * @returns by the names of plugins that run, the object that the file, or one that it names, has for each. As in 1.32, of several for one plugin the first
 * counts, and nothing comes of those for others.
 * @throws FileError that tells all that is wrong with the file
 */
export async function readAdmissionConfiguration(file: string, parts: ConfigurationParts): Promise<ReadonlyMap<string, unknown>> {
  const kinds = await parts.fileKinds();
  const entries = new Map<string, PluginEntry>();
  for (const entry of await entriesOf(file, kinds)) {
    const { name } = entry;
    if (!ORDERED_PLUGINS.some((plugin) => plugin.name === name))
      parts.log.warn({}, `--admission-control-config-file: no admission plugin is named ${JSON.stringify(name)}`);
    else if (entries.has(name))
      parts.log.warn({}, `--admission-control-config-file: of several configurations of ${name} the first counts`);
    else if (parts.runs(name)) entries.set(name, entry);
  }
  return new Map(
    await Promise.all([...entries.values()].map(async (entry) => [entry.name, await configurationOf(entry, file, kinds, parts)] as const)),
  );
}

async function entriesOf(file: string, kinds: FileKinds): Promise<readonly PluginEntry[]> {
  const text = await readFileText(file);
  const { value } = parseDocument(text, file);
  if (value.kind !== WANTED.kind && Object.values(ALONE).some((member) => member in value))
    return Object.keys(ALONE).map((name) => ({ name, configuration: value }));
  return ((await kinds.parse(text, file, WANTED)).object as { plugins?: readonly PluginEntry[] }).plugins ?? [];
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

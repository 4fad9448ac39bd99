/** Configurations of agents as files and flags make them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { featureGates } from '../../generated/feature-gates.ts';
import { identity as identityData } from '../../generated/identity.ts';
import { nodeAgentFlagsData } from '../../generated/node-agent-flags.ts';
import { currentRelease } from '../../generated/releases.ts';
import { createIdentity, type Dialect } from '../../runtime/contract/identity.ts';
import { flagOverrides } from '../../runtime/node-agent/configuration/flag-overrides.ts';
import { type AgentConfiguration, readConfiguration } from '../../runtime/node-agent/configuration/read-configuration.ts';
import { chooseGates } from '../../runtime/registry/resources/feature-gates.ts';
import { parseFlags } from '../../runtime/server/flags/flags.ts';
import { fileKinds } from '../files/reader.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'agent-settings-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
let count = 0;

export interface Settings {
  /** of the main file; absent: there is none */
  readonly main?: object;
  /** texts by the names of files */
  readonly dropIns?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly dialect?: Dialect;
}

export interface SettingsFiles {
  /** undefined where there is no main file */
  readonly file: string | undefined;
  /** undefined where there are no drop-in files */
  readonly folder: string | undefined;
}

const NAMES = {
  kubernetes: { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' },
  cluster: { apiVersion: 'node-agent.config.cluster.io/v1beta1', kind: 'NodeAgentConfiguration' },
} as const;

/** Of a drop-in file. */
export const dropIn = (members: object, dialect: Dialect = 'kubernetes'): string => JSON.stringify({ ...NAMES[dialect], ...members });

export function settingsFiles({ main, dropIns, dialect = 'kubernetes' }: Settings): SettingsFiles {
  const own = path.join(folder, String(count++));
  const file = main && path.join(own, 'main.yaml');
  const dropInFolder = dropIns && path.join(own, 'main.d');
  mkdirSync(dropInFolder ?? own, { recursive: true });
  if (file !== undefined) writeFileSync(file, JSON.stringify({ ...NAMES[dialect], ...main }));
  for (const [name, text] of Object.entries(dropIns ?? {})) writeFileSync(path.join(dropInFolder as string, name), text);
  return { file, folder: dropInFolder };
}

/** @throws FileError, FlagError */
export function read({ flags = [], dialect = 'kubernetes' }: Settings, files: SettingsFiles): Promise<AgentConfiguration> {
  const { values, given } = parseFlags(flags, nodeAgentFlagsData, createIdentity(identityData, dialect));
  const overrides = flagOverrides(nodeAgentFlagsData, values, given);
  const releases = { release: currentRelease, current: currentRelease };
  return readConfiguration(fileKinds(dialect), { ...files, overrides }, (gates) => chooseGates(featureGates, gates, releases));
}

/** @throws FileError, FlagError */
export const settings = (of: Settings): Promise<AgentConfiguration> => read(of, settingsFiles(of));

/**
 * Reads the agent's configuration: one file, then the files of a folder, which change it, and then flags, which take precedence over both
 * (specification: Node agent configuration merging).
 */
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import { FileError } from '../../files/file-error.ts';
import type { FileKinds, Override } from '../../files/file-kinds.ts';
import type { ValueOrigins } from '../../files/value-origins.ts';
import { type ChosenGates, GatesRefused } from '../../registry/resources/feature-gates.ts';
import { readReserved } from '../node/node-resources.ts';
import { type ConfigurationFault, readThresholds } from '../node/thresholds.ts';
import { GATES_FIELD } from './flag-overrides.ts';

export interface ConfigurationPlaces {
  /** path of the file; undefined if there is none, so that the other places change the defaults */
  readonly file?: string | undefined;
  /** path of the folder whose files change the configuration; undefined if there is none */
  readonly folder?: string | undefined;
  /** what the flags set; a later override takes precedence over an earlier one */
  readonly overrides: readonly Override[];
}

export interface AgentConfiguration {
  readonly configuration: NodeAgentConfiguration;
  /** the file or flag that each value comes from */
  readonly origins: ValueOrigins;
  /** whether a feature gate is on, by its name */
  readonly isEnabled: (gate: string) => boolean;
  /** sentences for the log, about values that are deprecated and files that are skipped */
  readonly warnings: readonly string[];
}

const KIND = { group: '${nodeAgent}.config.${groupDomain}', kind: 'NodeAgentConfiguration' };

/**
 * Reads and merges all places, and checks the feature gates, the eviction thresholds and the reserved resources of the result.
 * @param choose decides which gates are on from the texts that the configuration has for them; it throws GatesRefused for gates that are wrong
 * @throws FileError that tells all problems, each with its field and the file or flag that it comes from
 */
export async function readConfiguration(
  kinds: FileKinds,
  places: ConfigurationPlaces,
  choose: (gates: ReadonlyMap<string, string>) => ChosenGates,
): Promise<AgentConfiguration> {
  const { object, warnings, origins, skipped } = await kinds.readMerged(places, KIND);
  const configuration = object as unknown as NodeAgentConfiguration;
  const { gates, faults } = chosenGates(configuration, choose);
  refuse([...faults, ...readThresholds(configuration).faults, ...readReserved(configuration).faults], origins);
  return {
    configuration,
    origins,
    isEnabled: gates.isEnabled,
    warnings: [...warnings, ...skipped.map((file) => `${file} is skipped: its name does not end in .conf`), ...gates.warnings],
  };
}

function chosenGates(
  { featureGates = {} }: NodeAgentConfiguration,
  choose: (gates: ReadonlyMap<string, string>) => ChosenGates,
): { gates: ChosenGates; faults: ConfigurationFault[] } {
  try {
    return { gates: choose(new Map(Object.entries(featureGates).map(([gate, on]) => [gate, String(on)]))), faults: [] };
  } catch (error) {
    if (!(error instanceof GatesRefused)) throw error;
    return { gates: choose(new Map()), faults: error.problems.map(({ gate, text }) => ({ path: [GATES_FIELD, gate], problem: text })) };
  }
}

/** @throws FileError if there are faults. The error is about one file or flag if all faults come from it, otherwise about the configuration as a whole. */
export function refuse(faults: readonly ConfigurationFault[], origins: ValueOrigins): void {
  const named = faults.map(({ path, problem }) => ({
    source: origins.of(path) ?? '',
    text: path.length === 0 ? problem : `${fieldText(path)}: ${problem}`,
  }));
  const [first] = named;
  if (first === undefined) return;
  if (first.source !== '' && named.every(({ source }) => source === first.source))
    throw new FileError(
      first.source,
      named.map(({ text }) => text),
    );
  throw new FileError(
    'the configuration',
    named.map(({ source, text }) => (source === '' ? text : `${source}: ${text}`)),
  );
}

/** Writes a path for messages, such as `evictionHard[memory.available]`. */
const fieldText = ([first = '', ...keys]: readonly string[]): string => `${first}${keys.map((key) => `[${key}]`).join('')}`;

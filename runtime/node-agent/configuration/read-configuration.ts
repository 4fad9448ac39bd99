/** The agent's configuration: a file, what the files of a folder change in it, and flags (specification: Node agent configuration merging). */
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import { FileError } from '../../files/file-error.ts';
import type { FileKinds, Override } from '../../files/file-kinds.ts';
import type { ValueOrigins } from '../../files/value-origins.ts';
import { type ChosenGates, GatesRefused } from '../../registry/feature-gates.ts';
import { readReserved } from '../node/node-resources.ts';
import { type ConfigurationFault, readThresholds } from '../node/thresholds.ts';
import { GATES_FIELD } from './flag-overrides.ts';

export interface ConfigurationPlaces {
  /** path of the file; undefined: the defaults */
  readonly file?: string | undefined;
  /** path of the folder */
  readonly folder?: string | undefined;
  readonly overrides: readonly Override[];
}

export interface AgentConfiguration {
  readonly configuration: NodeAgentConfiguration;
  /** of the kind, as files spell it */
  readonly origins: ValueOrigins;
  readonly isEnabled: (gate: string) => boolean;
  /** sentences for the log */
  readonly warnings: readonly string[];
}

const KIND = { group: '${nodeAgent}.config.${groupDomain}', kind: 'NodeAgentConfiguration' };

/**
 * @param choose decides about gates, as the command line has them
 * @throws FileError that tells all that is wrong, each with its file or flag and its field
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

/** @throws FileError, where there are some: of one file where all are in it */
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

/** Keys of maps in brackets. */
const fieldText = ([first = '', ...keys]: readonly string[]): string => `${first}${keys.map((key) => `[${key}]`).join('')}`;

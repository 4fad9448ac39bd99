/** The agent's configuration: a file, what the files of a folder change in it, and flags (specification: Node agent configuration merging). */
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import { FileError } from '../../files/file-error.ts';
import type { FileKinds, Override } from '../../files/file-kinds.ts';
import type { ValueOrigins } from '../../files/value-origins.ts';
import { type ChosenGates, GatesRefused } from '../../registry/feature-gates.ts';
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
  const gates = chosenGates(configuration, origins, choose);
  return {
    configuration,
    origins,
    isEnabled: gates.isEnabled,
    warnings: [...warnings, ...skipped.map((file) => `${file} is skipped: its name does not end in .conf`), ...gates.warnings],
  };
}

/** @throws FileError */
function chosenGates(
  { featureGates = {} }: NodeAgentConfiguration,
  origins: ValueOrigins,
  choose: (gates: ReadonlyMap<string, string>) => ChosenGates,
): ChosenGates {
  try {
    return choose(new Map(Object.entries(featureGates).map(([gate, on]) => [gate, String(on)])));
  } catch (error) {
    if (!(error instanceof GatesRefused)) throw error;
    const faults = error.problems.map(({ gate, text }) => ({
      source: origins.of([GATES_FIELD, gate]) ?? '',
      text: `${GATES_FIELD}: ${text}`,
    }));
    const [first] = faults;
    if (faults.every(({ source }) => source === first?.source))
      throw new FileError(
        first?.source ?? '',
        faults.map(({ text }) => text),
      );
    throw new FileError(
      'the configuration',
      faults.map(({ source, text }) => `${source}: ${text}`),
    );
  }
}

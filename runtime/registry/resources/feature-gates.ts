/** Feature gates: the defaults of the release and what --feature-gates says (specification: Deprecation rules 9 and 10), in the words of 1.32. */
import { aggregateText } from '../../contract/aggregate-text.ts';
import { compareReleases } from '../../contract/lifespan.ts';

export interface FeatureGateStage {
  readonly release: string;
  /** `Removed`: the gate is gone, and what stood behind it is as `default` says */
  readonly stage: 'Alpha' | 'Beta' | 'GA' | 'Deprecated' | 'Removed';
  readonly default: boolean;
  /** it has no effect any more: it can be given its default alone */
  readonly locked?: boolean;
  /** gates without which a server does not start while this one is on */
  readonly requires?: readonly string[];
}

/** Stages by gate, oldest first. */
export type FeatureGateStages = Readonly<Record<string, readonly FeatureGateStage[]>>;

/** Names of releases. */
export interface GateReleases {
  /** the one whose behaviour the server has */
  readonly release: string;
  /** the newest that it can have */
  readonly current: string;
}

export interface ChosenGates {
  /** false for a gate that nobody knows; true for one that comes later and turns on what the release does anyway */
  readonly isEnabled: (gate: string) => boolean;
  /** of all gates that the release has */
  readonly states: readonly GateState[];
  /** for the log: of each gate that is set and goes, that it does */
  readonly warnings: readonly string[];
}

export interface GateState {
  readonly name: string;
  readonly stage: Exclude<FeatureGateStage['stage'], 'Removed'>;
  readonly enabled: boolean;
}

export interface GateProblem {
  /** as it was given */
  readonly gate: string;
  readonly text: string;
}

/** Gates that cannot be as somebody wants them; the message is that of the flag. */
export class GatesRefused extends Error {
  readonly problems: readonly GateProblem[];

  constructor(problems: readonly GateProblem[]) {
    super(`--feature-gates: ${aggregateText(problems.map(({ text }) => text))}`);
    this.problems = problems;
  }
}

/** They stand for all gates of a stage. */
const STAGES: ReadonlyMap<string, FeatureGateStage['stage']> = new Map([
  ['AllAlpha', 'Alpha'],
  ['AllBeta', 'Beta'],
]);
/** What kube-apiserver calls itself where several programs share its flag. */
const COMPONENT = 'kube';
const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/**
 * @param config gate names, which may follow `kube:`, with a truth value
 * @throws GatesRefused for unknown gates, values that are no truth values, and gates that cannot be turned; it names all that it can
 */
export function chooseGates(gates: FeatureGateStages, config: ReadonlyMap<string, string>, releases: GateReleases): ChosenGates {
  const wanted = new Map([...config].map(([key, value]) => [gateOf(key), value]));
  const known = gatesOf(gates, releases.release);
  const present = presentGates(gates, releases.release);
  const enabled = new Map([...known].map(([name, stage]) => [name, stage.default]));
  for (const [group, all] of STAGES) {
    const value = wanted.get(group);
    if (value === undefined) continue;
    for (const [name, { stage }] of present) if (stage === all) enabled.set(name, truth(group, value));
  }
  const problems: GateProblem[] = [];
  const warnings: string[] = [];
  for (const [name, text] of wanted) {
    if (STAGES.has(name)) continue;
    const value = truth(name, text);
    const problem = refusal(name, value, known.get(name), gates[name]?.[0]?.release, releases);
    if (problem !== undefined) problems.push({ gate: name, text: problem });
    else warnings.push(...warningOf(name, value, present.get(name)));
    enabled.set(name, value);
  }
  if (problems.length > 0) throw new GatesRefused(problems);
  const states = Array.from(present, ([name, { stage }]) => ({ name, stage, enabled: enabled.get(name) === true }));
  return { isEnabled: (gate) => enabled.get(gate) ?? hasOlderBehaviour(gates[gate]?.[0], releases.release), states, warnings };
}

/** A gate whose first stage is Deprecated turns an older behaviour on again. Releases before that stage have the behaviour, and no gate for it. */
function hasOlderBehaviour(first: FeatureGateStage | undefined, release: string): boolean {
  return first?.stage === 'Deprecated' && compareReleases(release, first.release) < 0;
}

/** @throws Error for a gate that is on while one that it requires is off, in the words of 1.32 */
export function requireGates(gates: FeatureGateStages, { isEnabled }: ChosenGates, release: string): void {
  for (const [name, { requires = [] }] of gatesOf(gates, release))
    for (const required of requires)
      if (isEnabled(name) && !isEnabled(required)) throw new Error(`${name} feature requires ${required} feature to be enabled`);
}

/**
 * What the help says of each gate of a release, in alphabetical order. 1.32 leaves out those that go; people are to know which of these still do something.
 * @returns such as `kube:APIServerTracing=true|false (BETA - default=true)`
 */
export function describeGates(gates: FeatureGateStages, release: string): string[] {
  const shown = (name: string, { stage, default: on, locked }: FeatureGateStage): string =>
    `${COMPONENT}:${name}=true|false (${stage.toUpperCase()} - default=${on}${locked ? ', non-operational' : ''})`;
  const groups = [...STAGES].map(([name, stage]) => shown(name, { release, stage, default: false }));
  return [...groups, ...[...presentGates(gates, release)].map(([name, stage]) => shown(name, stage))].sort();
}

type PresentStage = FeatureGateStage & { readonly stage: GateState['stage'] };

/** Those that the release has or had, in their stage of then. */
function gatesOf(gates: FeatureGateStages, release: string): Map<string, FeatureGateStage> {
  const known = new Map<string, FeatureGateStage>();
  for (const [name, stages] of Object.entries(gates)) {
    const stage = stages.findLast((each) => compareReleases(each.release, release) <= 0);
    if (stage !== undefined) known.set(name, stage);
  }
  return known;
}

/** Those that the release has. */
function presentGates(gates: FeatureGateStages, release: string): Map<string, PresentStage> {
  const isPresent = (entry: [string, FeatureGateStage]): entry is [string, PresentStage] => entry[1].stage !== 'Removed';
  return new Map([...gatesOf(gates, release)].filter(isPresent));
}

/** @returns why the gate cannot have the value */
function refusal(
  name: string,
  value: boolean,
  stage: FeatureGateStage | undefined,
  since: string | undefined,
  { release, current }: GateReleases,
): string | undefined {
  if (stage?.stage === 'Removed') return `unrecognized feature gate: ${name}`;
  if (stage === undefined) {
    if (since === undefined || compareReleases(since, current) > 0) return `unrecognized feature gate: ${name}`;
    return `cannot set feature gate ${name} to ${value}, feature is PreAlpha at emulated version ${release}`;
  }
  if (stage.locked === true && value !== stage.default)
    return `cannot set feature gate ${name} to ${value}, feature is locked to ${stage.default}`;
  return undefined;
}

function warningOf(name: string, value: boolean, stage: FeatureGateStage | undefined): string[] {
  if (stage?.stage !== 'GA' && stage?.stage !== 'Deprecated') return [];
  const which = stage.stage === 'GA' ? 'GA' : 'deprecated';
  const effect = stage.locked === true ? ' It is non-operational.' : '';
  return [`Setting ${which} feature gate ${name}=${value}. It will be removed in a future release.${effect}`];
}

function gateOf(key: string): string {
  const colon = key.indexOf(':');
  if (colon === -1) return key;
  const component = key.slice(0, colon).trim();
  if (component !== COMPONENT) throw refused(key, `component not registered: ${component}`);
  return key.slice(colon + 1).trim();
}

function truth(name: string, value: string): boolean {
  if (TRUE.has(value)) return true;
  if (FALSE.has(value)) return false;
  throw refused(name, value === '' ? `missing bool value for ${name}` : `invalid value of ${name}=${value}: true or false is expected`);
}

const refused = (gate: string, text: string): GatesRefused => new GatesRefused([{ gate, text }]);

/**
 * Command-line flags, parsed as kube-apiserver does: `--name=value`, `--name value`, `--name` for a boolean, `-v2`, underscores for
 * hyphens, lists and maps with commas or by repetition. Which flags there are is data (`schemas/flags.yaml`), handed in by the entry point.
 */
import type { Identity } from '../../contract/identity.ts';
import { type FlagData, FlagError, type FlagsData, type FlagType, type FlagValue } from './flag-data.ts';
import { parseFlagValue } from './flag-values.ts';

/** Durations are milliseconds, `strings` and `lines` lists, a map's key without a value has ''. */
type ValueOf<T extends FlagType> = T extends 'boolean'
  ? boolean
  : T extends 'integer' | 'number' | 'duration' | 'bytes'
    ? number
    : T extends 'strings' | 'lines'
      ? readonly string[]
      : T extends 'map'
        ? Readonly<Record<string, string>>
        : string;

/** The values of all flags by their names. */
export type FlagValues<D extends FlagsData> = {
  readonly [F in D['flags'][number] as F['name']]: F extends { readonly values: readonly (infer V)[] } ? V : ValueOf<F['type']>;
};

export interface ParsedFlags<D extends FlagsData> {
  /** every flag of the data */
  readonly values: FlagValues<D>;
  /** names that stood on the command line, with those of the flags that they set */
  readonly given: ReadonlySet<string>;
  /** arguments that are no flags, in their order */
  readonly operands: readonly string[];
  /** for the log: flags that were given and have no effect */
  readonly warnings: readonly string[];
  /** for the log: flags that were given and go, in the words of kube-apiserver (specification: Deprecation rule 6) */
  readonly deprecations: readonly string[];
  /** flags that were given and have feature gates, with these */
  readonly gated: readonly GatedFlag[];
}

export type GatedFlag = Required<Pick<FlagData, 'name' | 'featureGate'>>;

/** @throws Error for a flag whose feature gate is off, in the words that 1.32 has for flags of peers, and with what turns it on */
export function requireGatesOfFlags(gated: readonly GatedFlag[], featureEnabled: (gate: string) => boolean): void {
  for (const { name, featureGate } of gated)
    if (!featureEnabled(featureGate))
      throw new Error(`--${name} requires ${featureGate} feature to be turned on: --feature-gates=${featureGate}=true`);
}

/**
 * @param argv arguments after the program's name
 * @param identity resolves placeholders in defaults
 * @param takesOperands whether there may be arguments that are no flags, such as names of files
 * @throws FlagError
 */
export function parseFlags<const D extends FlagsData>(
  argv: readonly string[],
  data: D,
  identity: Identity,
  takesOperands = false,
): ParsedFlags<D> {
  const { texts, operands, given } = collectTexts(argv, data);
  const unexpected = takesOperands ? undefined : operands.find((operand) => operand !== '');
  if (unexpected !== undefined) throw new FlagError(`unexpected argument ${JSON.stringify(unexpected)}: only flags are taken`);
  const values: Record<string, FlagValue> = {};
  for (const flag of data.flags) values[flag.name] = parseFlagValue(flag, texts.get(flag.name) ?? defaultTexts(flag).map(identity.text));
  const flags = data.flags.filter(({ name }) => given.has(name));
  return {
    values: values as FlagValues<D>,
    given,
    operands,
    warnings: flags.flatMap(({ name, status, needs, deprecated }) => {
      if (status === 'accepted') return [`--${name} has no effect${deprecated ? '' : ' yet'}`];
      return needs === undefined || given.has(needs) ? [] : [`--${name} has no effect without --${needs}`];
    }),
    deprecations: flags.flatMap(({ name, deprecated }) =>
      deprecated === undefined ? [] : [`Flag --${name} has been deprecated, ${deprecated.warning ?? 'it will be removed'}`],
    ),
    gated: flags.flatMap(({ name, featureGate }) => (featureGate === undefined || isEmpty(values[name]) ? [] : [{ name, featureGate }])),
  };
}

/** Whether a value is that of a flag that nobody gives: flags with feature gates have no other default. */
const isEmpty = (value: unknown): boolean => (typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : !value);

function defaultTexts(flag: FlagData): string[] {
  if (flag.default === undefined) return [];
  return Array.isArray(flag.default) ? [flag.default.join(',')] : [String(flag.default)];
}

interface Collected {
  /** what was given for each flag, in order, also by its other names */
  readonly texts: ReadonlyMap<string, readonly string[]>;
  readonly operands: string[];
  readonly given: ReadonlySet<string>;
}

function collectTexts(argv: readonly string[], data: FlagsData): Collected {
  const texts = new Map<string, string[]>();
  const operands: string[] = [];
  const given = new Set<string>();
  const rest = argv.values();
  for (const argument of rest) {
    if (argument === '--') {
      operands.push(...rest);
      break;
    }
    if (!argument.startsWith('-') || argument === '-') {
      operands.push(argument);
      continue;
    }
    const { flag, wanting, attached } = argument.startsWith('--') ? longFlag(argument, data) : shortFlag(argument, data);
    let value = attached ?? (flag.type === 'boolean' ? 'true' : undefined);
    if (value === undefined) {
      const next = rest.next();
      if (next.done) throw new FlagError(`flag needs an argument: ${wanting}`);
      value = next.value;
    }
    const { name, sets = name } = flag;
    // a wrong value is told of by the name that it was given with
    if (sets !== name) parseFlagValue(flag, [value]);
    const all = texts.get(sets);
    if (all === undefined) texts.set(sets, [value]);
    else all.push(value);
    given.add(name).add(sets);
  }
  return { texts, operands, given };
}

interface Spelled {
  readonly flag: FlagData;
  /** how an error has the flag when its value is missing */
  readonly wanting: string;
  /** the value in the same argument, behind the name; undefined if there is none */
  readonly attached: string | undefined;
}

function longFlag(argument: string, data: FlagsData): Spelled {
  const equals = argument.indexOf('=');
  const spelling = equals === -1 ? argument : argument.slice(0, equals);
  if (/^--[-=]/.test(spelling) || spelling === '--') throw new FlagError(`bad flag syntax: ${argument}`);
  const name = spelling.slice(2).replaceAll('_', '-');
  const flag = data.flags.find((candidate) => candidate.name === name);
  if (flag === undefined) throw new FlagError(`unknown flag: ${spelling}${suggestion(name, data)}`);
  return { flag, wanting: spelling, attached: equals === -1 ? undefined : argument.slice(equals + 1) };
}

function shortFlag(argument: string, data: FlagsData): Spelled {
  const flag = data.flags.find((candidate) => candidate.short === argument[1]);
  if (flag === undefined) throw new FlagError(`unknown shorthand flag: '${argument[1]}' in ${argument}`);
  const attached = argument.slice(2).replace(/^=/, '');
  return { flag, wanting: `'${argument[1]}' in ${argument}`, attached: attached === '' ? undefined : attached };
}

function suggestion(name: string, data: FlagsData): string {
  const nearest = data.flags
    .map((flag) => ({ name: flag.name, distance: editDistance(name, flag.name) }))
    .reduce((best, candidate) => (candidate.distance < best.distance ? candidate : best));
  return nearest.distance <= Math.max(1, Math.floor(name.length / 4)) ? ` (did you mean --${nearest.name}?)` : '';
}

/** Insertions, deletions, replacements and swaps of neighbours that make `b` of `a`. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let distance = Math.min(replaced, (previous[j] as number) + 1, (current[j - 1] as number) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) distance = Math.min(distance, (before[j - 2] as number) + 1);
      current.push(distance);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] as number;
}

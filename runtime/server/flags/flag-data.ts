/** What a flag is, as stated by `schemas/flags.yaml`. */
export type FlagType = 'boolean' | 'integer' | 'number' | 'string' | 'duration' | 'bytes' | 'strings' | 'lines' | 'map';

export interface FlagData {
  readonly name: string;
  /** a name of one letter; absent if there is none */
  readonly short?: string;
  /** the group of the flag in the help, a name from `FlagsData.groups` */
  readonly group: string;
  readonly type: FlagType;
  /** the only values that are allowed */
  readonly values?: readonly string[];
  /** the default in the form of the command line; absent for an empty text, 0, false, or an empty list or map */
  readonly default?: string | number | boolean | readonly string[];
  /** whether keys of a map may be given without a value, which is empty then; default false */
  readonly bareKeys?: boolean;
  /** what counts of a list that is given more than once, where an empty one is the default; by default all together */
  readonly repeated?: 'last';
  /** whether commas belong to the value of a map's key, of which one is given each time; by default they part keys */
  readonly commas?: 'kept';
  /** the flag of the same type of which this is another name */
  readonly sets?: string;
  /** the flag without which this one has no effect */
  readonly needs?: string;
  /** the feature gate without which a value other than the default is refused */
  readonly featureGate?: string;
  /** the unit of a number, for the help */
  readonly unit?: string;
  /** the smallest value of an integer, a number or a duration, in the form of the command line; absent if there is none */
  readonly minimum?: string | number;
  /** the largest value, likewise */
  readonly maximum?: string | number;
  /** `accepted` if the flag is known, but has no effect */
  readonly status: 'effective' | 'accepted';
  /** set if the flag will be removed: its use causes a warning, and the help does not show it; `warning` tells what to do instead */
  readonly deprecated?: { readonly release: string; readonly warning?: string };
  /** the dotted path of the member of the program's configuration that the flag sets; absent if it sets none */
  readonly field?: string;
  readonly help: string;
}

export interface FlagsData {
  /** titles by name, in the order in which the help shows them */
  readonly groups: Readonly<Record<string, string>>;
  readonly flags: readonly FlagData[];
}

export type FlagValue = boolean | number | string | readonly string[] | Readonly<Record<string, string>>;

/** A command line that cannot be understood; the message is for the person who wrote it. */
export class FlagError extends Error {}

/** @returns undefined for a flag that any value of its type fits */
export function rangeText({ minimum, maximum }: FlagData): string | undefined {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `at least ${minimum}`;
  return maximum === undefined ? undefined : `at most ${maximum}`;
}

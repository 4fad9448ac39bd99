/** What a flag is, as stated by `schemas/flags.yaml`. */
export type FlagType = 'boolean' | 'integer' | 'number' | 'string' | 'duration' | 'bytes' | 'strings' | 'lines' | 'map';

export interface FlagData {
  readonly name: string;
  /** one letter */
  readonly short?: string;
  /** name in `FlagsData.groups` */
  readonly group: string;
  readonly type: FlagType;
  /** the only values that are allowed */
  readonly values?: readonly string[];
  /** as on the command line; absent: "" 0 false, an empty list or map */
  readonly default?: string | number | boolean | readonly string[];
  /** keys of a map may stand without a value, which is '' then */
  readonly bareKeys?: boolean;
  /** what a number counts */
  readonly unit?: string;
  /** smallest and largest value of an integer, a number or a duration, as on the command line */
  readonly minimum?: string | number;
  readonly maximum?: string | number;
  /** `accepted`: known, but nothing acts on it yet */
  readonly status: 'effective' | 'accepted';
  /** it goes: whoever gives it is told so, and the help does not show it; `warning` says what to do instead */
  readonly deprecated?: { readonly release: string; readonly warning?: string };
  /** dotted path of the member of the configuration that it sets, of a program that has one */
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

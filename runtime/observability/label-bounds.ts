/** How many rows a figure may have, whatever its labels are made of. */

type Labels = Readonly<Record<string, string>>;

/** By name of the figure, by label: the values that it may take. */
export type AllowedLabels = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

export interface LabelBounds {
  /** of the figure; absent: all values are allowed */
  readonly allowed: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  /** it is not collected */
  readonly none: boolean;
  /** told of each label whose value is not allowed */
  readonly outside: () => void;
}

/** Rows of one figure. Those of labels that come later are one: kinds can be defined, counted and removed without an end. */
export const MOST_ROWS = 20_000;

/** The value of labels whose own is not shown, as in 1.32. */
const UNEXPECTED = 'unexpected';

const NO_LABELS: Labels = {};

/** @param rows that there are already, that of these labels not among them. @returns the labels under which they count */
export function boundedLabels(labels: Labels, { allowed, none, outside }: LabelBounds, rows: number): Labels {
  if (none) return NO_LABELS;
  if (allowed === undefined && rows < MOST_ROWS) return labels;
  const shown = Object.entries(labels).map(([label, value]): [string, string] => {
    if (rows < MOST_ROWS && allowed?.get(label)?.has(value) !== false) return [label, value];
    outside();
    return [label, UNEXPECTED];
  });
  return Object.fromEntries(shown);
}

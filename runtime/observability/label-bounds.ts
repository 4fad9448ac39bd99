/** How many rows a figure may have, whatever its labels are made of. */

export type Labels = Readonly<Record<string, string>>;

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
function boundedLabels(labels: Labels, { allowed, none, outside }: LabelBounds, rows: number): Labels {
  if (none) return NO_LABELS;
  if (allowed === undefined && rows < MOST_ROWS) return labels;
  const shown = Object.entries(labels).map(([label, value]): [string, string] => {
    if (rows < MOST_ROWS && allowed?.get(label)?.has(value) !== false) return [label, value];
    outside();
    return [label, UNEXPECTED];
  });
  return Object.fromEntries(shown);
}

/** The row of these labels, or of those that stand for them. */
export function boundedRow<Row>(rows: Map<string, Row>, bounds: LabelBounds, labels: Labels, make: (labels: Labels) => Row): Row {
  const known = rows.get(JSON.stringify(labels));
  if (known !== undefined) return known;
  const of = boundedLabels(labels, bounds, rows.size);
  const key = JSON.stringify(of);
  const row = rows.get(key) ?? make(of);
  rows.set(key, row);
  return row;
}

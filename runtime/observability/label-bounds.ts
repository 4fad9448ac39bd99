/** Bounds how many rows a metric may have, whatever its labels contain. */

export type Labels = Readonly<Record<string, string>>;

/** The allowed values by the name of the metric and of the label. */
export type AllowedLabels = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

export interface LabelBounds {
  /** allowed values by label; absent: all values are allowed */
  readonly allowed: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  /** whether the metric is not collected */
  readonly none: boolean;
  /** is called for each label whose value is not allowed */
  readonly outside: () => void;
}

/** The most rows of a metric. Further labels share one row, because clients can define and remove kinds without end. */
export const MOST_ROWS = 20_000;

/** Replaces values that are not allowed, as in 1.32. */
const UNEXPECTED = 'unexpected';

const NO_LABELS: Labels = {};

/** The labels of the row that all share for which there is no other. */
export const unexpectedLabels = (labels: Labels): Labels => Object.fromEntries(Object.keys(labels).map((label) => [label, UNEXPECTED]));

/** @param rows number of rows without the one of these labels. @returns the labels under which to count */
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

/** @returns the row of these labels, or of the labels that replace them */
export function boundedRow<Row>(rows: Map<string, Row>, bounds: LabelBounds, labels: Labels, make: (labels: Labels) => Row): Row {
  const known = rows.get(JSON.stringify(labels));
  if (known !== undefined) return known;
  const of = boundedLabels(labels, bounds, rows.size);
  const key = JSON.stringify(of);
  const row = rows.get(key) ?? make(of);
  rows.set(key, row);
  return row;
}

/** Labels as they are shown: by name, as in 1.32, because some readers compare whole lines. */
export function shownLabels(labels: Labels): [name: string, value: string][] {
  return Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The metrics of a process as plain data, so that those of several processes can be added up. */
import type { MetricData } from '../contract/metric.ts';
import { type Labels, unexpectedLabels } from './label-bounds.ts';

export interface Figure {
  readonly labels: Labels;
  readonly value: number;
}

export interface HistogramFigure {
  readonly labels: Labels;
  /** how many values fell into each bucket, not cumulative; one more number than there are bounds */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Figures by name, including those of hidden metrics. */
export interface Figures {
  /** the values of counters and gauges */
  readonly values: Readonly<Record<string, readonly Figure[]>>;
  readonly histograms: Readonly<Record<string, readonly HistogramFigure[]>>;
}

export const NO_FIGURES: Figures = { values: {}, histograms: {} };

/** Selects the counters and histograms, whose counts must survive the end of their process. Gauges end with it. */
export function lasting({ values, histograms }: Figures, table: Readonly<Record<string, MetricData>>): Figures {
  return { values: Object.fromEntries(Object.entries(values).filter(([name]) => table[name]?.type === 'counter')), histograms };
}

export const isLabelled = ({ labels }: { readonly labels: Labels }): boolean => Object.keys(labels).length > 0;

/** @returns the figures that `Metrics.reset` leaves: those without labels */
export function afterReset({ values, histograms }: Figures): Figures {
  const rest = <Of extends { readonly labels: Labels }>(all: Readonly<Record<string, readonly Of[]>>): Record<string, Of[]> =>
    Object.fromEntries(Object.entries(all).map(([name, figures]) => [name, figures.filter((each) => !isLabelled(each))]));
  return { values: rest(values), histograms: rest(histograms) };
}

/**
 * Combines the figures of several processes: counts are added up, and the highest gauge is taken, unless the table says otherwise.
 * @param most rows of a metric at most, besides the one that further labels share
 */
export function combined(all: readonly Figures[], table: Readonly<Record<string, MetricData>>, most = Number.POSITIVE_INFINITY): Figures {
  if (all.length === 1) return all[0] as Figures;
  const addsUp = (name: string): boolean => (table[name]?.combined ?? (table[name]?.type === 'counter' ? 'sum' : 'highest')) === 'sum';
  return {
    values: byName(all, 'values', most, (name, a, b) => ({ ...a, value: addsUp(name) ? a.value + b.value : Math.max(a.value, b.value) })),
    histograms: byName(all, 'histograms', most, (_name, a, b) => ({
      ...a,
      counts: a.counts.map((count, bucket) => count + (b.counts[bucket] as number)),
      sum: a.sum + b.sum,
    })),
  };
}

type Of<Key extends keyof Figures> = Figures[Key][string][number];

function byName<Key extends keyof Figures>(
  all: readonly Figures[],
  key: Key,
  most: number,
  join: (name: string, a: Of<Key>, b: Of<Key>) => Of<Key>,
): Record<string, Of<Key>[]> {
  const found = new Map<string, Map<string, Of<Key>>>();
  for (const figures of all)
    for (const [name, rows] of Object.entries(figures[key])) {
      let byLabels = found.get(name);
      if (byLabels === undefined) {
        byLabels = new Map();
        found.set(name, byLabels);
      }
      for (const each of rows as readonly Of<Key>[]) {
        const own = JSON.stringify(each.labels);
        const shown = byLabels.has(own) || byLabels.size < most ? each : { ...each, labels: unexpectedLabels(each.labels) };
        const labels = shown === each ? own : JSON.stringify(shown.labels);
        const known = byLabels.get(labels);
        byLabels.set(labels, known === undefined ? shown : join(name, known, shown));
      }
    }
  return Object.fromEntries(Array.from(found, ([name, byLabels]) => [name, [...byLabels.values()]]));
}

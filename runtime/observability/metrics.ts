/**
 * The figures that /metrics shows. What a figure is stands in a table (`schemas/metrics.yaml`); code names it. The library is loaded when there
 * is something to show.
 */
import type { MetricData } from '../contract/metric.ts';
import { combined, type Figures, type HistogramFigure } from './figures.ts';

/** By name. */
export type MetricsTable = Readonly<Record<string, MetricData>>;

type Labels = Readonly<Record<string, string>>;

/** With its labels, looked up once. */
export interface Count {
  inc(): void;
}

export interface Counter {
  inc(labels: Labels): void;
  with(labels: Labels): Count;
}

export interface Gauge {
  set(labels: Labels, value: number): void;
}

/** With its labels, looked up once. */
export interface Distribution {
  observe(value: number): void;
}

export interface Histogram {
  with(labels: Labels): Distribution;
}

interface Declared {
  readonly data: MetricData;
  /** by their labels as JSON */
  readonly values: Map<string, { readonly labels: Labels; value: number }>;
}

/** Which deprecated figures are shown (specification: Deprecation rules, metrics). */
export interface Visibility {
  /** the one whose behaviour the server has, such as 1.32 */
  readonly release: string;
  /** value of --show-hidden-metrics-for-version: the release before, or '' */
  readonly showHiddenFor: string;
  /** told of each deprecated figure that is used */
  readonly onDeprecated: (name: string, since: string) => void;
}

const ALL_SHOWN: Visibility = { release: '', showHiddenFor: '', onDeprecated: () => {} };

/** A figure that is used again goes on with what it has counted. */
export class Metrics {
  readonly table: MetricsTable;
  readonly #visibility: Visibility;
  readonly #declared = new Map<string, Declared>();
  readonly #histograms = new Map<string, Buckets>();

  /** @throws Error for a release whose hidden figures cannot be shown */
  constructor(table: MetricsTable, visibility: Visibility = ALL_SHOWN) {
    this.table = table;
    this.#visibility = visibility;
    const { release, showHiddenFor } = visibility;
    if (showHiddenFor !== '' && showHiddenFor !== previousMinor(release))
      throw new Error(
        `--show-hidden-metrics-for-version must be omitted or have the value '${previousMinor(release)}'. Only the previous minor version is allowed`,
      );
  }

  /** @throws Error for a name that is that of no counter */
  counter(name: string): Counter {
    const values = this.#declare(name, 'counter');
    return {
      inc(labels) {
        entry(values, labels).value += 1;
      },
      with(labels) {
        let found: { value: number } | undefined;
        return {
          inc() {
            found ??= entry(values, labels);
            found.value += 1;
          },
        };
      },
    };
  }

  /** @throws Error for a name that is that of no gauge */
  gauge(name: string): Gauge {
    const values = this.#declare(name, 'gauge');
    return {
      set(labels, value) {
        entry(values, labels).value = value;
      },
    };
  }

  /** @throws Error for a name that is that of no histogram */
  histogram(name: string): Histogram {
    let histogram = this.#histograms.get(name);
    if (histogram === undefined) {
      const data = this.#dataOf(name, 'histogram');
      histogram = new Buckets(data.buckets ?? []);
      this.#histograms.set(name, histogram);
    }
    return histogram;
  }

  /** As they are now. */
  figures(): Figures {
    return {
      values: Object.fromEntries(Array.from(this.#declared, ([name, { values }]) => [name, [...values.values()]])),
      histograms: Object.fromEntries(Array.from(this.#histograms, ([name, histogram]) => [name, histogram.figures()])),
    };
  }

  /** In the text form of Prometheus. @param others figures of other processes, which are told together with these */
  async text(others: readonly Figures[] = []): Promise<{ readonly contentType: string; readonly body: string }> {
    const { Registry, Counter, Gauge } = await import('prom-client');
    const registry = new Registry();
    const { values, histograms } = combined([this.figures(), ...others], this.table);
    for (const [name, figures] of Object.entries(values)) {
      const data = this.table[name];
      if (data === undefined || this.#isHidden(data)) continue;
      const options = { name, help: helpOf(data), labelNames: [...(data.labels ?? [])], registers: [registry] };
      const shown = data.type === 'counter' ? new Counter(options) : new Gauge(options);
      for (const { labels, value } of figures) shown.inc({ ...labels }, value);
    }
    const texts = Object.entries(histograms).flatMap(([name, figures]) => {
      const data = this.table[name];
      return data === undefined || this.#isHidden(data) ? [] : [histogramText(name, data, figures)];
    });
    return { contentType: registry.contentType, body: [await registry.metrics(), ...texts].join('\n') };
  }

  #declare(name: string, type: MetricData['type']): Declared['values'] {
    const known = this.#declared.get(name);
    if (known !== undefined) return known.values;
    const declared = { data: this.#dataOf(name, type), values: new Map() };
    this.#declared.set(name, declared);
    return declared.values;
  }

  #dataOf(name: string, type: MetricData['type']): MetricData {
    const data = Object.hasOwn(this.table, name) ? this.table[name] : undefined;
    if (data?.type !== type) throw new Error(`no ${type} is named ${name}`);
    if (data.deprecated !== undefined) this.#visibility.onDeprecated(name, data.deprecated);
    return data;
  }

  /** Three releases after its deprecation; for one release more people may ask for it. */
  #isHidden({ deprecated }: MetricData): boolean {
    const { release, showHiddenFor } = this.#visibility;
    return deprecated !== undefined && release !== '' && showHiddenFor === '' && minorsBetween(deprecated, release) >= HIDDEN_AFTER;
  }
}

const HIDDEN_AFTER = 3;

function minorsBetween(from: string, to: string): number {
  return Number(to.split('.')[1]) - Number(from.split('.')[1]);
}

function previousMinor(release: string): string {
  const [major, minor] = release.split('.');
  return `${major}.${Number(minor) - 1}`;
}

function helpOf({ help, deprecated }: MetricData): string {
  return deprecated === undefined ? help : `(Deprecated from ${deprecated}) ${help}`;
}

function entry(values: Declared['values'], labels: Labels): { value: number } {
  const key = JSON.stringify(labels);
  let found = values.get(key);
  if (found === undefined) {
    found = { labels, value: 0 };
    values.set(key, found);
  }
  return found;
}

interface Observed {
  readonly labels: Labels;
  /** as `HistogramFigure` has them */
  readonly counts: Float64Array;
  sum: number;
}

function histogramText(name: string, data: MetricData, figures: readonly HistogramFigure[]): string {
  const lines = [`# HELP ${name} ${helpOf(data)}`, `# TYPE ${name} histogram`];
  for (const { labels, counts, sum } of figures) {
    const own = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
    let count = 0;
    for (const [bucket, bound] of [...(data.buckets ?? []), '+Inf'].entries()) {
      count += counts[bucket] as number;
      lines.push(`${name}_bucket{${[...own, `le="${bound}"`].join(',')}} ${count}`);
    }
    lines.push(`${name}_sum{${own.join(',')}} ${sum}`, `${name}_count{${own.join(',')}} ${count}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The library has no way in for values that were counted before it was loaded: histograms are counted and shown here. */
class Buckets implements Histogram {
  readonly #bounds: readonly number[];
  readonly #observed = new Map<string, Observed>();

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  with(labels: Labels): Distribution {
    let observed: Observed | undefined;
    return {
      observe: (value) => {
        observed ??= this.#of(labels);
        let bucket = 0;
        while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket++;
        observed.counts[bucket] = (observed.counts[bucket] as number) + 1;
        observed.sum += value;
      },
    };
  }

  figures(): HistogramFigure[] {
    return Array.from(this.#observed.values(), ({ labels, counts, sum }) => ({ labels, counts: [...counts], sum }));
  }

  #of(labels: Labels): Observed {
    const key = JSON.stringify(labels);
    let found = this.#observed.get(key);
    if (found === undefined) {
      found = { labels, counts: new Float64Array(this.#bounds.length + 1), sum: 0 };
      this.#observed.set(key, found);
    }
    return found;
  }
}

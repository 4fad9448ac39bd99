/**
 * The metrics that /metrics shows. The table `schemas/metrics.yaml` describes each metric, and code refers to it by name. The metrics library is loaded only
 * when somebody asks for them.
 */
import type { MetricData } from '../contract/metric.ts';
import { combined, type Figure, type Figures, isLabelled, lasting } from './figures.ts';
import { Buckets, type Count, type Histogram, histogramText } from './histogram.ts';
import { type AllowedLabels, boundedRow, type LabelBounds, type Labels, shownLabels } from './label-bounds.ts';

export type { Count, Distribution, Histogram } from './histogram.ts';

/** The descriptions of metrics by their names. */
export type MetricsTable = Readonly<Record<string, MetricData>>;

export interface Counter {
  inc(labels: Labels): void;
  with(labels: Labels): Count;
}

export interface Gauge {
  set(labels: Labels, value: number): void;
  /** Replaces all values by these. */
  replace(values: readonly Figure[]): void;
  /** Drops the value of something that no longer exists. */
  remove(labels: Labels): void;
}

/** One series of a metric. Whoever has looked it up may go on counting. */
interface Row {
  readonly labels: Labels;
  value: number;
  /** false after a reset until the next count; the series is not shown meanwhile */
  isThere: boolean;
}

/** A counter or gauge with its series. */
interface Declared {
  /** the series by their labels as JSON */
  readonly values: Map<string, Row>;
  readonly bounds: LabelBounds;
}

/** Which deprecated figures are shown (specification: Deprecation rules, metrics). */
export interface Visibility {
  /** the release that the server behaves like, such as 1.32 */
  readonly release: string;
  /** value of --show-hidden-metrics-for-version: the release before, or '' */
  readonly showHiddenFor: string;
  /** is called for each deprecated metric that is used */
  readonly onDeprecated: (name: string, since: string) => void;
}

/** Limits that flags set. */
export interface MetricLimits {
  /** names of metrics that are not collected; unknown names are ignored */
  readonly disabled?: readonly string[];
  readonly allowedLabels?: AllowedLabels;
}

const ALL_SHOWN: Visibility = { release: '', showHiddenFor: '', onDeprecated: () => {} };

/** The metrics of a process. Looking up a metric twice gives the same counts. */
export class Metrics {
  readonly table: MetricsTable;
  readonly #visibility: Visibility;
  readonly #disabled: ReadonlySet<string>;
  readonly #allowedLabels: AllowedLabels;
  readonly #declared = new Map<string, Declared>();
  readonly #histograms = new Map<string, Buckets>();
  readonly #beforeScrape = new Set<() => void>();
  /** how often `forget` was called; who keeps looked-up counts compares it */
  generation = 0;

  /** @throws Error for a release whose hidden metrics cannot be shown */
  constructor(table: MetricsTable, visibility: Visibility = ALL_SHOWN, { disabled = [], allowedLabels = new Map() }: MetricLimits = {}) {
    this.table = table;
    this.#visibility = visibility;
    this.#disabled = new Set(disabled);
    this.#allowedLabels = allowedLabels;
    const { release, showHiddenFor } = visibility;
    if (showHiddenFor !== '' && showHiddenFor !== previousMinor(release))
      throw new Error(
        `--show-hidden-metrics-for-version must be omitted or have the value '${previousMinor(release)}'. Only the previous minor version is allowed`,
      );
  }

  /** Counts the metrics of the table by their stability, and whether they are hidden or disabled, as 1.32 does when it registers them. Must be called once. */
  countThemselves(): void {
    const registered = this.counter('registered_metrics_total');
    const hidden = this.counter('hidden_metrics_total').with({});
    const disabled = this.counter('disabled_metrics_total').with({});
    disabled.inc(this.#disabled.size);
    hidden.inc(0);
    for (const [name, data] of Object.entries(this.table)) {
      if (this.#disabled.has(name)) continue;
      if (this.#isHidden(data)) hidden.inc();
      else {
        const { deprecated, stability } = data;
        registered.inc({ deprecated_version: deprecated === undefined ? '' : `${deprecated}.0`, stability_level: stability });
      }
    }
  }

  /** Drops the series of things that no longer exist, so that they leave no memory behind. Counts that were looked up before go on, but are not shown. */
  forget(isGone: (labels: Labels) => boolean): void {
    this.generation++;
    for (const { values } of this.#declared.values()) for (const [key, { labels }] of values) if (isGone(labels)) values.delete(key);
    for (const histogram of this.#histograms.values()) histogram.forget(isGone);
  }

  /** Resets all series with labels, as 1.32 does, including the counts that were looked up before. */
  reset(): void {
    for (const { values } of this.#declared.values()) for (const row of values.values()) if (isLabelled(row)) setBack(row);
    for (const histogram of this.#histograms.values()) histogram.reset();
  }

  /** @throws Error for a name that is not that of a counter */
  counter(name: string): Counter {
    const declared = this.#declare(name, 'counter');
    return {
      inc(labels) {
        count(entry(declared, labels), 1);
      },
      with(labels) {
        let found: Row | undefined;
        return {
          inc(by = 1) {
            found ??= entry(declared, labels);
            count(found, by);
          },
        };
      },
    };
  }

  /** @throws Error for a name that is not that of a gauge */
  gauge(name: string): Gauge {
    const declared = this.#declare(name, 'gauge');
    const set = (labels: Labels, value: number): void => {
      const row = entry(declared, labels);
      row.value = value;
      row.isThere = true;
    };
    return {
      set,
      replace(figures) {
        declared.values.clear();
        for (const { labels, value } of figures) set(labels, value);
      },
      remove(labels) {
        declared.values.delete(JSON.stringify(labels));
      },
    };
  }

  /** @throws Error for a name that is not that of a histogram */
  histogram(name: string): Histogram {
    let histogram = this.#histograms.get(name);
    if (histogram === undefined) {
      const data = this.#dataOf(name, 'histogram');
      histogram = new Buckets(data.buckets ?? [], this.#boundsOf(name));
      this.#histograms.set(name, histogram);
    }
    return histogram;
  }

  /** Calls `listener` before each scrape, so that it computes gauges only then. @returns a function that removes it */
  beforeScrape(listener: () => void): () => void {
    this.#beforeScrape.add(listener);
    return () => void this.#beforeScrape.delete(listener);
  }

  /** @returns the present figures */
  figures(): Figures {
    for (const listener of this.#beforeScrape) listener();
    const collected = ([name]: readonly [string, unknown]): boolean => !this.#disabled.has(name);
    const histograms = [...this.#histograms].filter(collected).map(([name, histogram]) => [name, histogram.figures()]);
    const values = [...this.#declared].filter(collected).map(([name, declared]) => [name, shownOf(declared)]);
    return { values: Object.fromEntries(values), histograms: Object.fromEntries(histograms) };
  }

  /** Adds the counts that another thread with the same table has taken (`take`). */
  add({ values, histograms }: Figures): void {
    for (const [name, figures] of Object.entries(values)) {
      const counter = this.counter(name);
      for (const { labels, value } of figures) counter.with(labels).inc(value);
    }
    for (const [name, figures] of Object.entries(histograms)) {
      this.histogram(name);
      const own = this.#histograms.get(name) as Buckets;
      for (const each of figures) own.add(each);
    }
  }

  /** Gives the counts since the last call and resets them, so that `add` on another thread can count them. Gauges stay as they are. */
  take(): Figures {
    const counted = lasting(this.figures(), this.table);
    for (const name of Object.keys(counted.values)) for (const row of (this.#declared.get(name) as Declared).values.values()) setBack(row);
    for (const histogram of this.#histograms.values()) histogram.take();
    const some = <Of>(all: Readonly<Record<string, readonly Of[]>>) =>
      Object.fromEntries(Object.entries(all).filter(([, figures]) => figures.length > 0));
    return { values: some(counted.values), histograms: some(counted.histograms) };
  }

  /** Writes the text format of Prometheus. @param others figures of other processes, which are combined with these */
  async text(others: readonly Figures[] = []): Promise<{ readonly contentType: string; readonly body: string }> {
    const { Registry, Counter, Gauge } = await import('prom-client');
    const registry = new Registry();
    const { values, histograms } = combined([this.figures(), ...others], this.table);
    for (const [name, figures] of Object.entries(values)) {
      const data = this.table[name];
      if (data === undefined || this.#isHidden(data)) continue;
      const options = { name, help: helpOf(data), labelNames: [...(data.labels ?? [])], registers: [registry] };
      const shown = data.type === 'counter' ? new Counter(options) : new Gauge(options);
      for (const { labels, value } of figures) shown.inc(Object.fromEntries(shownLabels(labels)), value);
    }
    const texts = Object.entries(histograms).flatMap(([name, figures]) => {
      const data = this.table[name];
      return data === undefined || this.#isHidden(data) ? [] : [histogramText(name, helpOf(data), data.buckets ?? [], figures)];
    });
    return { contentType: registry.contentType, body: [await registry.metrics(), ...texts].join('\n') };
  }

  #declare(name: string, type: MetricData['type']): Declared {
    const known = this.#declared.get(name);
    if (known !== undefined) return known;
    this.#dataOf(name, type);
    const declared = { values: new Map(), bounds: this.#boundsOf(name) };
    this.#declared.set(name, declared);
    return declared;
  }

  /** A metric that is not collected has a single row for all counts. */
  #boundsOf(name: string): LabelBounds {
    return { allowed: this.#allowedLabels.get(name), none: this.#disabled.has(name), outside: () => this.#countOutside() };
  }

  #countOutside(): void {
    if (Object.hasOwn(this.table, OUTSIDE)) this.counter(OUTSIDE).inc({});
  }

  #dataOf(name: string, type: MetricData['type']): MetricData {
    const data = Object.hasOwn(this.table, name) ? this.table[name] : undefined;
    if (data?.type !== type) throw new Error(`no ${type} is named ${name}`);
    if (data.deprecated !== undefined) this.#visibility.onDeprecated(name, data.deprecated);
    return data;
  }

  /** Whether a metric is hidden: from three releases after its deprecation on. For one more release a flag can show it. */
  #isHidden({ deprecated }: MetricData): boolean {
    const { release, showHiddenFor } = this.#visibility;
    return deprecated !== undefined && release !== '' && showHiddenFor === '' && minorsBetween(deprecated, release) >= HIDDEN_AFTER;
  }
}

/** The number of releases after its deprecation at which a metric is hidden. */
const HIDDEN_AFTER = 3;

/** The name of the metric that counts labels whose values are not allowed. */
const OUTSIDE = 'cardinality_enforcement_unexpected_categorizations_total';

function minorsBetween(from: string, to: string): number {
  return Number(to.split('.')[1]) - Number(from.split('.')[1]);
}

function previousMinor(release: string): string {
  const [major, minor] = release.split('.');
  return `${major}.${Number(minor) - 1}`;
}

function helpOf({ help, deprecated, stability }: MetricData): string {
  return `[${stability}] ${deprecated === undefined ? '' : `(Deprecated since ${deprecated}.0) `}${help}`;
}

function entry({ values, bounds }: Declared, labels: Labels): Row {
  return boundedRow(values, bounds, labels, (of) => ({ labels: of, value: 0, isThere: true }));
}

function count(row: Row, by: number): void {
  row.value += by;
  row.isThere = true;
}

function setBack(row: Row): void {
  row.value = 0;
  row.isThere = false;
}

function shownOf({ values }: Declared): Figure[] {
  return [...values.values()].filter(({ isThere }) => isThere).map(({ labels, value }) => ({ labels, value }));
}

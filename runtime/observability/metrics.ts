/**
 * The figures that /metrics shows. What a figure is stands in a table (`schemas/metrics.yaml`); code names it. The library is loaded when there
 * is something to show.
 */
import type { MetricData } from '../contract/metric.ts';
import { goFloat } from '../schema/scalar/go-float.ts';
import { combined, type Figure, type Figures, type HistogramFigure, isLabelled } from './figures.ts';
import type { AllowedLabels, LabelBounds } from './label-bounds.ts';
import { boundedLabels } from './label-bounds.ts';

/** By name. */
export type MetricsTable = Readonly<Record<string, MetricData>>;

type Labels = Readonly<Record<string, string>>;

/** With its labels, looked up once. */
export interface Count {
  /** @param by default 1 */
  inc(by?: number): void;
}

export interface Counter {
  inc(labels: Labels): void;
  with(labels: Labels): Count;
}

export interface Gauge {
  set(labels: Labels, value: number): void;
  /** Has these values and no others. */
  replace(values: readonly Figure[]): void;
}

/** With its labels, looked up once. */
export interface Distribution {
  observe(value: number): void;
}

export interface Histogram {
  with(labels: Labels): Distribution;
  /** Counts a value of 0 with each of these labels at once. */
  zeros(of: readonly Labels[]): Count;
}

/** A figure that may be counted on by who has looked it up. */
interface Row {
  readonly labels: Labels;
  value: number;
  /** false from when it was set back until it is counted again: there is no such figure */
  isThere: boolean;
}

interface Declared {
  /** by their labels as JSON */
  readonly values: Map<string, Row>;
  readonly bounds: LabelBounds;
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

/** What people do without. */
export interface MetricLimits {
  /** names of figures that are not collected; those that nobody knows do no harm */
  readonly disabled?: readonly string[];
  readonly allowedLabels?: AllowedLabels;
}

const ALL_SHOWN: Visibility = { release: '', showHiddenFor: '', onDeprecated: () => {} };

/** A figure that is used again goes on with what it has counted. */
export class Metrics {
  readonly table: MetricsTable;
  readonly #visibility: Visibility;
  readonly #disabled: ReadonlySet<string>;
  readonly #allowedLabels: AllowedLabels;
  readonly #declared = new Map<string, Declared>();
  readonly #histograms = new Map<string, Buckets>();
  readonly #beforeScrape = new Set<() => void>();
  /** how often something was forgotten */
  generation = 0;

  /** @throws Error for a release whose hidden figures cannot be shown */
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

  /** Counts the metrics of the table by what comes of them, as 1.32 does when it registers them. It is called once. */
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

  /** Drops what was counted of things that are no more, so that what comes and goes leaves nothing behind. Counts that were looked up before go on unseen. */
  forget(isGone: (labels: Labels) => boolean): void {
    this.generation++;
    for (const { values } of this.#declared.values()) for (const [key, { labels }] of values) if (isGone(labels)) values.delete(key);
    for (const histogram of this.#histograms.values()) histogram.forget(isGone);
  }

  /** Sets back all figures that have labels, and the counts that were looked up before with them, as 1.32 does. */
  reset(): void {
    for (const { values } of this.#declared.values())
      for (const row of values.values()) if (isLabelled(row)) Object.assign(row, { value: 0, isThere: false });
    for (const histogram of this.#histograms.values()) histogram.reset();
  }

  /** @throws Error for a name that is that of no counter */
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

  /** @throws Error for a name that is that of no gauge */
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
    };
  }

  /** @throws Error for a name that is that of no histogram */
  histogram(name: string): Histogram {
    let histogram = this.#histograms.get(name);
    if (histogram === undefined) {
      const data = this.#dataOf(name, 'histogram');
      histogram = new Buckets(data.buckets ?? [], this.#boundsOf(name));
      this.#histograms.set(name, histogram);
    }
    return histogram;
  }

  /** Calls `listener` each time before figures are told: for those that cost nothing but then. @returns stops it */
  beforeScrape(listener: () => void): () => void {
    this.#beforeScrape.add(listener);
    return () => void this.#beforeScrape.delete(listener);
  }

  /** As they are now. */
  figures(): Figures {
    for (const listener of this.#beforeScrape) listener();
    const collected = ([name]: readonly [string, unknown]): boolean => !this.#disabled.has(name);
    const histograms = [...this.#histograms].filter(collected).map(([name, histogram]) => [name, histogram.figures()]);
    const values = [...this.#declared].filter(collected).map(([name, declared]) => [name, shownOf(declared)]);
    return { values: Object.fromEntries(values), histograms: Object.fromEntries(histograms) };
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

  #declare(name: string, type: MetricData['type']): Declared {
    const known = this.#declared.get(name);
    if (known !== undefined) return known;
    this.#dataOf(name, type);
    const declared = { values: new Map(), bounds: this.#boundsOf(name) };
    this.#declared.set(name, declared);
    return declared;
  }

  /** Of one that is not collected, a single row takes all that is counted. */
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

  /** Three releases after its deprecation; for one release more people may ask for it. */
  #isHidden({ deprecated }: MetricData): boolean {
    const { release, showHiddenFor } = this.#visibility;
    return deprecated !== undefined && release !== '' && showHiddenFor === '' && minorsBetween(deprecated, release) >= HIDDEN_AFTER;
  }
}

const HIDDEN_AFTER = 3;

/** Counts labels whose values are not allowed. */
const OUTSIDE = 'cardinality_enforcement_unexpected_categorizations_total';

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

function entry({ values, bounds }: Declared, labels: Labels): Row {
  return bounded(values, bounds, labels, (of) => ({ labels: of, value: 0, isThere: true }));
}

function count(row: Row, by: number): void {
  row.value += by;
  row.isThere = true;
}

function shownOf({ values }: Declared): Figure[] {
  return [...values.values()].filter(({ isThere }) => isThere).map(({ labels, value }) => ({ labels, value }));
}

/** The row of these labels, or of those that stand for them. */
function bounded<Row>(rows: Map<string, Row>, bounds: LabelBounds, labels: Labels, make: (labels: Labels) => Row): Row {
  const known = rows.get(JSON.stringify(labels));
  if (known !== undefined) return known;
  const of = boundedLabels(labels, bounds, rows.size);
  const key = JSON.stringify(of);
  const row = rows.get(key) ?? make(of);
  rows.set(key, row);
  return row;
}

interface Observed {
  readonly labels: Labels;
  /** as `HistogramFigure` has them */
  readonly counts: Float64Array;
  sum: number;
  /** as `Row` has it */
  isThere: boolean;
}

function histogramText(name: string, data: MetricData, figures: readonly HistogramFigure[]): string {
  const lines = [`# HELP ${name} ${helpOf(data)}`, `# TYPE ${name} histogram`];
  for (const { labels, counts, sum } of figures) {
    const own = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
    let count = 0;
    for (const [bucket, bound] of [...(data.buckets ?? []).map(goFloat), '+Inf'].entries()) {
      count += counts[bucket] as number;
      lines.push(`${name}_bucket{${[...own, `le="${bound}"`].join(',')}} ${count}`);
    }
    const braces = own.length === 0 ? '' : `{${own.join(',')}}`;
    lines.push(`${name}_sum${braces} ${sum}`, `${name}_count${braces} ${count}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The library has no way in for values that were counted before it was loaded: histograms are counted and shown here. */
class Buckets implements Histogram {
  readonly #bounds: readonly number[];
  readonly #labelBounds: LabelBounds;
  readonly #observed = new Map<string, Observed>();
  /** those that have yet to be added to what was observed */
  readonly #zeros: { readonly of: readonly Labels[]; rows: readonly Observed[] | undefined; count: number }[] = [];

  constructor(bounds: readonly number[], labelBounds: LabelBounds) {
    this.#bounds = bounds;
    this.#labelBounds = labelBounds;
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
        observed.isThere = true;
      },
    };
  }

  zeros(of: readonly Labels[]): Count {
    const zeros = { of, rows: undefined, count: 0 };
    this.#zeros.push(zeros);
    return {
      inc(by = 1) {
        zeros.count += by;
      },
    };
  }

  #addZeros(): void {
    for (const zeros of this.#zeros) {
      const { of, count: added } = zeros;
      if (added === 0) continue;
      zeros.count = 0;
      zeros.rows ??= of.map((labels) => this.#of(labels));
      for (const observed of zeros.rows) {
        observed.counts[0] = (observed.counts[0] as number) + added;
        observed.isThere = true;
      }
    }
  }

  forget(isGone: (labels: Labels) => boolean): void {
    this.#addZeros();
    for (const [key, { labels }] of this.#observed) if (isGone(labels)) this.#observed.delete(key);
  }

  reset(): void {
    this.#addZeros();
    for (const observed of this.#observed.values()) {
      if (!isLabelled(observed)) continue;
      observed.counts.fill(0);
      observed.sum = 0;
      observed.isThere = false;
    }
  }

  figures(): HistogramFigure[] {
    this.#addZeros();
    const there = [...this.#observed.values()].filter(({ isThere }) => isThere);
    return there.map(({ labels, counts, sum }) => ({ labels, counts: [...counts], sum }));
  }

  #of(labels: Labels): Observed {
    const make = (of: Labels): Observed => ({ labels: of, counts: new Float64Array(this.#bounds.length + 1), sum: 0, isThere: true });
    return bounded(this.#observed, this.#labelBounds, labels, make);
  }
}

/** Histograms. They are not left to the metrics library, because it cannot take over values that were counted before it is loaded. */
import { goFloat } from '../schema/scalar/go-float.ts';
import { type HistogramFigure, isLabelled } from './figures.ts';
import { boundedRow, type LabelBounds, type Labels, shownLabels } from './label-bounds.ts';

/** A series that was looked up by its labels once. */
export interface Count {
  /** @param by default 1 */
  inc(by?: number): void;
}

/** A series that was looked up by its labels once. */
export interface Distribution {
  /** @param times how often the value is observed, default 1 */
  observe(value: number, times?: number): void;
}

export interface Histogram {
  with(labels: Labels): Distribution;
  /** @returns a count that observes a 0 for each of these labels at once */
  zeros(of: readonly Labels[]): Count;
}

/** One series of a histogram. */
interface Observed {
  readonly labels: Labels;
  /** see `HistogramFigure.counts` */
  readonly counts: Float64Array;
  sum: number;
  /** false after a reset until the next observation; the series is not shown meanwhile */
  isThere: boolean;
}

function emptied(observed: Observed): void {
  observed.counts.fill(0);
  observed.sum = 0;
  observed.isThere = false;
}

/** Writes the text format of Prometheus. @param buckets ascending upper bounds, without the infinite one */
export function histogramText(name: string, help: string, buckets: readonly number[], figures: readonly HistogramFigure[]): string {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
  for (const { labels, counts, sum } of figures) {
    const own = shownLabels(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
    let count = 0;
    for (const [bucket, bound] of [...buckets.map(goFloat), '+Inf'].entries()) {
      count += counts[bucket] as number;
      lines.push(`${name}_bucket{${[...own, `le="${bound}"`].join(',')}} ${count}`);
    }
    const braces = own.length === 0 ? '' : `{${own.join(',')}}`;
    lines.push(`${name}_sum${braces} ${sum}`, `${name}_count${braces} ${count}`);
  }
  return `${lines.join('\n')}\n`;
}

/** A histogram with its series. Zeros are collected and added to the series only when somebody reads them. */
export class Buckets implements Histogram {
  readonly #bounds: readonly number[];
  readonly #labelBounds: LabelBounds;
  readonly #observed = new Map<string, Observed>();
  /** zeros that were not added to the observed values yet */
  readonly #zeros: { readonly of: readonly Labels[]; rows: readonly Observed[] | undefined; count: number }[] = [];

  constructor(bounds: readonly number[], labelBounds: LabelBounds) {
    this.#bounds = bounds;
    this.#labelBounds = labelBounds;
  }

  with(labels: Labels): Distribution {
    let observed: Observed | undefined;
    return {
      observe: (value, times = 1) => {
        observed ??= this.#of(labels);
        let bucket = 0;
        while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket++;
        observed.counts[bucket] = (observed.counts[bucket] as number) + times;
        observed.sum += value * times;
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

  /** Drops series, see `Metrics.forget`. */
  forget(isGone: (labels: Labels) => boolean): void {
    this.#addZeros();
    for (const [key, { labels }] of this.#observed) if (isGone(labels)) this.#observed.delete(key);
  }

  /** Resets the series with labels, see `Metrics.reset`. */
  reset(): void {
    this.#addZeros();
    for (const observed of this.#observed.values()) if (isLabelled(observed)) emptied(observed);
  }

  /** Resets all series, see `Metrics.take`. */
  take(): void {
    for (const observed of this.#observed.values()) emptied(observed);
  }

  /** Adds what another thread has counted. */
  add({ labels, counts, sum }: HistogramFigure): void {
    const observed = this.#of(labels);
    for (const [bucket, count] of counts.entries()) observed.counts[bucket] = (observed.counts[bucket] as number) + count;
    observed.sum += sum;
    observed.isThere = true;
  }

  figures(): HistogramFigure[] {
    this.#addZeros();
    const there = [...this.#observed.values()].filter(({ isThere }) => isThere);
    return there.map(({ labels, counts, sum }) => ({ labels, counts: [...counts], sum }));
  }

  #of(labels: Labels): Observed {
    const make = (of: Labels): Observed => ({ labels: of, counts: new Float64Array(this.#bounds.length + 1), sum: 0, isThere: true });
    return boundedRow(this.#observed, this.#labelBounds, labels, make);
  }
}

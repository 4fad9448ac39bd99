/** The figures that /metrics shows. The library is loaded when there is something to show. */
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
  readonly kind: 'counter' | 'gauge';
  readonly help: string;
  readonly labelNames: readonly string[];
  /** by their labels as JSON */
  readonly values: Map<string, { readonly labels: Labels; value: number }>;
}

/** A figure that is declared again goes on with what it has counted. */
export class Metrics {
  readonly #declared = new Map<string, Declared>();
  readonly #histograms = new Map<string, Buckets>();

  counter(name: string, help: string, labelNames: readonly string[]): Counter {
    const values = this.#declare(name, { kind: 'counter', help, labelNames, values: new Map() });
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

  gauge(name: string, help: string, labelNames: readonly string[]): Gauge {
    const values = this.#declare(name, { kind: 'gauge', help, labelNames, values: new Map() });
    return {
      set(labels, value) {
        entry(values, labels).value = value;
      },
    };
  }

  /** @param bounds upper ones of the buckets, ascending; one without bound is added */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    let histogram = this.#histograms.get(name);
    if (histogram === undefined) {
      histogram = new Buckets(help, bounds);
      this.#histograms.set(name, histogram);
    }
    return histogram;
  }

  /** In the text form of Prometheus. */
  async text(): Promise<{ readonly contentType: string; readonly body: string }> {
    const { Registry, Counter, Gauge } = await import('prom-client');
    const registry = new Registry();
    for (const [name, { kind, help, labelNames, values }] of this.#declared) {
      const shown = new (kind === 'counter' ? Counter : Gauge)({ name, help, labelNames: [...labelNames], registers: [registry] });
      for (const { labels, value } of values.values()) shown.inc({ ...labels }, value);
    }
    const histograms = [...this.#histograms].map(([name, histogram]) => histogram.text(name));
    return { contentType: registry.contentType, body: [await registry.metrics(), ...histograms].join('\n') };
  }

  #declare(name: string, declared: Declared): Declared['values'] {
    const known = this.#declared.get(name);
    if (known !== undefined) return known.values;
    this.#declared.set(name, declared);
    return declared.values;
  }
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
  /** how many values each bucket has taken, those of buckets before it not included */
  readonly counts: Float64Array;
  sum: number;
}

/** The library has no way in for values that were counted before it was loaded: histograms are counted and shown here. */
class Buckets implements Histogram {
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #observed = new Map<string, Observed>();

  constructor(help: string, bounds: readonly number[]) {
    this.#help = help;
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

  text(name: string): string {
    const lines = [`# HELP ${name} ${this.#help}`, `# TYPE ${name} histogram`];
    for (const { labels, counts, sum } of this.#observed.values()) {
      const own = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
      let count = 0;
      for (const [bucket, bound] of [...this.#bounds, '+Inf'].entries()) {
        count += counts[bucket] as number;
        lines.push(`${name}_bucket{${[...own, `le="${bound}"`].join(',')}} ${count}`);
      }
      lines.push(`${name}_sum{${own.join(',')}} ${sum}`, `${name}_count{${own.join(',')}} ${count}`);
    }
    return `${lines.join('\n')}\n`;
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

/** Bounds from `first` on, each `factor` times the one before. */
export function exponentialBounds(first: number, factor: number, count: number): number[] {
  return Array.from({ length: count }, (_, exponent) => first * factor ** exponent);
}

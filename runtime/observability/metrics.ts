/** The figures that /metrics shows. The library is loaded when there is something to show. */
type Labels = Readonly<Record<string, string>>;

export interface Counter {
  inc(labels: Labels): void;
}

export interface Gauge {
  set(labels: Labels, value: number): void;
}

interface Declared {
  readonly kind: 'counter' | 'gauge';
  readonly help: string;
  readonly labelNames: readonly string[];
  /** by their labels as JSON */
  readonly values: Map<string, { readonly labels: Labels; value: number }>;
}

export class Metrics {
  readonly #declared = new Map<string, Declared>();

  counter(name: string, help: string, labelNames: readonly string[]): Counter {
    const values = this.#declare(name, { kind: 'counter', help, labelNames, values: new Map() });
    return {
      inc(labels) {
        entry(values, labels).value += 1;
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

  /** In the text form of Prometheus. */
  async text(): Promise<{ readonly contentType: string; readonly body: string }> {
    const { Registry, Counter, Gauge } = await import('prom-client');
    const registry = new Registry();
    for (const [name, { kind, help, labelNames, values }] of this.#declared) {
      const shown = new (kind === 'counter' ? Counter : Gauge)({ name, help, labelNames: [...labelNames], registers: [registry] });
      for (const { labels, value } of values.values()) shown.inc({ ...labels }, value);
    }
    return { contentType: registry.contentType, body: await registry.metrics() };
  }

  #declare(name: string, declared: Declared): Declared['values'] {
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

/**
 * How often values of one resource are encrypted and decrypted, and how long it takes, by the rules of 1.32: a provider counts under its prefix, each of its
 * keys under the key's own, and who is asked for nothing under `unknown`. Values that are known already are not counted, for nothing is done for them.
 */
import type { StoreMetrics } from '../storage.ts';

export type TransformationType = 'to_storage' | 'from_storage';

/** The counts of the transformations of one resource. */
export interface Transformations {
  /** Counts a success. @param prefix the prefix of the provider or of the key. @param began when it began, by `performance.now()` */
  done(type: TransformationType, prefix: string, began: number): void;
  /** Counts a failure. @param error absent if nobody could be asked */
  failed(type: TransformationType, prefix: string, error?: unknown): void;
}

/** Counts nothing, for resources that no configuration names. */
export const uncounted: Transformations = { done() {}, failed() {} };

/** Calls `tell` as soon as there are metrics to show figures in, which may be at once. */
export type TellFigures = (tell: (metrics: StoreMetrics) => void) => void;

interface Counted {
  readonly ok: ReturnType<ReturnType<StoreMetrics['counter']>['with']>;
  readonly duration: ReturnType<ReturnType<StoreMetrics['histogram']>['with']>;
}

const operations = (metrics: StoreMetrics) => metrics.counter('apiserver_storage_transformation_operations_total');

export class TransformationCounts implements Transformations {
  readonly #resource: string;
  readonly #tell: TellFigures;
  /** the counts by prefix, each of which is looked up once */
  readonly #counted: Readonly<Record<TransformationType, Map<string, Counted>>> = { to_storage: new Map(), from_storage: new Map() };
  #metrics: StoreMetrics | undefined;
  /** the generation of the metrics in which the counts were looked up */
  #generation = 0;

  /** @param resource the name of the resource in configurations, such as `widgets.example.com` */
  constructor(resource: string, tell: TellFigures) {
    this.#resource = resource;
    this.#tell = tell;
  }

  done(type: TransformationType, prefix: string, began: number): void {
    const seconds = (performance.now() - began) / 1_000;
    if (this.#metrics !== undefined) this.#add(this.#metrics, type, prefix, seconds);
    else this.#tell((metrics) => this.#add(metrics, type, prefix, seconds));
  }

  #add(metrics: StoreMetrics, type: TransformationType, prefix: string, seconds: number): void {
    this.#metrics = metrics;
    if (metrics.generation !== this.#generation) this.#lookAgain(metrics);
    const { ok, duration } = this.#counted[type].get(prefix) ?? this.#look(metrics, type, prefix);
    ok.inc();
    duration.observe(seconds);
  }

  failed(type: TransformationType, prefix: string, error?: unknown): void {
    const labels = { ...this.#labels(type, prefix), status: grpcStatusOf(error) };
    this.#tell((metrics) => operations(metrics).inc(labels));
  }

  #look(metrics: StoreMetrics, type: TransformationType, prefix: string): Counted {
    const { resource, ...ofAll } = this.#labels(type, prefix);
    const counted = {
      ok: operations(metrics).with({ resource, ...ofAll, status: 'OK' }),
      duration: metrics.histogram('apiserver_storage_transformation_duration_seconds').with(ofAll),
    };
    this.#counted[type].set(prefix, counted);
    return counted;
  }

  /** A resource that was removed, and is there again, counts anew. */
  #lookAgain({ generation }: StoreMetrics): void {
    for (const counted of Object.values(this.#counted)) counted.clear();
    this.#generation = generation;
  }

  #labels(type: TransformationType, prefix: string) {
    return { resource: this.#resource, transformation_type: type, transformer_prefix: prefix };
  }
}

/** Matches the code in the text of an error of gRPC. */
const OF_GRPC = /^rpc error: code = (\w+)/;

/** @returns the code of the call of gRPC that caused an error, as Go's library spells it */
export function grpcStatusOf(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause) {
    const code = OF_GRPC.exec(each.message)?.[1];
    if (code !== undefined) return code;
  }
  return 'unknown-non-grpc';
}

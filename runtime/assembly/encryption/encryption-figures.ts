/**
 * The metrics of encryption at rest, under the names of 1.32. The store is opened before the metrics exist, so values are kept until `show`
 * is called.
 */
import { configurationMetrics, serverHash } from '../../observability/configuration-metrics.ts';
import type { TellFigures, TransformationType } from '../../storage/encryption/transformation-counts.ts';
import type { StoreMetrics } from '../../storage/storage.ts';

export class EncryptionFigures {
  #metrics: StoreMetrics | undefined;
  #before: ((metrics: StoreMetrics) => void)[] = [];
  readonly #server = serverHash();
  /** when the last value arrived, by `performance.now()` */
  readonly #arrivals = new Map<TransformationType, number>();

  show(metrics: StoreMetrics): void {
    this.#metrics = metrics;
    // counters without labels appear with the value 0 before the first event
    for (const counter of [failedSeeds, missedSeeds]) counter(metrics);
    for (const tell of this.#before) tell(metrics);
    this.#before = [];
  }

  /** Counts that the changed file was read again. */
  reloaded(status: 'success' | 'failure'): void {
    this.tell((metrics) => configurationMetrics(metrics, 'encryption').reloaded(status));
  }

  /** @param code status of gRPC in the spelling of Go's library, such as `DeadlineExceeded`. @param milliseconds duration of the call */
  serviceCalled(provider: string, method: string, code: string, milliseconds: number): void {
    const labels = { provider_name: provider, method_name: method, grpc_status_code: code };
    this.tell((metrics) => {
      const calls = metrics.histogram('apiserver_envelope_encryption_kms_operations_latency_seconds');
      calls.with(labels).observe(milliseconds / 1_000);
    });
  }

  /** Records which key the service says that it encrypts with. */
  keyStated(provider: string, keyIdHash: string): void {
    const labels = { provider_name: provider, key_id_hash: keyIdHash, apiserver_id_hash: this.#server };
    const now = Date.now() / 1_000;
    this.tell((metrics) => metrics.gauge('apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds').set(labels, now));
  }

  /** Counts that the service has named its key by an invalid identifier. */
  invalidKeyStated(provider: string, error: string): void {
    this.tell((metrics) =>
      metrics.counter('apiserver_envelope_encryption_invalid_key_id_from_status_total').inc({ provider_name: provider, error }),
    );
  }

  /** Counts that a value was encrypted or decrypted with a seed that this key of the service encrypts. */
  keyUsed(provider: string, transformation: TransformationType, keyIdHash: string): void {
    const labels = {
      transformation_type: transformation,
      provider_name: provider,
      key_id_hash: keyIdHash,
      apiserver_id_hash: this.#server,
    };
    const now = Date.now() / 1_000;
    this.tell((metrics) => {
      metrics.counter('apiserver_envelope_encryption_key_id_hash_total').inc(labels);
      metrics.gauge('apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds').set(labels, now);
    });
  }

  /** Measures the creation of a seed. @returns what `generate` returns */
  seedGenerated<T>(generate: () => T): T {
    const began = performance.now();
    try {
      const seed = generate();
      const seconds = (performance.now() - began) / 1_000;
      this.tell((metrics) => metrics.histogram('apiserver_storage_data_key_generation_duration_seconds').with({}).observe(seconds));
      return seed;
    } catch (error) {
      this.tell((metrics) => failedSeeds(metrics).inc({}));
      throw error;
    }
  }

  /** Counts that a value was read whose seed was not in memory. */
  seedMissed(): void {
    this.tell((metrics) => missedSeeds(metrics).inc({}));
  }

  /** @param count number of seeds in memory */
  seedsKnown(provider: string, count: number): void {
    this.tell((metrics) => metrics.gauge('apiserver_envelope_encryption_dek_source_cache_size').set({ provider_name: provider }, count));
  }

  /** @param share used share of the memory for keys of a service of version 1, 0 to 1 */
  keysKnown(share: number): void {
    this.tell((metrics) => metrics.gauge('apiserver_envelope_encryption_dek_cache_fill_percent').set({}, share));
  }

  /** Records that a value is about to be encrypted or decrypted by a service of version 1. */
  valueArrived(transformation: TransformationType): void {
    const now = performance.now();
    const seconds = (now - (this.#arrivals.get(transformation) ?? now)) / 1_000;
    this.#arrivals.set(transformation, now);
    this.tell((metrics) => {
      const times = metrics.histogram('apiserver_envelope_encryption_dek_cache_inter_arrival_time_seconds');
      times.with({ transformation_type: transformation }).observe(seconds);
    });
  }

  readonly tell: TellFigures = (tell) => {
    if (this.#metrics !== undefined) tell(this.#metrics);
    else if (this.#before.length < MOST_BEFORE) this.#before.push(tell);
  };
}

const failedSeeds = (metrics: StoreMetrics) => metrics.counter('apiserver_storage_data_key_generation_failures_total');
const missedSeeds = (metrics: StoreMetrics) => metrics.counter('apiserver_storage_envelope_transformation_cache_misses_total');

/** How many values are kept before `show`. A start calls each service a few times and reads a few values, so the limit is not reached. */
const MOST_BEFORE = 1_000;

/**
 * What encryption at rest tells of itself, under the names of 1.32. The store is opened before there is anywhere to show figures: what happens until then is shown
 * once there is.
 */
import { configurationMetrics, serverHash } from '../../observability/configuration-metrics.ts';
import type { TellFigures, TransformationType } from '../../storage/encryption/transformation-counts.ts';
import type { StoreMetrics } from '../../storage/storage.ts';

export class EncryptionFigures {
  #metrics: StoreMetrics | undefined;
  #before: ((metrics: StoreMetrics) => void)[] = [];
  readonly #server = serverHash();
  /** when the last value came, by `performance.now()` */
  readonly #arrivals = new Map<TransformationType, number>();

  show(metrics: StoreMetrics): void {
    this.#metrics = metrics;
    // they are shown before something is counted
    for (const counter of [failedSeeds, missedSeeds]) counter(metrics);
    for (const tell of this.#before) tell(metrics);
    this.#before = [];
  }

  /** The file was read again, because it has changed. */
  reloaded(status: 'success' | 'failure'): void {
    this.tell((metrics) => configurationMetrics(metrics, 'encryption').reloaded(status));
  }

  /** @param code of gRPC, as Go's library spells it. @param milliseconds that the call took */
  serviceCalled(provider: string, method: string, code: string, milliseconds: number): void {
    const labels = { provider_name: provider, method_name: method, grpc_status_code: code };
    this.tell((metrics) => {
      const calls = metrics.histogram('apiserver_envelope_encryption_kms_operations_latency_seconds');
      calls.with(labels).observe(milliseconds / 1_000);
    });
  }

  /** A service has said which of its keys encrypts. */
  keyStated(provider: string, keyIdHash: string): void {
    const labels = { provider_name: provider, key_id_hash: keyIdHash, apiserver_id_hash: this.#server };
    const now = Date.now() / 1_000;
    this.tell((metrics) => metrics.gauge('apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds').set(labels, now));
  }

  /** What a service has said is no name of a key. */
  invalidKeyStated(provider: string, error: string): void {
    this.tell((metrics) =>
      metrics.counter('apiserver_envelope_encryption_invalid_key_id_from_status_total').inc({ provider_name: provider, error }),
    );
  }

  /** A value was encrypted or decrypted by a seed that this key of the service has encrypted. */
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

  /** @returns what `generate` does, which makes a seed */
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

  /** A value was read whose seed was not known. */
  seedMissed(): void {
    this.tell((metrics) => missedSeeds(metrics).inc({}));
  }

  /** @param count of the seeds that are known */
  seedsKnown(provider: string, count: number): void {
    this.tell((metrics) => metrics.gauge('apiserver_envelope_encryption_dek_source_cache_size').set({ provider_name: provider }, count));
  }

  /** @param share of the keys that may be remembered for a service of version 1, 0 to 1 */
  keysKnown(share: number): void {
    this.tell((metrics) => metrics.gauge('apiserver_envelope_encryption_dek_cache_fill_percent').set({}, share));
  }

  /** A value is about to be encrypted or decrypted by a service of version 1. */
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

/** What is kept until it can be shown: a start asks each service some times, and reads a few values. */
const MOST_BEFORE = 1_000;

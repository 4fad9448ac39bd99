/**
 * What encryption at rest tells of itself, under the names of 1.32. The store is opened before there is anywhere to show figures: what happens until then is shown
 * once there is.
 */
import { configurationMetrics, serverHash } from '../../observability/configuration-metrics.ts';
import type { StoreMetrics } from '../../storage/storage.ts';

export type Transformation = 'to_storage' | 'from_storage';

export class EncryptionFigures {
  #metrics: StoreMetrics | undefined;
  #before: ((metrics: StoreMetrics) => void)[] = [];
  readonly #server = serverHash();

  show(metrics: StoreMetrics): void {
    this.#metrics = metrics;
    for (const tell of this.#before) tell(metrics);
    this.#before = [];
  }

  /** The file was read again, because it has changed. */
  reloaded(status: 'success' | 'failure'): void {
    this.#tell((metrics) => configurationMetrics(metrics, 'encryption').reloaded(status));
  }

  /** @param code of gRPC, as Go's library spells it. @param milliseconds that the call took */
  serviceCalled(provider: string, method: string, code: string, milliseconds: number): void {
    const labels = { provider_name: provider, method_name: method, grpc_status_code: code };
    this.#tell((metrics) => {
      const calls = metrics.histogram('apiserver_envelope_encryption_kms_operations_latency_seconds');
      calls.with(labels).observe(milliseconds / 1_000);
    });
  }

  /** A service has said which of its keys encrypts. */
  keyStated(provider: string, keyIdHash: string): void {
    const labels = { provider_name: provider, key_id_hash: keyIdHash, apiserver_id_hash: this.#server };
    const now = Date.now() / 1_000;
    this.#tell((metrics) => metrics.gauge('apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds').set(labels, now));
  }

  /** What a service has said is no name of a key. */
  invalidKeyStated(provider: string, error: string): void {
    this.#tell((metrics) =>
      metrics.counter('apiserver_envelope_encryption_invalid_key_id_from_status_total').inc({ provider_name: provider, error }),
    );
  }

  /** A value was encrypted or decrypted by a seed that this key of the service has encrypted. */
  keyUsed(provider: string, transformation: Transformation, keyIdHash: string): void {
    const labels = {
      transformation_type: transformation,
      provider_name: provider,
      key_id_hash: keyIdHash,
      apiserver_id_hash: this.#server,
    };
    const now = Date.now() / 1_000;
    this.#tell((metrics) => {
      metrics.counter('apiserver_envelope_encryption_key_id_hash_total').inc(labels);
      metrics.gauge('apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds').set(labels, now);
    });
  }

  /** @param count of the seeds that are known */
  seedsKnown(provider: string, count: number): void {
    this.#tell((metrics) => metrics.gauge('apiserver_envelope_encryption_dek_source_cache_size').set({ provider_name: provider }, count));
  }

  #tell(tell: (metrics: StoreMetrics) => void): void {
    if (this.#metrics !== undefined) tell(this.#metrics);
    else if (this.#before.length < MOST_BEFORE) this.#before.push(tell);
  }
}

/** What is kept until it can be shown: a start asks each service some times. */
const MOST_BEFORE = 1_000;

/** Metrics of the size and contents of the store, which are updated before each scrape. */
import { tellOfAllocations } from '../registry/allocation/allocation-figures.ts';
import { ObjectCounts } from '../registry/resources/object-counts.ts';
import type { ServedStorage } from '../storage/storage.ts';
import type { ApiServer } from './parts/api-server.ts';

/**
 * @param period milliseconds for which counts of objects are reused; 0: objects are not counted
 * @returns a function that ends it, to be called before the store is closed
 */
export function tellOfStore(
  { metrics, registry, recordedRanges }: Pick<ApiServer, 'metrics' | 'registry' | 'recordedRanges'>,
  storage: ServedStorage,
  period: number,
): () => void {
  storage.showFigures?.(metrics);
  const { clusterId = 'store-0' } = storage;
  const bytes = metrics.gauge('apiserver_storage_size_bytes');
  const history = metrics.gauge('apiserver_store_history_bytes');
  const newest = metrics.gauge('apiserver_store_revision');
  const compacted = metrics.gauge('apiserver_store_compacted_revision');
  const stopStore = metrics.beforeScrape(() => {
    const allocatedBytes = storage.allocatedBytes();
    history.set({}, storage.size().historyBytes);
    if (allocatedBytes !== undefined) bytes.set({ storage_cluster_id: clusterId }, allocatedBytes);
    newest.set({}, storage.currentRevision());
    compacted.set({}, storage.compactedRevision());
  });
  const servesServices = registry.current.resource('', 'v1', 'services') !== undefined;
  const stopRanges = servesServices && recordedRanges ? tellOfAllocations(metrics, storage, recordedRanges) : () => {};
  const stop = (): void => {
    stopStore();
    stopRanges();
  };
  if (period === 0) return stop;
  const objects = metrics.gauge('apiserver_storage_objects');
  const counts = new ObjectCounts({ storage, registry }, period);
  const counted = (): void => objects.replace(counts.current().map(({ resource, count }) => ({ labels: { resource }, value: count })));
  const stopCounting = metrics.beforeScrape(counted);
  return () => {
    stop();
    stopCounting();
  };
}

/** Keeps as much of the past of a store as flags say, and tells how much that is. */
import type { Log } from '../../observability/log.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { HistoryWindow } from '../../storage/history-window.ts';
import type { ServedStorage } from '../../storage/storage.ts';
import type { Endings } from '../setup/endings.ts';
import type { Flags } from '../setup/flags.ts';
import { storeFailures } from './store-failures.ts';

interface HistoryParts {
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Begins to compact. @param endings gets the functions that end it, before the store is closed */
export function keepHistory({ log, metrics }: HistoryParts, storage: ServedStorage, flags: Flags, endings: Endings): void {
  const limits = { window: flags['history-window'], maxBytes: flags['history-max-bytes'] };
  const history = new HistoryWindow(storage, limits, storeFailures(log, 'compaction failed'));
  history.start();
  endings.add(() => history.stop());
  const endFigures = tellOfHistory(metrics, history);
  endings.add(async () => endFigures());
}

/** Shows metrics of the history in each process that compacts it. @returns a function that must be called before the store is closed */
export function tellOfHistory(metrics: Metrics, history: Pick<HistoryWindow, 'oldest' | 'compactions'>): () => void {
  const compactions = metrics.counter('apiserver_store_compactions_total').with({});
  const oldest = metrics.gauge('apiserver_store_oldest_history_seconds');
  let told = 0;
  return metrics.beforeScrape(() => {
    compactions.inc(history.compactions - told);
    told = history.compactions;
    oldest.set({}, history.oldest === undefined ? 0 : (performance.now() - history.oldest) / 1_000);
  });
}

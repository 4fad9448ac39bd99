/** What the repair of addresses and ports of services finds, counted under the names of 1.32. */
import type { Count, Metrics } from '../observability/metrics.ts';
import { isRecordOfAddress } from '../registry/allocation/allocator.ts';

/** The names that 1.32 has for problems with a record. */
export type RepairProblem = 'leak' | 'repair' | 'duplicate' | 'outOfRange';

export class RepairFigures {
  readonly #found: (key: string) => ReturnType<Metrics['counter']>;
  readonly #failed: readonly Count[];

  constructor(metrics: Pick<Metrics, 'counter'>) {
    const addresses = metrics.counter('apiserver_clusterip_repair_ip_errors_total');
    const ports = metrics.counter('apiserver_nodeport_repair_port_errors_total');
    this.#found = (key) => (isRecordOfAddress(key) ? addresses : ports);
    this.#failed = ['apiserver_clusterip_repair_reconcile_errors_total', 'apiserver_nodeport_repair_reconcile_errors_total'].map((name) =>
      metrics.counter(name).with({}),
    );
    // they are there before anything has failed, as in 1.32
    for (const count of this.#failed) count.inc(0);
  }

  /** @param key of the record */
  found(key: string, type: RepairProblem): void {
    this.#found(key).inc({ type });
  }

  /** A look that is for addresses and ports at once has failed. */
  failed(): void {
    for (const count of this.#failed) count.inc();
  }
}

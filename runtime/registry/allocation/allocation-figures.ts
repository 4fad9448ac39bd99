/** Addresses and ports that services are given, counted under the names of 1.32. */
import type { Figure } from '../../observability/figures.ts';
import type { Count, Metrics } from '../../observability/metrics.ts';
import type { StorageView } from '../../storage/storage.ts';
import { type CountedKeys, KeyCounts } from '../stored-objects/key-counts.ts';

/** `static`: the service names what it wants; `dynamic`: it takes what is free. */
export type AllocationScope = 'static' | 'dynamic';

/** The counts of one range, each of which is looked up once. */
export interface AllocationCounts {
  readonly given: Readonly<Record<AllocationScope, Count>>;
  readonly refused: Readonly<Record<AllocationScope, Count>>;
}

/** The name in metrics of what a range contains. */
type AllocatorName = 'clusterip' | 'nodeport';

/** A range whose allocations are recorded in the store. */
export interface RecordedRange extends CountedKeys {
  readonly of: AllocatorName;
  /** the number of its addresses or ports */
  readonly size: number;
}

/** The most ranges whose counts are kept looked up. Ranges come and go, and few are there at a time. */
const MOST_RANGES = 1_000;

/** What the ranges are counted by. */
export class AllocationFigures {
  readonly ports: AllocationCounts;
  readonly #metrics: Pick<Metrics, 'counter' | 'histogram'>;
  readonly #addresses = new Map<string, AllocationCounts>();

  constructor(metrics: Pick<Metrics, 'counter' | 'histogram'>) {
    this.#metrics = metrics;
    this.ports = allocationCounts(metrics);
  }

  /** @param cidr of a range that there is or was */
  addresses(cidr: string): AllocationCounts {
    const known = this.#addresses.get(cidr) ?? allocationCounts(this.#metrics, cidr);
    if (this.#addresses.size >= MOST_RANGES) this.#addresses.clear();
    this.#addresses.set(cidr, known);
    return known;
  }

  /** An object holds an address from now on. @param cidr of its range. @param began of `performance.now()`, when it was looked for */
  took(cidr: string, began: number): void {
    const seconds = this.#metrics.histogram('kube_apiserver_clusterip_allocator_allocation_duration_seconds').with({ cidr });
    seconds.observe((performance.now() - began) / 1_000);
  }
}

/** @param counts absent: nothing is counted */
export function count(counts: AllocationCounts | undefined, scope: AllocationScope, isGiven: boolean): void {
  counts?.[isGiven ? 'given' : 'refused'][scope].inc();
}

/** @param cidr of a range of addresses; absent: the range of ports */
function allocationCounts(metrics: Pick<Metrics, 'counter'>, cidr?: string): AllocationCounts {
  const of: AllocatorName = cidr === undefined ? 'nodeport' : 'clusterip';
  const byScope = (name: string): Record<AllocationScope, Count> => {
    const counter = metrics.counter(`kube_apiserver_${of}_allocator_${name}`);
    const labelled = (scope: AllocationScope): Count => counter.with({ ...(cidr !== undefined && { cidr }), scope });
    return { static: labelled('static'), dynamic: labelled('dynamic') };
  };
  return { given: byScope('allocation_total'), refused: byScope('allocation_errors_total') };
}

/**
 * Shows how much of each range is given out, counted when somebody asks for figures. Each process that does so tells the same: the highest counts.
 * @param ranges those that there are now, each name once
 * @returns ends it, before the store is closed
 */
export function tellOfAllocations(
  metrics: Pick<Metrics, 'beforeScrape' | 'gauge'>,
  storage: Pick<StorageView, 'range'>,
  ranges: () => readonly RecordedRange[],
): () => void {
  const counts = new KeyCounts(storage, ranges, { period: 0 });
  const gauges = {
    clusterip: gaugesOf(metrics, 'clusterip', 'ips'),
    nodeport: gaugesOf(metrics, 'nodeport', 'ports'),
  };
  return metrics.beforeScrape(() => {
    const current = counts.current();
    const shown = { clusterip: noneShown(), nodeport: noneShown() };
    for (const { of, name, size } of ranges()) {
      // what lies outside of a range that was changed counts to it until it is given back
      const allocated = Math.min(size, current.get(name) ?? 0);
      const labels: Figure['labels'] = of === 'clusterip' ? { cidr: name } : {};
      shown[of].allocated.push({ labels, value: allocated });
      shown[of].available.push({ labels, value: size - allocated });
    }
    for (const each of ['clusterip', 'nodeport'] as const) {
      gauges[each].allocated.replace(shown[each].allocated);
      gauges[each].available.replace(shown[each].available);
    }
  });
}

const noneShown = (): { readonly allocated: Figure[]; readonly available: Figure[] } => ({ allocated: [], available: [] });

const gaugesOf = (metrics: Pick<Metrics, 'gauge'>, of: AllocatorName, unit: string) => ({
  allocated: metrics.gauge(`kube_apiserver_${of}_allocator_allocated_${unit}`),
  available: metrics.gauge(`kube_apiserver_${of}_allocator_available_${unit}`),
});

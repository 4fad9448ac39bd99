/** The metrics of flow control, with the names and labels of 1.32. */
import type { Count, Counter, Distribution, Histogram, Metrics } from '../observability/metrics.ts';
import type { RefusalReason } from './place.ts';
import type { PriorityLevel } from './priority-levels.ts';

/** The series for one schema on one level. They are looked up once per configuration, because a look-up for each request would cost time. */
export interface FlowSeries {
  readonly dispatched: Count;
  /** counts how often the next request in turn needed more seats than were free */
  readonly noRoom: Count;
  readonly seats: Distribution;
  readonly watchers: Distribution;
  readonly queueLength: Distribution;
  readonly waited: Distribution;
  readonly waitedInVain: Distribution;
  readonly executed: Distribution;
  readonly initialized: Distribution;
  refused(reason: RefusalReason): void;
}

/** The part of a place's owner that the metrics need. */
interface CountedOwner {
  readonly schema: { readonly name: string };
}

export class FlowMetrics {
  readonly #dispatched: Counter;
  readonly #noRoom: Counter;
  readonly #rejected: Counter;
  readonly #histograms: Readonly<Record<'seats' | 'watchers' | 'queueLength' | 'wait' | 'execution', Histogram>>;
  readonly #series = new Map<string, FlowSeries>();

  constructor(metrics: Metrics) {
    this.#dispatched = metrics.counter('apiserver_flowcontrol_dispatched_requests_total');
    this.#noRoom = metrics.counter('apiserver_flowcontrol_request_dispatch_no_accommodation_total');
    this.#rejected = metrics.counter('apiserver_flowcontrol_rejected_requests_total');
    this.#histograms = {
      seats: metrics.histogram('apiserver_flowcontrol_work_estimated_seats'),
      watchers: metrics.histogram('apiserver_flowcontrol_watch_count_samples'),
      queueLength: metrics.histogram('apiserver_flowcontrol_request_queue_length_after_enqueue'),
      wait: metrics.histogram('apiserver_flowcontrol_request_wait_duration_seconds'),
      execution: metrics.histogram('apiserver_flowcontrol_request_execution_seconds'),
    };
  }

  series(level: string, schema: string): FlowSeries {
    const labels = { priority_level: level, flow_schema: schema };
    const key = `${level}/${schema}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      const { seats, watchers, queueLength, wait, execution } = this.#histograms;
      series = {
        dispatched: this.#dispatched.with(labels),
        noRoom: this.#noRoom.with(labels),
        seats: seats.with(labels),
        watchers: watchers.with(labels),
        queueLength: queueLength.with(labels),
        waited: wait.with({ ...labels, execute: 'true' }),
        waitedInVain: wait.with({ ...labels, execute: 'false' }),
        executed: execution.with({ ...labels, type: 'regular' }),
        initialized: execution.with({ ...labels, type: 'watch' }),
        refused: (reason) => this.#rejected.inc({ ...labels, reason }),
      };
      this.#series.set(key, series);
    }
    return series;
  }
}

const PER_LEVEL = {
  nominal_limit_seats: ({ nominal }) => nominal,
  lower_limit_seats: ({ lowest }) => lowest,
  upper_limit_seats: ({ highest }) => highest,
  current_limit_seats: ({ queues }) => queues.limit,
  target_seats: ({ target }) => target,
  demand_seats_high_watermark: ({ queues }) => queues.demand.statistics.highWatermark,
  demand_seats_average: ({ queues }) => queues.demand.statistics.average,
  demand_seats_stdev: ({ queues }) => queues.demand.statistics.deviation,
  demand_seats_smoothed: ({ queues }) => queues.demand.statistics.smoothed,
} satisfies Record<string, (level: PriorityLevel<CountedOwner>) => number>;

const PER_FLOW = ['current_inqueue_requests', 'current_inqueue_seats', 'current_executing_requests', 'current_executing_seats'] as const;

interface ShownLevels {
  readonly all: readonly PriorityLevel<CountedOwner>[];
  readonly fairFraction: number;
  lasted?(level: PriorityLevel<CountedOwner>, now: number): void;
  tellLasted(): void;
}

/** Sets the gauges of the current state before every scrape, instead of at every change. */
export function showLevels(metrics: Metrics, levels: ShownLevels): void {
  const perLevel = Object.entries(PER_LEVEL).map(([name, of]) => ({ gauge: metrics.gauge(`apiserver_flowcontrol_${name}`), of }));
  const perFlow = PER_FLOW.map((name) => metrics.gauge(`apiserver_flowcontrol_${name}`));
  levels.lasted = lastingShares(metrics);
  const fairFraction = metrics.gauge('apiserver_flowcontrol_seat_fair_frac');
  /** all flows that were ever shown: a gauge whose requests are gone must go back to 0 */
  const flows = new Map<string, { readonly labels: Readonly<Record<string, string>>; counts: number[] }>();
  metrics.beforeScrape(() => {
    levels.tellLasted();
    fairFraction.set({}, levels.fairFraction);
    for (const flow of flows.values()) flow.counts = [0, 0, 0, 0];
    for (const level of levels.all) {
      for (const { gauge, of } of perLevel) gauge.set({ priority_level: level.name }, of(level));
      countFlows(level, flows);
    }
    for (const { labels, counts } of flows.values())
      for (const [index, gauge] of perFlow.entries()) gauge.set(labels, counts[index] as number);
  });
}

const NANOSECONDS = 1e6;

/** Observes every nanosecond, as 1.32 does, which part of a level's limits was in use. */
function lastingShares(metrics: Metrics): (level: PriorityLevel<CountedOwner>, now: number) => void {
  const seats = metrics.histogram('apiserver_flowcontrol_priority_level_seat_utilization');
  const requests = metrics.histogram('apiserver_flowcontrol_priority_level_request_utilization');
  const demand = metrics.histogram('apiserver_flowcontrol_demand_seats');
  const series = (name: string) => ({
    seats: seats.with({ priority_level: name }),
    executing: requests.with({ phase: 'executing', priority_level: name }),
    waiting: requests.with({ phase: 'waiting', priority_level: name }),
    demand: demand.with({ priority_level: name }),
  });
  const known = new Map<string, ReturnType<typeof series>>();
  return ({ name, queues, nominal }, now) => {
    let own = known.get(name);
    if (own === undefined) {
      own = series(name);
      known.set(name, own);
    }
    const limits = { seats: queues.limit, executing: queues.limit, waiting: queues.room, demand: nominal };
    for (const what of ['seats', 'executing', 'waiting', 'demand'] as const)
      for (const [value, milliseconds] of queues.lasting[what].take(now))
        own[what].observe(value / Math.max(1, limits[what]), Math.round(milliseconds * NANOSECONDS));
  };
}

function countFlows(
  { name: level, queues }: PriorityLevel<CountedOwner>,
  flows: Map<string, { readonly labels: Readonly<Record<string, string>>; counts: number[] }>,
): void {
  const count = (schema: string, at: number, seats: number): void => {
    const key = `${level}/${schema}`;
    let flow = flows.get(key);
    if (flow === undefined) {
      flow = { labels: { priority_level: level, flow_schema: schema }, counts: [0, 0, 0, 0] };
      flows.set(key, flow);
    }
    flow.counts[at] = (flow.counts[at] as number) + 1;
    flow.counts[at + 1] = (flow.counts[at + 1] as number) + seats;
  };
  for (const { waiting } of queues.queues) for (const { owner, seats } of waiting) count(owner.schema.name, 0, seats);
  for (const { owner, seats } of queues.seated) count(owner.schema.name, 2, seats);
}

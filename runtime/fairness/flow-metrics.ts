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

/** The series of what lasts on one level. */
type LastingSeries = Readonly<Record<'seats' | 'executing' | 'waiting' | 'demand', Distribution>>;

/** The requests of one schema on one level at present. */
interface ShownFlow {
  readonly labels: { readonly priority_level: string; readonly flow_schema: string };
  counts: number[];
}

/** Names a schema on a level. */
const flowKey = (level: string, schema: string): string => `${level}/${schema}`;

/** The most that are gone and still shown: what they counted last is not lost before somebody has seen it. */
const MOST_GONE = 32;

/** What was shown and is gone, in the order in which it went. */
class GoneNames {
  readonly #names = new Set<string>();

  /** @param shown all that have series. @param present those of them that are there. @returns those that went first, beyond `MOST_GONE`; they are not known any more */
  dropped(shown: Iterable<string>, present: ReadonlySet<string>): ReadonlySet<string> {
    for (const name of shown) {
      if (present.has(name)) this.#names.delete(name);
      else this.#names.add(name);
    }
    const dropped = new Set([...this.#names].slice(0, Math.max(0, this.#names.size - MOST_GONE)));
    for (const name of dropped) this.#names.delete(name);
    return dropped;
  }
}

export class FlowMetrics {
  readonly #metrics: Metrics;
  readonly #dispatched: Counter;
  readonly #noRoom: Counter;
  readonly #rejected: Counter;
  readonly #histograms: Readonly<Record<'seats' | 'watchers' | 'queueLength' | 'wait' | 'execution', Histogram>>;
  readonly #series = new Map<string, FlowSeries>();
  /** the series of levels by their names */
  readonly #lasting = new Map<string, LastingSeries>();
  /** all flows that were shown: a gauge whose requests are gone must go back to 0 */
  readonly #flows = new Map<string, ShownFlow>();
  readonly #goneFlows = new GoneNames();
  readonly #goneLevels = new GoneNames();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
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
    const key = flowKey(level, schema);
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

  /**
   * Drops the series of levels that are gone, and of schemas that are on a level no more, but for the latest ones: names come and go without end.
   * @param levels all that there are. @param inForce the schemas on them
   */
  keepOnly(levels: readonly { readonly name: string }[], inForce: readonly FlowInForce[]): void {
    const flows = new Set(inForce.map(({ name, level }) => flowKey(level.name, name)));
    const droppedFlows = this.#goneFlows.dropped([...this.#series.keys(), ...this.#flows.keys()], flows);
    const droppedLevels = this.#goneLevels.dropped(this.#lasting.keys(), new Set(levels.map(({ name }) => name)));
    if (droppedFlows.size + droppedLevels.size === 0) return;
    for (const flow of droppedFlows) {
      this.#series.delete(flow);
      this.#flows.delete(flow);
    }
    for (const level of droppedLevels) this.#lasting.delete(level);
    this.#metrics.forget(({ priority_level: level, flow_schema: schema }) => {
      if (level === undefined) return false;
      return schema === undefined ? droppedLevels.has(level) : droppedFlows.has(flowKey(level, schema));
    });
  }

  /** Sets the gauges of the current state before every scrape, instead of at every change. */
  show(levels: ShownLevels): void {
    const perLevel = Object.entries(PER_LEVEL).map(([name, of]) => ({ gauge: this.#metrics.gauge(`apiserver_flowcontrol_${name}`), of }));
    const perFlow = PER_FLOW.map((name) => this.#metrics.gauge(`apiserver_flowcontrol_${name}`));
    levels.lasted = this.#lastingShares();
    const fairFraction = this.#metrics.gauge('apiserver_flowcontrol_seat_fair_frac');
    this.#metrics.beforeScrape(() => {
      levels.tellLasted();
      fairFraction.set({}, levels.fairFraction);
      for (const flow of this.#flows.values()) flow.counts = [0, 0, 0, 0];
      for (const level of levels.all) {
        for (const { gauge, of } of perLevel) gauge.set({ priority_level: level.name }, of(level));
        this.#countFlows(level);
      }
      for (const { labels, counts } of this.#flows.values())
        for (const [index, gauge] of perFlow.entries()) gauge.set(labels, counts[index] as number);
    });
  }

  /** Observes every nanosecond, as 1.32 does, which part of a level's limits was in use. */
  #lastingShares(): (level: PriorityLevel<CountedOwner>, now: number) => void {
    const series = this.#lastingSeries();
    return ({ name, queues, nominal }, now) => {
      let own = this.#lasting.get(name);
      if (own === undefined) {
        own = series(name);
        this.#lasting.set(name, own);
      }
      const limits = { seats: queues.limit, executing: queues.limit, waiting: queues.room, demand: nominal };
      for (const what of ['seats', 'executing', 'waiting', 'demand'] as const)
        for (const [value, milliseconds] of queues.lasting[what].take(now))
          own[what].observe(value / Math.max(1, limits[what]), Math.round(milliseconds * NANOSECONDS));
    };
  }

  /** @returns a function that looks up the series of a level */
  #lastingSeries(): (name: string) => LastingSeries {
    const seats = this.#metrics.histogram('apiserver_flowcontrol_priority_level_seat_utilization');
    const requests = this.#metrics.histogram('apiserver_flowcontrol_priority_level_request_utilization');
    const demand = this.#metrics.histogram('apiserver_flowcontrol_demand_seats');
    return (name) => ({
      seats: seats.with({ priority_level: name }),
      executing: requests.with({ phase: 'executing', priority_level: name }),
      waiting: requests.with({ phase: 'waiting', priority_level: name }),
      demand: demand.with({ priority_level: name }),
    });
  }

  #countFlows({ name: level, queues }: PriorityLevel<CountedOwner>): void {
    const count = (schema: string, at: number, seats: number): void => {
      const key = flowKey(level, schema);
      let flow = this.#flows.get(key);
      if (flow === undefined) {
        flow = { labels: { priority_level: level, flow_schema: schema }, counts: [0, 0, 0, 0] };
        this.#flows.set(key, flow);
      }
      flow.counts[at] = (flow.counts[at] as number) + 1;
      flow.counts[at + 1] = (flow.counts[at + 1] as number) + seats;
    };
    for (const { waiting } of queues.queues) for (const { owner, seats } of waiting) count(owner.schema.name, 0, seats);
    for (const { owner, seats } of queues.seated) count(owner.schema.name, 2, seats);
  }
}

interface FlowInForce {
  readonly name: string;
  readonly level: { readonly name: string };
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

const NANOSECONDS = 1e6;

/**
 * API priority and fairness: decides as 1.32 does which requests run now, which wait for others, and which are refused.
 *
 *   request -> its flow schema -> the schema's priority level -> an estimate of its work -> seats, or a queue of its flow -> answer -> seats for others
 *
 * Each process follows the schemas and levels in the store, so a change applies to its next request.
 */
import type { ApiObject } from '../contract/object.ts';
import { CATCH_ALL, EXEMPT, mandatorySchemas } from '../kinds/flowcontrol/mandatory-specs.ts';
import type { Metrics } from '../observability/metrics.ts';
import { LongObject } from '../registry/stored-objects/long-value.ts';
import { type FlowClock, REAL_TIME } from './flow-clock.ts';
import { flowHash } from './flow-dealer.ts';
import { type FlowAttributes, FlowMatching, type FlowSchemaObject, type FlowUser } from './flow-matching.ts';
import { FlowMetrics, type FlowSeries } from './flow-metrics.ts';
import { CountedRequests, kindOfVerb, type RequestKind } from './inflight-requests.ts';
import { Place, type RefusalReason } from './place.ts';
import { type PriorityLevel, type PriorityLevelObject, PriorityLevels } from './priority-levels.ts';
import type { UnreadAnswers } from './unread-answers.ts';
import { type EstimatedRequest, estimateWork, ONE_SEAT, type WorkEstimate } from './work-estimate.ts';

/** The parts of a request that decide when it runs. */
export interface FlowRequest {
  readonly user: FlowUser;
  readonly info: FlowAttributes & EstimatedRequest & { readonly version: string };
  /** milliseconds of the clock */
  readonly received: number;
  /** milliseconds of the clock; absent: the request may last as long as it likes */
  readonly deadline?: number;
  /** is aborted when nobody waits for the answer any more */
  readonly signal: AbortSignal;
}

/** Figures of the server from which the work of a request is estimated. */
export interface WorkSource<Request> {
  /** number of objects that a list has to look at; undefined: nobody counts them here */
  objects(request: Request): number | undefined;
  /** number of watchers that get an event of this request's write */
  watchers(request: Request): number;
  /** see `WorkKnowledge` */
  readonly consistentFromCache: boolean;
}

/** The newest objects of one resource that this process knows. */
export interface FollowedConfiguration {
  /** a number that differs after every change */
  readonly changes: number;
  /** @throws LongObject if an object is long and not read yet */
  in(namespace: string): readonly ApiObject[];
}

export interface FlowControlParts<Request> {
  /** how many seats this process has for all levels together */
  readonly seats: number;
  readonly schemas: FollowedConfiguration;
  readonly levels: FollowedConfiguration;
  readonly work: WorkSource<Request>;
  readonly unread: Pick<UnreadAnswers, 'isHeldBy'>;
  /** milliseconds that a request without a deadline may wait for seats */
  readonly patience: number;
  readonly metrics: Metrics;
  /** the most requests of a level that have got seats after a wait and have not begun yet (see `FlowTurn.started`); default: any number */
  readonly mostStarting?: number;
  /** default: `REAL_TIME` */
  readonly clock?: FlowClock;
}

/** A flow schema that is in force, with its priority level. */
export interface FlowSchemaInForce {
  readonly object: FlowSchemaObject;
  readonly name: string;
  readonly uid: string;
  readonly level: PriorityLevel<FlowTurn>;
  readonly levelUid: string;
  readonly series: FlowSeries;
  /** the hands of the schema's flows, by their distinguishers; a cache */
  readonly hands: Map<string, readonly number[]>;
}

/** Milliseconds between two decisions on how many seats levels lend and borrow, as in 1.32. */
export const BORROWING_PERIOD = 10_000;
/** The most milliseconds that a request waits, however late its deadline is. */
const LONGEST_WAIT = 60_000;
/** A request may wait for one part in so many of the time until its deadline. */
const PART_FOR_WAITING = 4;
/** The most hands that are remembered of one schema. Clients choose users and namespaces, so their number is bounded. */
const MOST_HANDS = 4_096;
const ONE_QUEUE: readonly number[] = [0];

/** What flow control has decided on a request: it may run, or it was refused. */
export class FlowTurn {
  readonly schema: FlowSchemaInForce;
  readonly request: FlowRequest;
  readonly distinguisher: string;
  #place: Place<FlowTurn> | undefined;
  #refusal: RefusalReason | undefined;
  readonly #counted: CountedRequests[RequestKind];

  constructor(schema: FlowSchemaInForce, request: FlowRequest, distinguisher: string, counted: CountedRequests) {
    this.schema = schema;
    this.request = request;
    this.distinguisher = distinguisher;
    this.#counted = counted[kindOfVerb(request.info.verb)];
  }

  get mayRun(): boolean {
    return this.#refusal === undefined;
  }

  get refusal(): RefusalReason | undefined {
    return this.#refusal;
  }

  get schemaUid(): string {
    return this.schema.uid;
  }

  get levelUid(): string {
    return this.schema.levelUid;
  }

  /** For flow control. */
  seated(place: Place<FlowTurn>): this {
    this.#place = place;
    this.schema.series.dispatched.inc();
    this.#counted.add();
    return this;
  }

  /** For flow control. */
  refused(reason: RefusalReason): this {
    this.#refusal = reason;
    this.schema.series.refused(reason);
    return this;
  }

  /** Must be called when a request that has waited begins or goes on. Until then it counts towards `mostStarting`. */
  started(): void {
    if (this.#place !== undefined) this.schema.level.queues.started(this.#place);
  }

  /** Lends the seats to others while the request does nothing but wait for somebody else, such as its client. */
  rest(): void {
    const place = this.#place;
    if (place === undefined || place.isResting) return;
    this.#counted.remove();
    this.schema.level.queues.rest(place);
  }

  /** Takes seats again. @returns a promise if the request has to wait; it resolves when there are seats, or when the client is gone */
  resume(): Promise<void> | undefined {
    const resumed = this.#resume();
    if (resumed !== undefined) return resumed.then(() => this.started());
    this.started();
    return undefined;
  }

  #resume(): Promise<void> | undefined {
    const place = this.#place;
    if (place === undefined || !place.isResting) return undefined;
    const { queues } = this.schema.level;
    const counted = this.#counted;
    if (queues.resume(place)) return void counted.add();
    const { signal } = this.request;
    return new Promise((resolve) => {
      const gone = (): void => queues.leave(place, 'cancelled');
      place.settled = (reason) => {
        signal.removeEventListener('abort', gone);
        if (reason === undefined) counted.add();
        resolve();
      };
      if (signal.aborted) gone();
      else signal.addEventListener('abort', gone);
    });
  }

  /**
   * To be called between two pieces of long work. If others of the level wait, the rest of this request queues with them, so that each flow gets its share.
   * Whoever has waited must call `started` when it goes on. @returns a promise if somebody else comes first
   */
  giveWay(): Promise<void> | undefined {
    const place = this.#place;
    if (place?.queue === undefined || this.schema.level.queues.waiting === 0) return undefined;
    this.rest();
    return this.#resume();
  }

  /** Gives the seats back. To be called when the request was answered, or when the events of a watch begin. Further calls do nothing. */
  end(): void {
    const place = this.#place;
    if (place === undefined) return;
    this.#place = undefined;
    const { level, series } = this.schema;
    const { verb } = this.request.info;
    if (place.isSeated && !place.isResting) this.#counted.remove();
    const seconds = level.queues.end(place) / 1_000;
    (verb === 'watch' ? series.initialized : series.executed).observe(seconds);
  }
}

export class FlowControl<Request extends FlowRequest> {
  readonly levels: PriorityLevels<FlowTurn>;
  readonly #parts: FlowControlParts<Request>;
  readonly #clock: FlowClock;
  readonly #metrics: FlowMetrics;
  readonly #inFlight: CountedRequests;
  readonly #inQueue: CountedRequests;
  #matching: FlowMatching<FlowSchemaInForce>;
  #seenSchemas = -1;
  #seenLevels = -1;
  #stop: () => void;

  constructor(parts: FlowControlParts<Request>) {
    const { clock = REAL_TIME, seats, metrics, mostStarting } = parts;
    this.#parts = parts;
    this.#clock = clock;
    this.#metrics = new FlowMetrics(metrics);
    this.#inFlight = new CountedRequests(metrics, 'inflight');
    this.#inQueue = new CountedRequests(metrics, 'inqueue');
    this.levels = new PriorityLevels(clock, seats, mostStarting);
    this.levels.noRoomFor = ({ schema }) => schema.series.noRoom.inc();
    this.#matching = this.#configure([], []);
    this.#metrics.show(this.levels);
    this.#stop = this.#rebalanceLater();
  }

  close(): void {
    this.#stop();
  }

  #rebalanceLater(): () => void {
    return this.#clock.after(BORROWING_PERIOD, () => {
      this.levels.rebalance();
      this.#stop = this.#rebalanceLater();
    });
  }

  /**
   * @param isLongRunning whether the request lasts as long as its client likes; among these only watches take seats, and only until their events begin
   * @returns undefined for a request that nothing limits; a promise if it has to wait for others
   */
  begin(request: Request, isLongRunning: boolean): FlowTurn | Promise<FlowTurn> | undefined {
    const { info, user } = request;
    if (isLongRunning && info.verb !== 'watch') return undefined;
    const { schemas, levels } = this.#parts;
    if (schemas.changes !== this.#seenSchemas || levels.changes !== this.#seenLevels) this.#follow();
    const schema = this.#matching.match(user, info);
    const { level, series } = schema;
    if (this.#parts.unread.isHeldBy(user.name) && level.name !== EXEMPT)
      return new FlowTurn(schema, request, '', this.#inFlight).refused('concurrency-limit');
    const work = this.#workOf(request, schema);
    series.seats.observe(Math.max(work.initialSeats, work.finalSeats));
    const distinguisher = level.dealer === undefined ? '' : distinguisherOf(schema.object, request);
    const turn = new FlowTurn(schema, request, distinguisher, this.#inFlight);
    const place = level.queues.start(turn, work, level.dealer === undefined ? ONE_QUEUE : handOf(schema, distinguisher));
    if (!(place instanceof Place)) return turn.refused(place);
    if (place.queue !== undefined) series.queueLength.observe(place.queue.waiting.size);
    if (!place.isSeated) return this.#wait(turn, place);
    if (place.queue !== undefined) series.waited.observe(0);
    return turn.seated(place);
  }

  /** The work of a get is always the same, so most requests need no estimate. */
  #workOf(request: Request, { level, series }: FlowSchemaInForce): WorkEstimate {
    if (request.info.verb === 'get') return ONE_SEAT;
    const { work } = this.#parts;
    return estimateWork(request.info, level.mostSeats, {
      objects: () => work.objects(request) ?? 'none',
      consistentFromCache: work.consistentFromCache,
      watchers() {
        const watchers = work.watchers(request);
        series.watchers.observe(watchers);
        return watchers;
      },
    });
  }

  #wait(turn: FlowTurn, place: Place<FlowTurn>): Promise<FlowTurn> {
    const { received, deadline, signal, info } = turn.request;
    const { level, series } = turn.schema;
    const allotted = deadline === undefined ? this.#parts.patience : (deadline - received) / PART_FOR_WAITING;
    const until = received + Math.min(allotted, LONGEST_WAIT);
    const counted = this.#inQueue[kindOfVerb(info.verb)];
    counted.add();
    return new Promise((resolve) => {
      const callOff = this.#clock.after(Math.max(0, until - this.#clock.now()), () => level.queues.leave(place, 'time-out'));
      const gone = (): void => level.queues.leave(place, 'cancelled');
      place.settled = (reason) => {
        callOff();
        signal.removeEventListener('abort', gone);
        counted.remove();
        const seconds = (this.#clock.now() - place.arrived) / 1_000;
        (reason === undefined ? series.waited : series.waitedInVain).observe(seconds);
        resolve(reason === undefined ? turn.seated(place) : turn.refused(reason));
      };
      if (signal.aborted) gone();
      else signal.addEventListener('abort', gone);
    });
  }

  /** Applies changed schemas and levels. If a long object is still being read, the old ones stay in force and the next request tries again. */
  #follow(): void {
    const { schemas, levels } = this.#parts;
    try {
      const seen = [schemas.changes, levels.changes] as const;
      this.#matching = this.#configure(schemas.in('') as readonly FlowSchemaObject[], levels.in('') as readonly PriorityLevelObject[]);
      [this.#seenSchemas, this.#seenLevels] = seen;
    } catch (error) {
      if (!(error instanceof LongObject)) throw error;
    }
  }

  /** Ignores schemas whose priority level does not exist, as 1.32 does. */
  #configure(schemas: readonly FlowSchemaObject[], levels: readonly PriorityLevelObject[]): FlowMatching<FlowSchemaInForce> {
    this.levels.configure(levels);
    const byName = new Map<string, FlowSchemaObject>();
    for (const [name, spec] of Object.entries(mandatorySchemas)) byName.set(name, { metadata: { name }, spec });
    for (const schema of schemas) byName.set(schema.metadata?.name ?? '', schema);
    const inForce = [...byName.values()].flatMap((object) => this.#inForce(object) ?? []);
    this.#metrics.keepOnly(this.levels.all, inForce);
    return new FlowMatching(inForce, inForce.find(({ name }) => name === CATCH_ALL) as FlowSchemaInForce);
  }

  #inForce(object: FlowSchemaObject): FlowSchemaInForce | undefined {
    const name = object.metadata?.name ?? '';
    const level = this.levels.get(object.spec?.priorityLevelConfiguration?.name ?? '');
    if (level === undefined) return undefined;
    return {
      object,
      name,
      uid: object.metadata?.uid ?? '',
      level,
      levelUid: level.object.metadata?.uid ?? '',
      series: this.#metrics.series(level.name, name),
      hands: new Map(),
    };
  }
}

/** @returns the text that tells the flows of a schema apart: a user, a namespace, or nothing where the schema has one flow only */
function distinguisherOf({ spec }: FlowSchemaObject, { user, info }: FlowRequest): string {
  const type = spec?.distinguisherMethod?.type;
  if (type === 'ByUser') return user.name;
  return type === 'ByNamespace' ? info.namespace : '';
}

function handOf({ name, level, hands }: FlowSchemaInForce, distinguisher: string): readonly number[] {
  let hand = hands.get(distinguisher);
  if (hand === undefined) {
    hand = level.dealer?.deal(flowHash(name, distinguisher)) ?? ONE_QUEUE;
    if (hands.size >= MOST_HANDS) hands.clear();
    hands.set(distinguisher, hand);
  }
  return hand;
}

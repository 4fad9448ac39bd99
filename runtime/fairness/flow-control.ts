/**
 * Priority and fairness: which requests are answered now, which wait for others, and which are refused, as 1.32 does it.
 *
 *   request -> its flow schema -> the level of that -> its work -> seats, or a queue of its flow -> answered -> seats for others
 *
 * What schemas and levels say is followed from the store: a change counts from the next request on, in every process.
 */
import type { ApiObject } from '../contract/object.ts';
import { CATCH_ALL, EXEMPT, mandatorySchemas } from '../kinds/flowcontrol/mandatory-specs.ts';
import type { Metrics } from '../observability/metrics.ts';
import { LongObject } from '../registry/long-value.ts';
import { type FlowClock, REAL_TIME } from './flow-clock.ts';
import { flowHash } from './flow-dealer.ts';
import { type FlowAttributes, FlowMatching, type FlowSchemaObject, type FlowUser } from './flow-matching.ts';
import { FlowMetrics, type FlowSeries, showLevels } from './flow-metrics.ts';
import { CountedRequests, kindOfVerb, type RequestKind } from './inflight-requests.ts';
import { Place, type RefusalReason } from './place.ts';
import { type PriorityLevel, type PriorityLevelObject, PriorityLevels } from './priority-levels.ts';
import type { UnreadAnswers } from './unread-answers.ts';
import { type EstimatedRequest, estimateWork, ONE_SEAT, type WorkEstimate } from './work-estimate.ts';

/** What of a request decides about its turn. */
export interface FlowRequest {
  readonly user: FlowUser;
  readonly info: FlowAttributes & EstimatedRequest & { readonly version: string };
  /** of the clock */
  readonly received: number;
  /** of the clock; absent: it may last as long as it likes */
  readonly deadline?: number;
  /** ends when nobody waits for the answer any more */
  readonly signal: AbortSignal;
}

/** What the server knows of the work that a request is. */
export interface WorkSource<Request> {
  /** objects that a list of this request is about; undefined: nobody counts them here */
  objects(request: Request): number | undefined;
  /** watchers that hear of this request's write */
  watchers(request: Request): number;
}

/** Objects of one resource, which are the newest that this process knows. */
export interface FollowedConfiguration {
  /** another number each time that something has changed */
  readonly changes: number;
  /** @throws LongObject for one that is not read yet */
  in(namespace: string): readonly ApiObject[];
}

export interface FlowControlParts<Request> {
  /** that this process may give away */
  readonly seats: number;
  readonly schemas: FollowedConfiguration;
  readonly levels: FollowedConfiguration;
  readonly work: WorkSource<Request>;
  readonly unread: Pick<UnreadAnswers, 'isHeldBy'>;
  /** milliseconds that a request without a deadline may wait */
  readonly patience: number;
  readonly metrics: Metrics;
  /** requests of a level that have waited, have seats, and have not begun yet (`FlowTurn.started`); default: any number */
  readonly mostStarting?: number;
  /** default: as it goes */
  readonly clock?: FlowClock;
}

/** A schema that is in force, with its level. */
export interface FlowSchemaInForce {
  readonly object: FlowSchemaObject;
  readonly name: string;
  readonly uid: string;
  readonly level: PriorityLevel<FlowTurn>;
  readonly levelUid: string;
  readonly series: FlowSeries;
  /** of flows, by what tells them apart */
  readonly hands: Map<string, readonly number[]>;
}

/** Milliseconds between two looks at what levels lend and borrow, as in 1.32. */
export const BORROWING_PERIOD = 10_000;
/** Milliseconds that a request waits at most, whatever time it has. */
const LONGEST_WAIT = 60_000;
/** Part of its time that a request may wait. */
const PART_FOR_WAITING = 4;
/** Hands that are remembered of one schema. */
const MOST_HANDS = 4_096;
const ONE_QUEUE: readonly number[] = [0];

/** A request's turn: it is answered, or refused. */
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

  /** To be called when one that has waited begins, or goes on. */
  started(): void {
    if (this.#place !== undefined) this.schema.level.queues.started(this.#place);
  }

  /** Lets others have the seats, while nothing is done for the request but that somebody else is waited for. */
  rest(): void {
    const place = this.#place;
    if (place === undefined || place.isResting) return;
    this.#counted.remove();
    this.schema.level.queues.rest(place);
  }

  /** Takes seats again. @returns a promise where it waits for others, or for the end of the request */
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
   * Between two pieces of its work: where others of its level wait, all of them and what is left of this one go on by their shares. `started` is to be called
   * when it does. @returns a promise where somebody else comes first
   */
  giveWay(): Promise<void> | undefined {
    const place = this.#place;
    if (place?.queue === undefined || this.schema.level.queues.waiting === 0) return undefined;
    this.rest();
    return this.#resume();
  }

  /** Gives the seats to others. To be called when the request was answered; of a watch when its events begin. */
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
    showLevels(metrics, this.levels);
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
   * @param isLongRunning it lasts as long as its client likes: of these watches alone wait, for their beginning
   * @returns undefined for one that nothing limits; a promise where it waits for others
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

  /** Of most requests it is known at once. */
  #workOf(request: Request, { level, series }: FlowSchemaInForce): WorkEstimate {
    if (request.info.verb === 'get') return ONE_SEAT;
    const { work } = this.#parts;
    return estimateWork(request.info, level.mostSeats, {
      objects: () => work.objects(request) ?? 'none',
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

  /** One that takes long to read is in force a little later. */
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

  /** Schemas whose level is not there count as if they were not there themselves. */
  #configure(schemas: readonly FlowSchemaObject[], levels: readonly PriorityLevelObject[]): FlowMatching<FlowSchemaInForce> {
    this.levels.configure(levels);
    const byName = new Map<string, FlowSchemaObject>();
    for (const [name, spec] of Object.entries(mandatorySchemas)) byName.set(name, { metadata: { name }, spec });
    for (const schema of schemas) byName.set(schema.metadata?.name ?? '', schema);
    const inForce = [...byName.values()].flatMap((object) => this.#inForce(object) ?? []);
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

/** What tells the flows of a schema apart. */
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

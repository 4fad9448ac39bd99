/** A client's request, from its head to the end of its answer. Steps of the chain note what they find out, and later steps and handlers read it. */
import type { Context } from 'koa';
import type { RequestRecorder } from '../../audit/request-recorder.ts';
import { WatchedWaits } from '../../collections/watched-waits.ts';
import { ClientAnswer } from '../../connections/client-answer.ts';
import { isClientGone, whenClientGone } from '../../connections/client-gone.ts';
import type { Choice, RequestContext, User } from '../../contract/request-context.ts';
import type { RequestHeaders, TraceParent } from '../../contract/trace.ts';
import type { RequestSeries } from '../../observability/request-metrics.ts';
import type { RegistrySnapshot } from '../../registry/resources/registry-snapshot.ts';
import { NOBODY_WAITS } from '../../status/nobody-waits.ts';
import type { StatusError } from '../../status/status.ts';
import { askedName } from './authorization-attributes.ts';
import type { ClientTrace } from './client-trace.ts';
import type { RequestInfo } from './request-info.ts';
import { StepTimes } from './step-times.ts';
import { addWarnings } from './warnings.ts';

/** The seats that a request holds while it is worked on (`runtime/fairness/`). */
interface RestingTurn {
  rest(): void;
  /** @returns a promise where the request has to wait for seats */
  resume(): Promise<void> | undefined;
  /** Lets others have their turn. @returns a promise where somebody takes it. `started` is to be called next */
  giveWay(): Promise<void> | undefined;
  started(): void;
}

/** Milliseconds between looks at requests that wait for their clients. */
const LOOK = 10;
/** A request that has waited for so many looks, 20 to 30 ms, gives its seats back: a client that keeps pace takes a part of an answer within that time. */
const KEEPS_PACE_LOOKS = 3;
const resting = new WatchedWaits(LOOK);

/** Bounds of what policies and webhooks of users may add to an audit event: a number of annotations, and characters of all of them. */
const MOST_ANNOTATIONS = 100;
const MOST_ANNOTATED = 256 * 1024;

/** How many choices are kept for another thread, which chooses the others anew: a delete of a collection reads the clock for each object. */
const MOST_CHOICES = 100;

/** The trace parent that a request which is not traced here hands on to other servers. */
export type Untraced = (headers: RequestHeaders) => TraceParent;

/** Stands in `state` of Koa's context. Steps of the chain fill its members: a member can be read behind the step that fills it. */
export class ClientRequest implements RequestContext {
  readonly id: string;
  /** when its head had come, of `performance.now()` */
  readonly received = performance.now();
  /** everything that is sent to the client goes through it */
  readonly answer: ClientAnswer;
  info!: RequestInfo;
  /** what was served when the request began */
  registry!: RegistrySnapshot;
  /** the user as whom the request acts, after authentication and impersonation; set by these steps */
  user!: User;
  /** the user who has authenticated, if another one than `user` */
  impersonator?: User;
  /** the body; absent if it was not read yet, or if it is long */
  body?: Buffer;
  /** absent if no audit policy records the request */
  recorder?: RequestRecorder;
  /** the metrics that count the request; absent if it is not for a resource, or has not reached its handler yet */
  series?: RequestSeries;
  /** whether admission is not asked about what the request deletes, because the server itself deletes it */
  skipsAdmission = false;
  /** whether the request has reached the handler of a resource, so that errors have all forms that the resource's objects have */
  isOfResource = false;
  /** absent if the request is not traced */
  trace?: ClientTrace;
  /** when the request's time is over, by `performance.now()`; absent if its time is not limited */
  deadline?: number;
  /** absent if the request takes no seats, or has none yet */
  turn?: RestingTurn;
  /** the number of things that the request waits for at the same time */
  #waits = 0;
  /** since when it waits for any of them, by `performance.now()` */
  #waitsSince = 0;
  #waited = 0;
  #spentOn: (() => string) | undefined;
  readonly #context: Context;
  readonly #untraced: Untraced | undefined;
  #over: StatusError | undefined;
  #controller: AbortController | undefined;
  #annotations: Map<string, string> | undefined;
  #annotated = 0;
  #choices: Choice[] | undefined;
  #given: Choice[] | undefined;
  /** undefined if no step was measured yet */
  #steps: StepTimes | undefined;

  /** @param untraced what other servers are told if the request is not traced; undefined if they are told nothing */
  constructor(id: string, context: Context, untraced?: Untraced) {
    this.id = id;
    this.#context = context;
    this.#untraced = untraced;
    this.answer = new ClientAnswer(context.res);
  }

  get verb(): string {
    return this.info.verb;
  }

  get version(): string {
    const { group, version } = this.info;
    return group === '' ? version : `${group}/${version}`;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#over !== undefined) this.#controller.abort(this.#over);
      else whenClientGone(this.#context.res, () => this.#clientGone());
    }
    return this.#controller.signal;
  }

  /** Ends the work for the request, unless its answer has ended: then there is none. */
  #clientGone(): void {
    if (!this.answer.hasEnded) this.end(NOBODY_WAITS);
  }

  /** Ends the work for the request. @param reason for the client, where it is still there */
  end(reason: StatusError): void {
    if (this.#over !== undefined) return;
    this.#over = reason;
    this.#controller?.abort(reason);
  }

  /** @throws StatusError where the request's time is over, or its client has gone */
  throwIfOver(): void {
    if (this.#over !== undefined) throw this.#over;
    if (!this.answer.hasEnded && isClientGone(this.#context.res)) throw NOBODY_WAITS;
  }

  /** see `askedName` */
  get askedName(): string {
    return this.info === undefined ? '' : askedName(this.info);
  }

  /** Whether nobody takes more of the answer: its time is over, or the client has gone. */
  get isOver(): boolean {
    return this.#over !== undefined || isClientGone(this.#context.res);
  }

  /** Notes what the time is spent on, for the error when it is over. The last note counts. */
  spentOn(tell: () => string): void {
    this.#spentOn = tell;
  }

  /** A text about where the time went; empty if nobody tells. */
  get spent(): string {
    return this.#spentOn?.() ?? '';
  }

  waits(): () => void {
    if (this.#waits++ === 0) this.#waitsSince = performance.now();
    return () => {
      if (--this.#waits === 0) this.#waited += performance.now() - this.#waitsSince;
    };
  }

  /** The seconds in which the request waited for its turn or for webhooks. */
  get secondsElsewhere(): number {
    const going = this.#waits === 0 ? 0 : performance.now() - this.#waitsSince;
    return (this.#waited + going) / 1_000;
  }

  /**
   * Waits for somebody else than this server, of all that is left to do for the request: its client, or other answers that hold memory. Where that takes
   * long, others have the turn meanwhile, and it waits for the next one.
   */
  async rests<T>(until: Promise<T>): Promise<T> {
    const { turn } = this;
    if (turn === undefined) return until;
    let hasRested = false;
    const over = resting.begin((looks) => {
      if (looks < KEEPS_PACE_LOOKS) return false;
      hasRested = true;
      turn.rest();
      return true;
    });
    try {
      return await until;
    } finally {
      over();
      if (hasRested) await this.#waitFor(turn.resume());
    }
  }

  get traceParent(): TraceParent | undefined {
    return this.trace?.current ?? this.#untraced?.(this.#context.req.headers);
  }

  /** Between two pieces of its work: lets others go on whose turn it is. `turn.started` is to be called when this one does. */
  giveWay(): Promise<void> | undefined {
    const going = this.turn?.giveWay();
    return going && this.#waitFor(going);
  }

  async #waitFor(turn: Promise<void> | undefined): Promise<void> {
    if (turn === undefined) return;
    const goesOn = this.waits();
    await turn;
    goesOn();
  }

  warn(text: string): void {
    addWarnings(this.#context, [text]);
  }

  chosen<T extends string | number>(what: string, make: () => T): T {
    const value = this.#given === undefined ? make() : this.#givenOr(what, make);
    this.#choices ??= [];
    if (this.#choices.length < MOST_CHOICES) this.#choices.push([what, value]);
    return value;
  }

  choosesAnew(): void {
    this.#choices = undefined;
    this.#given = undefined;
  }

  /** What was chosen for it so far. */
  get choices(): readonly Choice[] {
    return this.#choices ?? [];
  }

  /** What was chosen elsewhere is told for as long as the same is asked for. */
  #givenOr<T extends string | number>(what: string, make: () => T): T {
    const next = this.#given?.shift();
    if (next?.[0] === what) return next[1] as T;
    this.#given = undefined;
    return make();
  }

  /** Has what was chosen on another thread, for the same request, be chosen again. */
  give(choices: readonly Choice[]): void {
    this.#given = [...choices];
  }

  annotate(key: string, value: string): void {
    this.#annotations ??= new Map();
    const annotated = this.#annotated + key.length + value.length;
    if (this.#annotations.size >= MOST_ANNOTATIONS || annotated > MOST_ANNOTATED || this.#annotations.has(key)) return;
    this.#annotations.set(key, value);
    this.#annotated = annotated;
  }

  get isRecordedWhole(): boolean {
    return this.recorder?.sentForm.whole === true;
  }

  /** What was noted for audit. */
  get annotations(): ReadonlyMap<string, string> {
    return this.#annotations ?? NO_ANNOTATIONS;
  }

  took(step: string, milliseconds: number): void {
    this.#steps ??= new StepTimes();
    this.#steps.add(step, milliseconds);
  }

  /** milliseconds by step */
  get timings(): ReadonlyMap<string, number> {
    return this.#steps?.all ?? NO_STEPS;
  }
}

const NO_STEPS: ReadonlyMap<string, number> = new Map();
const NO_ANNOTATIONS: ReadonlyMap<string, string> = new Map();

export const requestOf = ({ state }: Pick<Context, 'state'>): ClientRequest => state as ClientRequest;

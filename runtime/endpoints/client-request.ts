/** A client's request, from its head to the end of its answer: what the chain knows of it, for all that come later in it. */
import type { Context } from 'koa';
import type { RequestRecorder } from '../audit/request-recorder.ts';
import { WatchedWaits } from '../collections/watched-waits.ts';
import { ClientAnswer } from '../connections/client-answer.ts';
import { isClientGone, whenClientGone } from '../connections/client-gone.ts';
import type { Choice, RequestContext, User } from '../contract/request-context.ts';
import type { RequestHeaders, TraceParent } from '../contract/trace.ts';
import type { RequestSeries } from '../observability/request-metrics.ts';
import type { RegistrySnapshot } from '../registry/registry-snapshot.ts';
import { newTimeout, type StatusError } from '../status/status.ts';
import type { ClientTrace } from './client-trace.ts';
import type { RequestInfo } from './request-info.ts';
import { StepTimes } from './step-times.ts';
import { addWarnings } from './warnings.ts';

/** What a request holds while something is done for it (`runtime/fairness/`). */
interface RestingTurn {
  rest(): void;
  /** @returns a promise where it waits for others */
  resume(): Promise<void> | undefined;
  /** @returns a promise where it is the turn of others first. `started` follows */
  giveWay(): Promise<void> | undefined;
  started(): void;
}

/** Milliseconds from look to look at who waits for somebody else. */
const LOOK = 10;
/** After 20 to 30 ms others have the turn: a client that keeps pace takes no longer for a part of an answer. */
const KEEPS_PACE_LOOKS = 3;
const resting = new WatchedWaits(LOOK);

/** What audit says of a request has a bound, whatever policies and webhooks of users note: annotations, and characters of all of them. */
const MOST_ANNOTATIONS = 100;
const MOST_ANNOTATED = 256 * 1024;

/** What is chosen beyond these is chosen anew by another thread: a delete of a collection looks at the clock for each object. */
const MOST_CHOICES = 100;

/** Of requests that are not traced: what they are part of for servers that are asked for them. */
export type Untraced = (headers: RequestHeaders) => TraceParent;

/** It stands in `state` of Koa's context. Filled by the chain: who reads a member comes behind the step that fills it. */
export class ClientRequest implements RequestContext {
  readonly id: string;
  /** of `performance.now()`, when its head had come */
  readonly received = performance.now();
  /** all that leaves for the client leaves by it */
  readonly answer: ClientAnswer;
  info!: RequestInfo;
  /** what was served when the request began */
  registry!: RegistrySnapshot;
  /** who the request acts as, in everything that follows authentication */
  user!: User;
  /** who asked, where that is somebody else */
  impersonator?: User;
  /** the body, once it was read; absent: it was not, or it is long */
  body?: Buffer;
  /** absent: nobody records it */
  recorder?: RequestRecorder;
  /** by what it is measured; absent: it is none for a resource, or has not come so far */
  series?: RequestSeries;
  /** admission has no say in what it deletes: the server itself asks */
  isUnasked = false;
  /** it has come to a resource, whose refusals have all forms that its objects have */
  isOfResource = false;
  /** absent: it is not traced */
  trace?: ClientTrace;
  /** filled by the chain, where the request's time is limited */
  deadline?: number;
  /** absent: it takes no turn, or has not come so far */
  turn?: RestingTurn;
  /** what it waits for at once, and since when it waits for anything */
  #waits = 0;
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
  /** absent: nobody has told of any step */
  #steps: StepTimes | undefined;

  /** @param untraced undefined: servers that are asked for it are told of no trace, where it is not traced */
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

  /** Behind an answer that has ended nothing is done any longer that a signal could end. */
  #clientGone(): void {
    if (!this.answer.hasEnded) this.end(NOBODY_WAITS);
  }

  /** Ends what is done for the request, whose client is told so or has gone. */
  end(reason: StatusError): void {
    if (this.#over !== undefined) return;
    this.#over = reason;
    this.#controller?.abort(reason);
  }

  /** @throws StatusError where the request's time is over, or the client has gone, whether or not anybody has asked for the signal before */
  throwIfOver(): void {
    if (this.#over !== undefined) throw this.#over;
    if (!this.answer.hasEnded && isClientGone(this.#context.res)) throw NOBODY_WAITS;
  }

  /** Whether nobody takes more of the answer: its time is over, or the client has gone. */
  get isOver(): boolean {
    return this.#over !== undefined || isClientGone(this.#context.res);
  }

  /** Who speaks last is heard. */
  spentOn(tell: () => string): void {
    this.#spentOn = tell;
  }

  /** what the time went to; '' where nobody says so */
  get spent(): string {
    return this.#spentOn?.() ?? '';
  }

  waits(): () => void {
    if (this.#waits++ === 0) this.#waitsSince = performance.now();
    return () => {
      if (--this.#waits === 0) this.#waited += performance.now() - this.#waitsSince;
    };
  }

  /** of its time, the seconds in which it waited for its turn, or for webhooks */
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

  /** what was noted for audit */
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

/** One for all: every answer ends with it, and nobody reads where it was thrown. */
const NOBODY_WAITS = newTimeout('nobody waits for the answer any longer');

const NO_STEPS: ReadonlyMap<string, number> = new Map();
const NO_ANNOTATIONS: ReadonlyMap<string, string> = new Map();

export const requestOf = ({ state }: Pick<Context, 'state'>): ClientRequest => state as ClientRequest;

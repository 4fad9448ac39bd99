/** What rules, admission, conversion and outbound calls may know of the request that they work for, or of work that the server does by itself. */
import type { Trace, TraceParent } from './trace.ts';

/** The user who sends a request, as authentication has found out. Nobody may change the object, because caches use it as a key. */
export interface User {
  readonly name: string;
  /** empty if authentication knows none */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface RequestContext {
  /** the id in the header `Audit-Id`; empty if the server works by itself */
  readonly id: string;
  /** the user for whom the work is done; absent if the server works by itself */
  readonly user?: User | undefined;
  /** the verb of the API, such as `create`; empty if the server works by itself */
  readonly verb: string;
  /** the version of the request, such as `v1` or `apps/v1`; empty if the server works by itself */
  readonly version: string;
  /** is aborted when the request's time is over or its client has gone, with a StatusError as the reason; it is made when it is first read */
  readonly signal: AbortSignal;
  /** Costs less than `signal`. @throws StatusError if the request's time is over or its client has gone, so that nothing more may be begun for it */
  throwIfOver(): void;
  /** when the request arrived, by `performance.now()`; absent if the server works by itself */
  readonly received?: number | undefined;
  /** when the request's time is over, by `performance.now()`; absent if its time is not limited */
  readonly deadline?: number | undefined;
  /**
   * Determines what the client is told about where the time went if the request's time ends. Absent if the server works by itself.
   * @param tell is called then; it returns an empty text if there is nothing to tell
   */
  spentOn?(tell: () => string): void;
  /**
   * Notes that the request waits for its turn or for another server from now on, which does not count as the server's own time. Absent if the server works by
   * itself.
   * @returns a function that ends the waiting
   */
  waits?(): () => void;
  /** Sends a warning to the client; absent if the server works by itself. */
  warn?(text: string): void;
  /** Notes something for audit. The first value under a key stays. @param key such as `pod-security.${domain}/audit-violations` */
  annotate(key: string, value: string): void;
  /** whether audit records the whole of what the client sends, and what admission changes in it; default false */
  readonly isRecordedWhole?: boolean;
  /**
   * Remembers a choice that depends on chance or the clock, so that another thread which does the request again makes the same choices. Absent if the server
   * works by itself.
   * @param what names the choice, such as `uid`
   * @param make makes the choice
   * @returns the result of `make`, or of the thread before
   */
  chosen?<T extends string | number>(what: string, make: () => T): T;
  /** Notes that a write is tried again, with new choices. Absent if the server works by itself. */
  choosesAnew?(): void;
  /** Adds to the time that a step has taken. @param step one of a fixed set of names, such as `admission` */
  took(step: string, milliseconds: number): void;
  /** the trace of the request; absent if it is not traced */
  readonly trace?: Trace | undefined;
  /** what other servers that are asked for the request are told of a trace; absent if they are told nothing */
  readonly traceParent?: TraceParent | undefined;
}

/** Who waits for the answer of another server. The question is given up when the signal is aborted, and the other server is told of the trace. */
export type Waiting = Pick<RequestContext, 'signal' | 'trace' | 'traceParent'> & Partial<Pick<RequestContext, 'verb'>>;

/**
 * Tells whether another thread may do a request again from the beginning: any of a client, except the delete of a collection, a part of which may be done
 * already.
 */
export const mayBeMoved = ({ verb = '' }: Pick<Waiting, 'verb'>): boolean => verb !== '' && verb !== 'deletecollection';

/** Chooses something for a request by `RequestContext.chosen`, or by `make` if the request does not have that. */
export const chosenFor = <T extends string | number>(request: Pick<RequestContext, 'chosen'>, what: string, make: () => T): T =>
  request.chosen === undefined ? make() : request.chosen(what, make);

/** Something that was chosen for a request. */
export type Choice = readonly [what: string, value: string | number];

/** The context of work that the server does by itself, without limits of time and without records. */
export const OWN_WORK: RequestContext = {
  id: '',
  verb: '',
  version: '',
  signal: new AbortController().signal,
  throwIfOver() {},
  annotate() {},
  took() {},
};

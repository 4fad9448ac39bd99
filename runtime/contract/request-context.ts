/** One request on its way through the server, or work of the server's own: handed to rules, admission, conversion and outbound calls. */
import type { Trace, TraceParent } from './trace.ts';

/** Who asks, as authentication established it. */
export interface User {
  readonly name: string;
  /** '' where authentication knows none */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface RequestContext {
  /** as the header Audit-Id has it; '' where no client asks */
  readonly id: string;
  /** who it is done for; absent where the server does something by itself */
  readonly user?: User | undefined;
  /** of the API, such as `create`; '' where no client asks */
  readonly verb: string;
  /** version that the request speaks, such as `v1` or `apps/v1`; '' where no client asks */
  readonly version: string;
  /** Aborted when the request's time is over or its client has gone; the reason is a StatusError. Made when it is first asked for. */
  readonly signal: AbortSignal;
  /** Costs less than `signal`. @throws StatusError where the request's time is over: nothing may be begun for it */
  throwIfOver(): void;
  /** of `performance.now()`, when it came; absent where no client asks */
  readonly received?: number | undefined;
  /** of `performance.now()`, when the request's time is over; absent: it has all the time */
  readonly deadline?: number | undefined;
  /** Has the client told what the time went to, should it be used up. @param tell called then; '' where there is nothing to tell. Absent where no client asks */
  spentOn?(tell: () => string): void;
  /** It waits for its turn or for another server from now on, which is not counted as the server's own time. @returns ends that. Absent where no client asks */
  waits?(): () => void;
  /** Sends a warning to the client; absent where no client asks. */
  warn?(text: string): void;
  /** Notes something for audit. @param key such as `pod-security.${domain}/audit-violations`. What was noted first under a key stays. */
  annotate(key: string, value: string): void;
  /** true: what the client sends is recorded, and so is what others change of it */
  readonly isRecordedWhole?: boolean;
  /**
   * What chance or the clock says: another thread that does the request anew is told the same. Absent where no client asks.
   * @param what is chosen, such as `uid`. @param make chooses it
   */
  chosen?<T extends string | number>(what: string, make: () => T): T;
  /** Something is tried anew, and all is chosen anew with it. Absent where no client asks */
  choosesAnew?(): void;
  /** Adds to the time that a step has taken. @param step one of a fixed set of names, such as `admission` */
  took(step: string, milliseconds: number): void;
  /** absent: it is not traced */
  readonly trace?: Trace | undefined;
  /** for servers that are asked for it; absent: they are told of no trace */
  readonly traceParent?: TraceParent | undefined;
}

/** Who waits for what another server is asked: nobody asks on once the signal is aborted, and the other server is told of the trace. */
export type Waiting = Pick<RequestContext, 'signal' | 'trace' | 'traceParent'> & Partial<Pick<RequestContext, 'verb'>>;

/** Whether another thread may do the request anew: what a client asks for, but for deletes of a collection, of which a part may be done. */
export const mayBeMoved = ({ verb = '' }: Pick<Waiting, 'verb'>): boolean => verb !== '' && verb !== 'deletecollection';

/** What chance or the clock says for a request, as of `RequestContext.chosen`. */
export const chosenFor = <T extends string | number>(request: Pick<RequestContext, 'chosen'>, what: string, make: () => T): T =>
  request.chosen === undefined ? make() : request.chosen(what, make);

/** What was chosen for a request, in order. */
export type Choice = readonly [what: string, value: string | number];

/** Work of the server's own, which nobody waits for and nobody hears of. */
export const OWN_WORK: RequestContext = {
  id: '',
  verb: '',
  version: '',
  signal: new AbortController().signal,
  throwIfOver() {},
  annotate() {},
  took() {},
};

/** The limits of 1.32 without priority and fairness: a number of reads and a number of writes may run at a time, whoever asks. More are refused. */
import type { Metrics } from '../observability/metrics.ts';
import type { FlowUser } from './flow-matching.ts';
import { CountedRequests, kindOfVerb, type RequestKind } from './inflight-requests.ts';
import type { UnreadAnswers } from './unread-answers.ts';

/** Requests of this group are never refused, as in 1.32. */
const UNLIMITED_GROUP = 'system:masters';

interface LimitedRequest {
  readonly user: FlowUser;
  readonly info: { readonly verb: string };
}

/** What was decided on a request: it may run, or it was refused. It has the methods of `FlowTurn`. */
export interface LimitedTurn {
  readonly mayRun: boolean;
  started(): void;
  /** Stops counting the request while it waits for somebody else. `resume` must follow before `end`. */
  rest(): void;
  resume(): undefined;
  /** Does nothing, because nobody waits without queues. */
  giveWay(): undefined;
  /** Must be called once when a request that may run was answered. */
  end(): void;
}

const NOTHING = (): undefined => {};
const REFUSED: LimitedTurn = { mayRun: false, started: NOTHING, rest: NOTHING, resume: NOTHING, giveWay: NOTHING, end: NOTHING };

function turnOf(counted: CountedRequests[RequestKind]): LimitedTurn {
  const remove = (): void => counted.remove();
  return { mayRun: true, started: NOTHING, rest: remove, resume: () => void counted.add(), giveWay: NOTHING, end: remove };
}

export class InflightLimits {
  readonly #counted: CountedRequests;
  readonly #limits: Readonly<Record<RequestKind, number>>;
  readonly #unread: Pick<UnreadAnswers, 'isHeldBy'>;
  readonly #turns: Readonly<Record<RequestKind, LimitedTurn>>;

  /** @param limits the most requests of a kind at a time; 0: no limit */
  constructor(limits: Readonly<Record<RequestKind, number>>, metrics: Metrics, unread: Pick<UnreadAnswers, 'isHeldBy'>) {
    this.#limits = limits;
    this.#unread = unread;
    this.#counted = new CountedRequests(metrics, 'inflight');
    const { readOnly, mutating } = this.#counted;
    this.#turns = { readOnly: turnOf(readOnly), mutating: turnOf(mutating) };
  }

  /** @returns undefined for a request that nothing limits */
  begin({ user, info }: LimitedRequest, isLongRunning: boolean): LimitedTurn | undefined {
    if (isLongRunning) return undefined;
    const kind = kindOfVerb(info.verb);
    const limit = this.#limits[kind];
    if (limit === 0) return undefined;
    const counted = this.#counted[kind];
    if (counted.now >= limit || this.#unread.isHeldBy(user.name)) return user.groups.includes(UNLIMITED_GROUP) ? undefined : REFUSED;
    counted.add();
    return this.#turns[kind];
  }
}

/** What 1.32 does without priority and fairness: so many reads and so many writes are answered at a time, whoever asks; others are refused. */
import type { Metrics } from '../observability/metrics.ts';
import type { FlowUser } from './flow-matching.ts';
import { CountedRequests, kindOfVerb, type RequestKind } from './inflight-requests.ts';
import type { UnreadAnswers } from './unread-answers.ts';

/** Whose requests are never refused. */
const UNLIMITED_GROUP = 'system:masters';

interface LimitedRequest {
  readonly user: FlowUser;
  readonly info: { readonly verb: string };
}

/** A request that is answered, or refused. */
export interface LimitedTurn {
  readonly mayRun: boolean;
  started(): void;
  /** Does not count it while nothing is done for it. `resume` follows, before `end`. */
  rest(): void;
  resume(): undefined;
  /** Nobody waits. */
  giveWay(): undefined;
  /** To be called once, when one that may run was answered. */
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

  /** @param limits 0: there is none */
  constructor(limits: Readonly<Record<RequestKind, number>>, metrics: Metrics, unread: Pick<UnreadAnswers, 'isHeldBy'>) {
    this.#limits = limits;
    this.#unread = unread;
    this.#counted = new CountedRequests(metrics, 'inflight');
    const { readOnly, mutating } = this.#counted;
    this.#turns = { readOnly: turnOf(readOnly), mutating: turnOf(mutating) };
  }

  /** @returns undefined for one that nothing limits */
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

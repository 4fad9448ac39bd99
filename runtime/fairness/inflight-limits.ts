/** What 1.32 does without priority and fairness: so many reads and so many writes are answered at a time, whoever asks; others are refused. */
import type { Metrics } from '../observability/metrics.ts';
import type { FlowUser } from './flow-matching.ts';
import { CountedRequests, kindOfVerb, type RequestKind } from './inflight-requests.ts';

/** Whose requests are never refused. */
const UNLIMITED_GROUP = 'system:masters';

interface LimitedRequest {
  readonly user: FlowUser;
  readonly info: { readonly verb: string };
}

/** A request that is answered, or refused. */
export interface LimitedTurn {
  readonly mayRun: boolean;
  /** To be called once, when one that may run was answered. */
  end(): void;
}

const REFUSED: LimitedTurn = { mayRun: false, end: () => {} };

export class InflightLimits {
  readonly #counted: CountedRequests;
  readonly #limits: Readonly<Record<RequestKind, number>>;
  readonly #turns: Readonly<Record<RequestKind, LimitedTurn>>;

  /** @param limits 0: there is none */
  constructor(limits: Readonly<Record<RequestKind, number>>, metrics: Metrics) {
    this.#limits = limits;
    this.#counted = new CountedRequests(metrics, 'inflight');
    const { readOnly, mutating } = this.#counted;
    this.#turns = { readOnly: { mayRun: true, end: () => readOnly.remove() }, mutating: { mayRun: true, end: () => mutating.remove() } };
  }

  /** @returns undefined for one that nothing limits */
  begin({ user, info }: LimitedRequest, isLongRunning: boolean): LimitedTurn | undefined {
    if (isLongRunning) return undefined;
    const kind = kindOfVerb(info.verb);
    const limit = this.#limits[kind];
    if (limit === 0) return undefined;
    const counted = this.#counted[kind];
    if (counted.now >= limit) return user.groups.includes(UNLIMITED_GROUP) ? undefined : REFUSED;
    counted.add();
    return this.#turns[kind];
  }
}

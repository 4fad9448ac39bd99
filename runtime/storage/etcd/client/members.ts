/** Chooses which member of an etcd cluster is asked, and when another one is. */
import { setTimeout as delay } from 'node:timers/promises';
import { Maintenance } from '../../../../generated/node-interfaces/etcd.ts';
import type { Sparse, UnaryMethod } from '../../../contract/node-interface.ts';
import type { Endpoint } from './endpoint.ts';
import { EtcdError } from './etcd-error.ts';

/** Most milliseconds that calls wait while no member can be reached, or none has a leader: about as long as etcd's own client tries. A restarted member is back sooner. */
const PATIENCE = 2_500;
/** Milliseconds after which the next member is tried, too, because the one before is silent. */
const HEAD_START = 500;
/** Milliseconds between looks at connections that are being made: the first pause, and the longest. */
const FIRST_LOOK = 2;
const LONGEST_LOOK = 50;
/** Milliseconds before all members are tried once more, when each has failed. */
const BEFORE_REPEATING = 100;

export interface MemberCall {
  /** milliseconds */
  readonly timeout: number;
  /** whether it may be sent twice, because it changes nothing, or the second time changes nothing more */
  readonly repeatable: boolean;
  readonly withLeader: boolean;
}

export class Members {
  readonly #endpoints: readonly Endpoint[];
  /** most milliseconds for making connections */
  readonly #longest: number;
  /** milliseconds of trying while no member can be reached; shorter than a call's limit, so that the call can tell the reason */
  readonly #patience: number;
  /** index of the member that is asked */
  #current = 0;
  #search: Promise<Endpoint> | undefined;
  #closed = false;

  /** @param endpoints at least one @param longest milliseconds that a search for one that answers may take */
  constructor(endpoints: readonly Endpoint[], longest: number) {
    this.#endpoints = endpoints;
    this.#longest = longest;
    this.#patience = Math.min(PATIENCE, longest / 2);
  }

  /** Calls that are not repeatable are sent again only if they were certainly not done. @throws EtcdError */
  async call<Request, Answer>(
    method: UnaryMethod<Request, Answer>,
    request: Sparse<Request>,
    { timeout, repeatable, withLeader }: MemberCall,
  ): Promise<Answer> {
    const begun = performance.now();
    const deadline = begun + timeout;
    for (let attempt = 1; ; attempt++) {
      const endpoint = await this.ready(deadline);
      if (this.#closed) throw closedError();
      try {
        return await endpoint.call(method, request, { deadline, withLeader });
      } catch (thrown) {
        const error = thrown as EtcdError;
        if (!error.isUnavailable) throw error;
        this.leave(endpoint);
        const again = repeatable || !error.outcomeUnknown;
        if (!again || this.#closed || performance.now() + BEFORE_REPEATING >= Math.min(deadline, begun + this.#patience)) throw error;
        if (attempt % this.#endpoints.length === 0) await delay(BEFORE_REPEATING);
      }
    }
  }

  /** Asks the next member from now on, if this one is the current one. */
  leave(endpoint: Endpoint): void {
    if (this.#endpoints[this.#current] === endpoint) this.#current = (this.#current + 1) % this.#endpoints.length;
  }

  /** Finds a connected member. @param deadline by the clock that only goes on. @throws EtcdError that says why there is none */
  async ready(deadline: number): Promise<Endpoint> {
    if (this.#closed) throw closedError();
    const current = this.#endpoints[this.#current] as Endpoint;
    if (current.state === 'ready') return current;
    this.#search ??= this.#find().finally(() => {
      this.#search = undefined;
    });
    return await inTime(this.#search, deadline);
  }

  async #find(): Promise<Endpoint> {
    const begun = performance.now();
    for (let look = FIRST_LOOK; ; look = Math.min(look * 2, LONGEST_LOOK)) {
      if (this.#closed) throw closedError();
      const found = this.#look(performance.now() - begun);
      if (found === 'none') throw await this.#failure();
      if (found !== 'waiting') return found;
      await delay(look);
    }
  }

  /** Looks at members, beginning with the current one. The next is tried when the one before has failed, or was silent for a while. */
  #look(waited: number): Endpoint | 'waiting' | 'none' {
    let silent = 0;
    for (let i = 0; i < this.#endpoints.length; i++) {
      const index = (this.#current + i) % this.#endpoints.length;
      const endpoint = this.#endpoints[index] as Endpoint;
      const { state } = endpoint;
      if (state === 'ready') {
        this.#current = index;
        return endpoint;
      }
      if (state === 'connecting' && waited < ++silent * HEAD_START) break;
    }
    return waited >= (silent === 0 ? this.#patience : this.#longest) ? 'none' : 'waiting';
  }

  async #failure(): Promise<EtcdError> {
    const reasons = await Promise.all(this.#endpoints.map((endpoint) => this.#reason(endpoint)));
    return new EtcdError('UNAVAILABLE', `no member can be reached: ${reasons.join('; ')}`, { unsent: true });
  }

  async #reason(endpoint: Endpoint): Promise<string> {
    if (endpoint.state === 'failed') return `${endpoint.address}: ${await endpoint.reason(Maintenance.Status, {})}`;
    // the connection may wait for ever for a machine that is gone, so the next search makes another one
    endpoint.close();
    return `${endpoint.address}: it takes no connection, or says nothing on it`;
  }

  close(): void {
    this.#closed = true;
    for (const endpoint of this.#endpoints) endpoint.close();
  }
}

function closedError(): EtcdError {
  return new EtcdError('CANCELLED', 'the client was closed', { unsent: true });
}

async function inTime<T>(promise: Promise<T>, deadline: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const fail = () => reject(new EtcdError('DEADLINE_EXCEEDED', 'no member could be reached in time', { unsent: true }));
    timer = setTimeout(fail, Math.max(deadline - performance.now(), 0));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

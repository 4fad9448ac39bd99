/** The members of an etcd cluster: which one is asked, and when another one is. */
import { setTimeout as delay } from 'node:timers/promises';
import { Maintenance } from '../../../../generated/node-interfaces/etcd.ts';
import type { Sparse, UnaryMethod } from '../../../contract/node-interface.ts';
import type { Endpoint } from './endpoint.ts';
import { EtcdError } from './etcd-error.ts';

/** Milliseconds for which calls wait at most where no member can be reached, or none has a leader: about as long as etcd's own client tries. A member that is started again is back sooner. */
const PATIENCE = 2_500;
/** Milliseconds after which the next member is tried too, while the one before is silent. */
const HEAD_START = 500;
/** Milliseconds between looks at connections that are being made: the first, and the longest. */
const FIRST_LOOK = 2;
const LONGEST_LOOK = 50;
/** Milliseconds before a member is asked again that has just failed, where there is no other. */
const BEFORE_REPEATING = 100;

export interface MemberCall {
  /** milliseconds */
  readonly timeout: number;
  /** it may be asked twice: it changes nothing, or the same */
  readonly repeatable: boolean;
  readonly withLeader: boolean;
}

export class Members {
  readonly #endpoints: readonly Endpoint[];
  /** milliseconds for which connections may be made, at most */
  readonly #longest: number;
  /** milliseconds for which it is tried where no member can be reached: a call has time left to say why */
  readonly #patience: number;
  /** index of the one that is asked */
  #current = 0;
  #search: Promise<Endpoint> | undefined;
  #closed = false;

  /** @param endpoints at least one @param longest milliseconds that a search for one that answers may take */
  constructor(endpoints: readonly Endpoint[], longest: number) {
    this.#endpoints = endpoints;
    this.#longest = longest;
    this.#patience = Math.min(PATIENCE, longest / 2);
  }

  /** @throws EtcdError; nothing is sent twice that is not repeatable, unless it was certainly not done */
  async call<Request, Answer>(
    method: UnaryMethod<Request, Answer>,
    request: Sparse<Request>,
    { timeout, repeatable, withLeader }: MemberCall,
  ): Promise<Answer> {
    const begun = Date.now();
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
        if (!again || this.#closed || Date.now() + BEFORE_REPEATING >= Math.min(deadline, begun + this.#patience)) throw error;
        if (attempt % this.#endpoints.length === 0) await delay(BEFORE_REPEATING);
      }
    }
  }

  /** Asks another member from now on, where this is the one that is asked. */
  leave(endpoint: Endpoint): void {
    if (this.#endpoints[this.#current] === endpoint) this.#current = (this.#current + 1) % this.#endpoints.length;
  }

  /** A member to which there is a connection. @throws EtcdError that says why there is none */
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
    const begun = Date.now();
    for (let look = FIRST_LOOK; ; look = Math.min(look * 2, LONGEST_LOOK)) {
      if (this.#closed) throw closedError();
      const found = this.#look(Date.now() - begun);
      if (found === 'none') throw await this.#failure();
      if (found !== 'waiting') return found;
      await delay(look);
    }
  }

  /** From the member that is asked on: the next one is looked at when the one before has failed, or was silent for a while. */
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
    // what was begun may wait for ever for a machine that has gone: the next search begins anew
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
    timer = setTimeout(fail, Math.max(deadline - Date.now(), 0));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

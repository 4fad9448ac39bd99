/**
 * Takes what writes use of the quotas of their namespaces: those that wait for the same quotas are looked at one after the other, and what all of them
 * take is written once, on the condition that nobody else has written the quota meanwhile. So usage is exact, however many writers and processes there are.
 *
 * The object is stored after that. Whoever counts objects meanwhile would not find it, and so changes the namespace's guard first: the object is then not
 * stored, and asks the quotas again. What it took before is still said to be used until the count is done, so it is not refused before that.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiObject } from '../../contract/object.ts';
import type { WriteCondition } from '../../registry/resource-store/write-condition.ts';
import { areEqual } from '../../schema/scalar/amounts.ts';
import { isConflict, isForbidden, isNotFound, newInternalErrorOf } from '../../status/status.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { type Asked, check, type Running } from './check.ts';
import { Quota } from './quota.ts';
import type { QuotaStatuses } from './quota-statuses.ts';

/** The number of attempts to charge quotas that others have written meanwhile. */
const ATTEMPTS = 100;
/** The longest wait for a charge in milliseconds, as in 1.32. */
const LONGEST_WAIT = 10_000;
/** The milliseconds for which a write that was admitted once waits for a count. */
const COUNTED_WITHIN = 3_000;
/** The milliseconds between its questions. */
const BETWEEN = 10;

interface Waiter {
  readonly ask: () => Asked;
  readonly attributes: AdmissionAttributes;
  readonly since: number;
  resolve(condition: WriteCondition): void;
  reject(error: unknown): void;
}

export interface ChargesParts {
  /** Returns the quotas of a namespace as they were when `statuses` caught up. */
  readonly quotas: (namespace: string) => readonly ApiObject[];
  readonly statuses: QuotaStatuses;
  /** Asks the quotas again for a write that could not be stored. */
  readonly renew: (attributes: AdmissionAttributes) => Promise<WriteCondition | undefined>;
}

export class Charges {
  readonly #parts: ChargesParts;
  /** who waits, by namespaces in which somebody is looked at */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(parts: ChargesParts) {
    this.#parts = parts;
  }

  /** @param ask called each time that it is looked at. @throws StatusError */
  take(attributes: AdmissionAttributes, ask: () => Asked): Promise<WriteCondition> {
    return new Promise((resolve, reject) => {
      const waiter = { ask, attributes, since: performance.now(), resolve, reject };
      const others = this.#waiting.get(attributes.namespace);
      if (others !== undefined) return void others.push(waiter);
      this.#waiting.set(attributes.namespace, [waiter]);
      void this.#takeAll(attributes.namespace);
    });
  }

  /** What comes while some are looked at is looked at together next. */
  async #takeAll(namespace: string): Promise<void> {
    // others of this turn of the event loop may want the same
    await new Promise(setImmediate);
    for (let waiters = this.#next(namespace); waiters.length > 0; waiters = this.#next(namespace)) {
      try {
        await this.#charge(namespace, waiters);
      } catch (error) {
        for (const waiter of waiters) waiter.reject(error);
      }
    }
    this.#waiting.delete(namespace);
  }

  #next(namespace: string): Waiter[] {
    const waiters = this.#waiting.get(namespace) as Waiter[];
    this.#waiting.set(namespace, []);
    return waiters;
  }

  async #charge(namespace: string, waiters: readonly Waiter[]): Promise<void> {
    const guard = this.#parts.statuses.guard(namespace);
    const done = (waiter: Waiter): void => waiter.resolve({ guard, renew: () => this.#renew(waiter.attributes) });
    let open = waiters;
    let names: ReadonlySet<string> | undefined;
    let conflict: unknown;
    for (let attempt = 1; open.length > 0 && attempt <= ATTEMPTS; attempt++) {
      this.#parts.statuses.catchUp();
      const quotas = this.#running(namespace, names);
      // what needs a quota has been found to have one
      const { running, takers } = takeInTurn(quotas, open, attempt === 1 ? {} : COVERED, done);
      const changed = running.filter(({ quota, used }) => !areEqual(quota.used, used));
      const outcomes = await Promise.allSettled(changed.map(({ quota, used }) => this.#parts.statuses.use(quota.object, used)));
      const failures = outcomes.flatMap((outcome, index) => (outcome.status === 'rejected' ? [{ index, error: outcome.reason }] : []));
      const fatal = failures.find(({ error }) => !isConflict(error) && !isNotFound(error));
      if (fatal !== undefined) throw fatal.error;
      if (failures.length === 0) {
        for (const waiter of takers) done(waiter);
        return;
      }
      // of the others they have taken what they need
      names = new Set(failures.map(({ index }) => (changed[index] as Running).quota.name));
      open = takers;
      conflict = failures[0]?.error;
    }
    for (const waiter of open) waiter.reject(conflict);
  }

  /** @throws StatusError */
  async #renew(attributes: AdmissionAttributes): Promise<WriteCondition | undefined> {
    const { statuses, renew } = this.#parts;
    const until = performance.now() + COUNTED_WITHIN;
    for (;;) {
      try {
        statuses.catchUp();
        return await renew(attributes);
      } catch (error) {
        if (!isForbidden(error) || performance.now() > until) throw error;
      }
      attributes.request.throwIfOver();
      await sleep(BETWEEN);
    }
  }

  /** @param names of those that are asked; undefined: all */
  #running(namespace: string, names: ReadonlySet<string> | undefined): Running[] {
    return this.#parts
      .quotas(namespace)
      .filter(({ metadata }) => names?.has(metadata.name as string) !== false)
      .map((object) => Quota.of(object))
      .map((quota) => ({ quota, used: quota.used }));
  }
}

const COVERED: Partial<Asked> = { limited: [] };

/** @param done told of those who take nothing. @returns quotas with what is taken of them then, and those who take it */
function takeInTurn(
  quotas: readonly Running[],
  waiters: readonly Waiter[],
  known: Partial<Asked>,
  done: (waiter: Waiter) => void,
): { running: readonly Running[]; takers: Waiter[] } {
  let running = quotas;
  const takers: Waiter[] = [];
  for (const waiter of waiters) {
    try {
      requireTime(waiter);
      const used = check(running, { ...waiter.ask(), ...known });
      if (used.size === 0) done(waiter);
      else {
        running = running.map((each) => ({ ...each, used: used.get(each.quota.name) ?? each.used }));
        takers.push(waiter);
      }
    } catch (error) {
      waiter.reject(error);
    }
  }
  return { running, takers };
}

/** @throws StatusError */
function requireTime({ since, attributes }: Waiter): void {
  attributes.request.throwIfOver();
  if (performance.now() - since > LONGEST_WAIT) throw newInternalErrorOf('resource quota evaluation timed out');
}

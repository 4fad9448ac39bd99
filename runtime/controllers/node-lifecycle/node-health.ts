/** What is known of a node between two rounds: when it last gave a sign of life, by the clock of this process, and how it is. */
import type { ApiObject } from '../../contract/object.ts';

/** The reason in the conditions of a node that has never reported anything, as in 1.32. */
export const NEVER_UPDATED = 'NodeStatusNeverUpdated';

export interface GracePeriods {
  /** milliseconds without a sign of life after which nothing is known of a node */
  readonly usual: number;
  /** the same of a node that never said how it is */
  readonly startup: number;
}

export interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastHeartbeatTime?: string | null;
  readonly lastTransitionTime?: string | null;
}

export function nodeConditions({ status }: ApiObject): readonly NodeCondition[] {
  return status?.conditions ?? [];
}

export function readyCondition(node: ApiObject): NodeCondition | undefined {
  return nodeConditions(node).find(({ type }) => type === 'Ready');
}

/** All times are milliseconds of a clock that only goes forward. */
export class NodeHealth {
  readonly #periods: GracePeriods;
  #seen: number;
  #since: number;
  #status: string | undefined;
  #heartbeat: string;
  /** milliseconds since 1970, by the node's clock; undefined while it has no lease */
  #renewed: number | undefined;

  /** @param age of the node, in milliseconds: one that says nothing of itself was last seen when it was made */
  constructor(node: ApiObject, periods: GracePeriods, now: number, age: number) {
    const ready = readyCondition(node);
    this.#periods = periods;
    this.#seen = ready === undefined ? now - Math.max(0, age) : now;
    this.#since = now;
    this.#status = ready?.status;
    this.#heartbeat = ready?.lastHeartbeatTime ?? '';
  }

  /** The status of the node's condition `Ready`; undefined if it has none. */
  get status(): string | undefined {
    return this.#status;
  }

  /** Takes in the node as it is now. As in 1.32, the time that it gives with its condition Ready is its heartbeat. */
  observe(node: ApiObject, now: number): void {
    const ready = readyCondition(node);
    const heartbeat = ready?.lastHeartbeatTime ?? '';
    if (this.#isSign(ready, heartbeat)) this.#seen = now;
    if (ready?.status !== this.#status) this.#since = now;
    this.#status = ready?.status;
    this.#heartbeat = heartbeat;
  }

  #isSign(ready: NodeCondition | undefined, heartbeat: string): boolean {
    if (ready === undefined) return this.#status !== undefined;
    // What a round writes of a silent node comes back as a change.
    if (this.#status === undefined) return ready.reason !== NEVER_UPDATED;
    return heartbeat !== this.#heartbeat;
  }

  /** Takes in the node's lease. @param renewTime as the lease has it */
  renew(renewTime: string | undefined, now: number): void {
    const time = Date.parse(renewTime ?? '') || 0;
    if (this.#renewed !== undefined && time <= this.#renewed) return;
    this.#renewed = time;
    this.#seen = now;
  }

  /** Takes away time in which this process could not have heard of a sign. @param milliseconds at least 0 */
  excuse(milliseconds: number, now: number): void {
    this.#seen = Math.min(now, this.#seen + milliseconds);
  }

  /** Nothing counts that was before. */
  beginAnew(now: number): void {
    this.#seen = now;
    this.#since = now;
  }

  /** Whether the node was silent for too long, and its condition does not say so. */
  isLost(now: number): boolean {
    const period = this.#status === undefined ? this.#periods.startup : this.#periods.usual;
    return this.#status !== 'Unknown' && now - this.#seen > period;
  }

  /** Milliseconds for which the condition Ready has been what it is, as far as this process has seen it. */
  unchangedFor(now: number): number {
    return now - this.#since;
  }
}

/** The queues of nodes that wait for a NoExecute taint, by which their pods are deleted. Each zone has a queue with a rate of its own. */

/** A bucket with space for one token. */
export class RateLimit {
  /** the tokens in a second; 0 if there are none */
  #rate: number;
  /** when there is a token again, in milliseconds */
  #next = Number.NEGATIVE_INFINITY;

  constructor(rate: number) {
    this.#rate = rate;
  }

  /** Milliseconds until there is a token, 0 where there is one, infinite where there never is. */
  wait(now: number): number {
    return this.#rate > 0 ? Math.max(0, this.#next - now) : Number.POSITIVE_INFINITY;
  }

  /** Takes a token. @returns false where there is none */
  take(now: number): boolean {
    if (this.wait(now) > 0) return false;
    this.#next = now + 1_000 / this.#rate;
    return true;
  }

  /** Who had to wait waits as long as the new rate asks for. */
  change(rate: number, now: number): void {
    if (rate === this.#rate) return;
    const mustWait = this.wait(now) > 0;
    this.#rate = rate;
    this.#next = mustWait ? now + 1_000 / rate : Number.NEGATIVE_INFINITY;
  }
}

interface Queue {
  readonly limit: RateLimit;
  /** the nodes in the order in which they were added */
  readonly nodes: Set<string>;
}

export class TaintQueues {
  readonly #rate: number;
  readonly #queues = new Map<string, Queue>();

  /** @param rate nodes in a second, of zones that were not given another one */
  constructor(rate: number) {
    this.#rate = rate;
  }

  /** A node that waits keeps its place. */
  add(zone: string, node: string): void {
    this.#queue(zone).nodes.add(node);
  }

  remove(zone: string, node: string): void {
    this.#queues.get(zone)?.nodes.delete(node);
  }

  /** @param rates of all zones that there are: others are forgotten once nobody waits in them */
  setRates(rates: ReadonlyMap<string, number>, now: number): void {
    for (const [zone, rate] of rates) this.#queue(zone).limit.change(rate, now);
    for (const [zone, { nodes }] of this.#queues) if (nodes.size === 0 && !rates.has(zone)) this.#queues.delete(zone);
  }

  /** Nodes whose turn it is; they wait no longer. */
  take(now: number): string[] {
    const taken: string[] = [];
    for (const { limit, nodes } of this.#queues.values())
      for (const node of nodes) {
        if (!limit.take(now)) break;
        nodes.delete(node);
        taken.push(node);
      }
    return taken;
  }

  /** Milliseconds until it may be somebody's turn; infinite where nobody waits, or nobody may go. */
  wait(now: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { limit, nodes } of this.#queues.values()) if (nodes.size > 0) least = Math.min(least, limit.wait(now));
    return least;
  }

  #queue(zone: string): Queue {
    let queue = this.#queues.get(zone);
    if (queue === undefined) {
      queue = { limit: new RateLimit(this.#rate), nodes: new Set() };
      this.#queues.set(zone, queue);
    }
    return queue;
  }
}

/** Which pods wait on tainted nodes, and until when. Times are milliseconds of a clock that only goes forward. */

/** A node with taints that make pods go. */
interface TaintedNode {
  /** as a text; undefined: the node has gone, and its pods still wait */
  taints: string | undefined;
  /** when pods are to go, by their keys */
  readonly due: Map<string, number>;
}

export class WaitingPods {
  readonly #nodes = new Map<string, TaintedNode>();

  /** Whether some node is tainted, or pods wait. */
  get any(): boolean {
    return this.#nodes.size > 0;
  }

  isTainted(node: string): boolean {
    return this.#nodes.get(node)?.taints !== undefined;
  }

  taintedNodes(): string[] {
    return [...this.#nodes.keys()];
  }

  /**
   * Its pods wait from when they are judged. Those that wait already go on waiting.
   * @param taints as a text
   * @returns whether they are new, and its pods are to be judged
   */
  taint(node: string, taints: string): boolean {
    const found = this.#nodes.get(node);
    if (found === undefined) this.#nodes.set(node, { taints, due: new Map() });
    else if (found.taints === taints) return false;
    else found.taints = taints;
    return true;
  }

  /** @returns keys of the pods that waited */
  untaint(node: string): string[] {
    const pods = this.pods(node);
    this.#nodes.delete(node);
    return pods;
  }

  /** The node has gone. As in 1.32, that saves none of its pods that wait. */
  lose(node: string): void {
    const found = this.#nodes.get(node);
    if (found !== undefined) found.taints = undefined;
    this.#dropEmpty(node);
  }

  /** Milliseconds until a pod is to go that waits; undefined for one that does not. */
  left(node: string, pod: string, now: number): number | undefined {
    const due = this.#nodes.get(node)?.due.get(pod);
    return due === undefined ? undefined : Math.max(0, due - now);
  }

  /** Keys of the pods that wait on a node. */
  pods(node: string): string[] {
    return [...(this.#nodes.get(node)?.due.keys() ?? [])];
  }

  /**
   * What asks for a later time than the one that a pod waits for does not put it off, as in 1.32; an earlier one counts.
   * @param pod its key
   * @param tolerated milliseconds from now for which it may stay, finite, at least 0
   * @returns milliseconds until it is to go; 0: it is to go, and waits no longer
   */
  judge(node: string, pod: string, tolerated: number, now: number): number {
    const waiting = this.#nodes.get(node)?.due;
    const due = Math.min(waiting?.get(pod) ?? Number.POSITIVE_INFINITY, now + tolerated);
    if (due > now) waiting?.set(pod, due);
    else waiting?.delete(pod);
    return Math.max(0, due - now);
  }

  /** A pod that could not be deleted is to go, whatever it tolerates. */
  retry(node: string, pod: string, now: number): void {
    this.#nodes.get(node)?.due.set(pod, now);
  }

  /** @returns whether it waited */
  cancel(node: string, pod: string): boolean {
    const waited = this.#nodes.get(node)?.due.delete(pod) === true;
    this.#dropEmpty(node);
    return waited;
  }

  /** Nobody asks any more about a node that has gone when none of its pods wait. */
  #dropEmpty(node: string): void {
    const found = this.#nodes.get(node);
    if (found?.taints === undefined && found?.due.size === 0) this.#nodes.delete(node);
  }
}

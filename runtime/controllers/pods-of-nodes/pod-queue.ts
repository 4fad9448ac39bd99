/** Pods that wait for work, added by their keys or by the names of their nodes. */

import { WorkQueue, type WorkQueueOptions } from '../controller/work-queue.ts';
import type { PodsOfNodes } from './pods-of-nodes.ts';

/** Before the name of a node whose pods are looked for; no key begins so. */
const NODE = '/';

export class PodQueue {
  readonly #pods: PodsOfNodes;
  readonly #queue: WorkQueue;

  /** @param options of the queue; `process` gets keys of pods, `failed` also those of nodes whose pods could not be found, with a slash before */
  constructor(pods: PodsOfNodes, options: WorkQueueOptions) {
    this.#pods = pods;
    this.#queue = new WorkQueue({
      ...options,
      process: (key) => (key.startsWith(NODE) ? this.#addPodsOf(key.slice(NODE.length)) : options.process(key)),
    });
  }

  /** Adds the pods that the node has when it is its turn. */
  addNode(node: string): void {
    this.#queue.add(NODE + node);
  }

  /** @param key of a pod */
  add(key: string): void {
    this.#queue.add(key);
  }

  /** See `WorkQueue.addAfter`. @param key the key of a pod */
  addAfter(key: string, milliseconds: number): void {
    this.#queue.addAfter(key, milliseconds);
  }

  /** Begins no more work, and waits for the work under way. */
  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #addPodsOf(node: string): Promise<void> {
    for (const key of await this.#pods.keys(node)) this.#queue.add(key);
  }
}

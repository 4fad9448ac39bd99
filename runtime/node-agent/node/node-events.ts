/** Writes events in the background, within a rate. A repeated event is counted in the one that exists. Events that cannot be written are dropped. */
import { randomInt } from 'node:crypto';
import { events } from '../../../generated/client/core/v1/index.ts';
import { isNotFound } from '../../client/objects/api-error.ts';
import type { Client } from '../../client/resources/client.ts';
import type { Log } from '../../observability/log.ts';
import type { AgentEvents, Occurrence } from '../contract/part.ts';

export interface NodeEventsOptions {
  readonly client: Client;
  readonly nodeName: string;
  /** name of the source in events, such as `kubelet` */
  readonly component: string;
  /** how many events a second may be written; 0 if there is no limit */
  readonly perSecond: number;
  /** how many events may be written at once after a time without any */
  readonly burst: number;
  readonly log: Log;
}

/** The most events that may wait to be written; further ones are dropped. */
const MOST_WAITING = 1_000;
/** The most written events that are remembered, to count their repetitions. */
const MAX_KNOWN = 4_096;
/** Milliseconds after the last writing of an event during which a repetition is counted in it; later, a repetition is a new event. */
const COUNTED_FOR = 600_000;

/** An event that was written. */
interface Known {
  readonly namespace: string;
  readonly name: string;
  readonly count: number;
  /** when it was created or counted last, in milliseconds by `performance.now()` */
  readonly written: number;
}

export class NodeEvents implements AgentEvents {
  readonly #options: NodeEventsOptions;
  readonly #waiting: Occurrence[] = [];
  readonly #known = new Map<string, Known>();
  #tokens: number;
  #filled = performance.now();
  #writing: Promise<void> | undefined;

  constructor(options: NodeEventsOptions) {
    this.#options = options;
    this.#tokens = options.burst;
  }

  record(occurrence: Occurrence): void {
    if (this.#waiting.length >= MOST_WAITING || !this.#takeToken()) return;
    this.#waiting.push(occurrence);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Waits until all events are written or dropped. */
  async stop(): Promise<void> {
    await this.#writing;
  }

  /** Takes a token from the bucket. Without one the event is dropped, as in 1.32. */
  #takeToken(): boolean {
    const { perSecond, burst } = this.#options;
    if (perSecond === 0) return true;
    const now = performance.now();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filled) / 1_000) * perSecond);
    this.#filled = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  async #write(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      try {
        await this.#writeOne(next);
      } catch (error) {
        this.#options.log.debug({ err: error, reason: next.reason }, 'an event could not be written');
      }
  }

  async #writeOne(occurrence: Occurrence): Promise<void> {
    const key = JSON.stringify(occurrence);
    const known = this.#known.get(key);
    this.#known.delete(key);
    const isRecent = known !== undefined && performance.now() - known.written < COUNTED_FOR;
    const written = (isRecent ? await this.#count(known) : undefined) ?? (await this.#create(occurrence));
    this.#known.set(key, written);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN) this.#known.delete(oldest as string);
  }

  /** @returns undefined if the event no longer exists */
  async #count(known: Known): Promise<Known | undefined> {
    const count = known.count + 1;
    try {
      await this.#options.client.resource(events).in(known.namespace).mergePatch(known.name, { count, lastTimestamp: now() });
      return { ...known, count, written: performance.now() };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #create({ type, reason, message, subject }: Occurrence): Promise<Known> {
    const { client, nodeName, component } = this.#options;
    // as in 1.32 events about the node have its name as the uid
    const about = subject ?? { kind: 'Node', name: nodeName, uid: nodeName };
    const namespace = about.namespace || 'default';
    const name = `${about.name}.${(BigInt(Date.now()) * 1_000_000n + BigInt(randomInt(1_000_000))).toString(16)}`;
    const time = now();
    await client
      .resource(events)
      .in(namespace)
      .create({
        metadata: { name, namespace },
        involvedObject: { ...(subject !== undefined && { apiVersion: 'v1' }), ...about },
        reason,
        message,
        source: { component, host: nodeName },
        firstTimestamp: time,
        lastTimestamp: time,
        count: 1,
        type,
        reportingComponent: component,
        reportingInstance: nodeName,
      });
    return { namespace, name, count: 1, written: performance.now() };
  }
}

/** The current time by RFC 3339, in whole seconds. */
const now = (): string => `${new Date().toISOString().slice(0, 19)}Z`;

/** Tells users what a controller did: events about objects, each once with a count, written behind the work and given up where they cannot be. */
import { randomInt, randomUUID } from 'node:crypto';
import type { ApiObject } from '../../contract/object.ts';
import { timestamp } from '../../registry/resource-store/strategy.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { copyValue } from '../../schema/copy.ts';
import { isNotFound } from '../../status/status.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { ControllerWriter } from './controller-writer.ts';

/** The object that an event is about. */
export interface Subject {
  /** absent for version v1 of the core group */
  readonly apiVersion?: string;
  readonly kind: string;
  /** empty for objects without a namespace, whose events are in the namespace `default` */
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
}

export interface Occurrence {
  readonly subject: Subject;
  readonly type: 'Normal' | 'Warning';
  /** the reason in CamelCase */
  readonly reason: string;
  readonly message: string;
  /** what was done, or could not be done, in CamelCase */
  readonly action?: string;
}

/** The most events that may wait to be written, as in 1.32. */
const MOST_WAITING = 1_000;
/** The most written events that are remembered, to count their repetitions. */
const MAX_KNOWN = 4_096;
/** The milliseconds for which repetitions are counted in an event. */
const COUNTED_FOR = 600_000;
const LONGEST_NAME = 253;

interface Known {
  readonly namespace: string;
  readonly name: string;
  /** milliseconds by `performance.now()` */
  readonly written: number;
}

export class EventRecorder {
  readonly #server: ControllerServer;
  readonly #component: string;
  readonly #mostWaiting: number;
  readonly #resource: Resource | undefined;
  readonly #writer: ControllerWriter;
  readonly #waiting: Occurrence[] = [];
  /** the written events by their content, those that were written last at the end */
  readonly #known = new Map<string, Known>();
  #writing: Promise<void> | undefined;
  #stopped = false;

  /**
   * Without events in the API nothing is recorded.
   * @param component whose doings they are
   * @param mostWaiting events that may wait to be written; what comes when there are so many is lost
   */
  constructor(server: ControllerServer, component: string, mostWaiting = MOST_WAITING) {
    this.#server = server;
    this.#mostWaiting = mostWaiting;
    this.#component = component;
    this.#resource = server.registry.current.resource('', 'v1', 'events');
    this.#writer = new ControllerWriter(server);
  }

  record(occurrence: Occurrence): void {
    if (this.#stopped || this.#resource === undefined || this.#waiting.length >= this.#mostWaiting) return;
    this.#waiting.push(occurrence);
    this.#begin(this.#resource);
  }

  /** Waits for what is being written; the rest is lost. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.length = 0;
    this.#writer.stop();
    await this.#writing;
  }

  #begin(resource: Resource): void {
    this.#writing ??= this.#write(resource).finally(() => {
      this.#writing = undefined;
      // One may have come when the writing was about to end.
      if (this.#waiting.length > 0) this.#begin(resource);
    });
  }

  async #write(resource: Resource): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        await this.#writeOne(resource, next);
      } catch (error) {
        this.#server.log.debug({ err: error, reason: next.reason }, 'an event could not be written');
      }
    }
  }

  async #writeOne(resource: Resource, occurrence: Occurrence): Promise<void> {
    const key = JSON.stringify(occurrence);
    const known = this.#known.get(key);
    this.#known.delete(key);
    const now = performance.now();
    const counted = known !== undefined && now - known.written < COUNTED_FOR && (await this.#count(resource, known));
    const { namespace, name } = counted ? known : await this.#create(resource, occurrence);
    this.#known.set(key, { namespace, name, written: now });
    if (this.#known.size > MAX_KNOWN) this.#known.delete(this.#known.keys().next().value as string);
  }

  /** @returns false where the event is not there any longer */
  async #count(resource: Resource, { namespace, name }: Known): Promise<boolean> {
    try {
      await this.#writer.update({ resource, namespace, name }, 'object', (old) => {
        const event = copyValue(old);
        event.count = (event.count ?? 0) + 1;
        event.lastTimestamp = timestamp(Date.now());
        return event;
      });
      return true;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return false;
    }
  }

  async #create(resource: Resource, { subject, type, reason, message, action }: Occurrence): Promise<{ namespace: string; name: string }> {
    const { hub } = await this.#writer.store(resource);
    const now = timestamp(Date.now());
    const metadata = { name: eventName(subject.name), namespace: subject.namespace || 'default' };
    const event: Partial<ApiObject> = {
      metadata,
      involvedObject: { apiVersion: 'v1', ...subject },
      ...(action !== undefined && { action }),
      reason,
      message,
      source: { component: this.#component },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      type,
      reportingComponent: this.#component,
    };
    await this.#writer.create(resource, hub.decode(event).object);
    return metadata;
  }
}

/** Makes the name of an event from the object's name and the time in nanoseconds since 1970, as in 1.32. */
function eventName(subject: string): string {
  const time = BigInt(Date.now()) * 1_000_000n + BigInt(randomInt(1_000_000));
  const name = `${subject}.${time.toString(16)}`;
  return name.length > LONGEST_NAME ? randomUUID() : name;
}

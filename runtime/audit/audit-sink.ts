import type { AuditEvent } from './audit-event.ts';

/** A destination of events. */
export interface AuditSink {
  /**
   * Takes an event. If it returns a promise, the request must wait for that.
   * @returns false if the event is lost and the request must not go on without it
   */
  take(event: AuditEvent): boolean | Promise<boolean>;
  /** Resolves when all events are delivered or lost. `take` must not be called any more. */
  close(): Promise<void>;
}

/** Passes events to several sinks. */
export class AllSinks implements AuditSink {
  readonly #sinks: readonly AuditSink[];

  constructor(sinks: readonly AuditSink[]) {
    this.#sinks = sinks;
  }

  take(event: AuditEvent): boolean | Promise<boolean> {
    const taken = this.#sinks.map((sink) => sink.take(event));
    if (taken.every((each) => typeof each === 'boolean')) return !taken.includes(false);
    return Promise.all(taken).then((all) => !all.includes(false));
  }

  async close(): Promise<void> {
    await Promise.all(this.#sinks.map((sink) => sink.close()));
  }
}

import type { AuditEvent } from './audit-event.ts';

/** Where events go. */
export interface AuditSink {
  /**
   * Takes an event. A promise is to be waited for before the request goes on.
   * @returns false where it is lost, and requests must not go on without being recorded
   */
  take(event: AuditEvent): boolean | Promise<boolean>;
  /** Resolves when all that was taken is where it belongs, or is known to be lost. Nothing may be given to it any more. */
  close(): Promise<void>;
}

/** To all of several. */
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

import type { AuditEvent } from './audit-event.ts';
import type { AuditBackend } from './delivery.ts';

/** What lines are appended to. */
export interface LineOutput {
  /** @throws Error of the system */
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

/** One line for each event. */
export class LogBackend implements AuditBackend {
  readonly name = 'log';
  readonly #output: LineOutput;
  readonly #format: 'json' | 'legacy';

  constructor(output: LineOutput, format: 'json' | 'legacy') {
    this.#output = output;
    this.#format = format;
  }

  deliver(events: readonly AuditEvent[]): Promise<void> {
    return this.#output.append(events.map((event) => `${this.#format === 'json' ? event.json() : event.legacy()}\n`).join(''));
  }

  close(): Promise<void> {
    return this.#output.close();
  }
}

/** The standard output of the process. */
export const standardOutput: LineOutput = {
  append: (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
    }),
  async close() {},
};

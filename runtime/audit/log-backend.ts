import type { AuditEvent } from './audit-event.ts';
import type { AuditBackend } from './delivery.ts';
import { encodeLine, type LogLine } from './log-line.ts';

/** An output for lines. */
export interface LineOutput {
  /**
   * Resolves when the lines are written. Lines that are written together may share a promise.
   * @param isAwaited whether somebody waits for it; default true
   * @throws Error of the system; a promise rejects with it
   */
  append(lines: readonly LogLine[], isAwaited?: boolean): Promise<void>;
  close(): Promise<void>;
}

/** Writes a line for each event. */
export class LogBackend implements AuditBackend {
  readonly name = 'log';
  readonly #output: LineOutput;
  readonly #format: 'json' | 'legacy';

  constructor(output: LineOutput, format: 'json' | 'legacy') {
    this.#output = output;
    this.#format = format;
  }

  deliver(events: readonly AuditEvent[], isAwaited = true): Promise<void> {
    const lines = events.map((event) => (this.#format === 'json' ? event.pieces('\n') : `${event.legacy()}\n`));
    return this.#output.append(lines, isAwaited);
  }

  close(): Promise<void> {
    return this.#output.close();
  }
}

/** The standard output of the process. */
export const standardOutput: LineOutput = {
  append: (lines) =>
    new Promise((resolve, reject) => {
      process.stdout.write(Buffer.concat(lines.map(encodeLine)), (error) => (error ? reject(error) : resolve()));
    }),
  async close() {},
};

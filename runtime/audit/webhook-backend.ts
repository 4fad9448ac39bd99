import { AskedService } from '../outbound/asked-service.ts';
import { ExchangeError, type Peer } from '../outbound/exchange.ts';
import { withRetries } from '../outbound/retries.ts';
import type { AuditEvent } from './audit-event.ts';
import type { AuditBackend } from './delivery.ts';

export interface WebhookBackendOptions {
  readonly peer: Peer;
  /** the group and version of the lists of events that are sent */
  readonly apiVersion: string;
  /** milliseconds before the second attempt */
  readonly initialBackoff: number;
  /** how many times a list is sent at most; default 5 */
  readonly attempts?: number;
}

/** Milliseconds for one attempt (as in 1.32). */
const TIMEOUT = 30_000;
/** The most bytes of an answer of the service. */
const MOST_OF_ANSWER = 64 * 1024;
/**
 * The most attempts, as in 1.32. Unlike other requests, this one is repeated after every answer that is no success, so that events are lost as rarely as
 * possible.
 */
const ATTEMPTS = 5;

/** Posts lists of events to a service. */
export class WebhookBackend implements AuditBackend {
  readonly name = 'webhook';
  readonly #options: WebhookBackendOptions;
  readonly #service: AskedService;
  readonly #ending = new AbortController();

  /** @throws TypeError if the URL of the peer is neither http nor https */
  constructor(options: WebhookBackendOptions) {
    this.#options = options;
    this.#service = new AskedService(options.peer, TIMEOUT);
  }

  async deliver(events: readonly AuditEvent[]): Promise<void> {
    const { apiVersion, initialBackoff, attempts = ATTEMPTS } = this.#options;
    const json = `{"kind":"EventList","apiVersion":"${apiVersion}","metadata":{},"items":[${events.map((event) => event.listed()).join(',')}]}`;
    const attempt = async () => {
      const answer = await this.#service.post({ json, maxBytes: MOST_OF_ANSWER });
      if (answer.status < 200 || answer.status > 299) throw new ExchangeError(`the service has answered with ${answer.status}`);
      return answer;
    };
    await withRetries(attempt, { attempts, wait: initialBackoff, always: true }, this.#ending.signal);
  }

  hurry(): void {
    this.#ending.abort(new ExchangeError('the server is stopping'));
  }

  async close(): Promise<void> {
    this.#service.close();
  }
}

import { ExchangeError, type Peer, PeerConnection } from '../outbound/exchange.ts';
import { withRetries } from '../outbound/retries.ts';
import type { AuditEvent } from './audit-event.ts';
import type { AuditBackend } from './delivery.ts';

export interface WebhookBackendOptions {
  readonly peer: Peer;
  /** of lists of events */
  readonly apiVersion: string;
  /** milliseconds before the second attempt */
  readonly initialBackoff: number;
  readonly attempts?: number;
}

/** Milliseconds for one attempt (as in 1.32). */
const TIMEOUT = 30_000;
const MOST_OF_ANSWER = 64 * 1024;
/** As in 1.32; any failure is tried again, whatever the service has answered, for events are worth it. */
const ATTEMPTS = 5;

/** Posts lists of events to a service. */
export class WebhookBackend implements AuditBackend {
  readonly name = 'webhook';
  readonly #options: WebhookBackendOptions;
  readonly #connection: PeerConnection;
  readonly #ending = new AbortController();

  /** @throws TypeError for a peer whose URL is none of http or https */
  constructor(options: WebhookBackendOptions) {
    this.#options = options;
    this.#connection = new PeerConnection(options.peer);
  }

  async deliver(events: readonly AuditEvent[]): Promise<void> {
    const { apiVersion, initialBackoff, attempts = ATTEMPTS } = this.#options;
    const json = `{"kind":"EventList","apiVersion":"${apiVersion}","metadata":{},"items":[${events.map((event) => event.json()).join(',')}]}`;
    const attempt = async () => {
      const answer = await this.#connection.exchange({ method: 'POST', json, timeout: TIMEOUT, maxBytes: MOST_OF_ANSWER });
      if (answer.status < 200 || answer.status > 299) throw new ExchangeError(`the service has answered with ${answer.status}`);
      return answer;
    };
    await withRetries(attempt, { attempts, wait: initialBackoff, always: true }, this.#ending.signal);
  }

  hurry(): void {
    this.#ending.abort(new ExchangeError('the server is stopping'));
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}

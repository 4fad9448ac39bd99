/**
 * A service that a file of the administrator's names, and that questions are posted to at one address. As in 1.32, it is told how long anybody waits, and what
 * goes wrong is said in the words of that release.
 */
import { formatDuration } from '../schema/scalar/duration.ts';
import { type Exchange, type ExchangeAnswer, type Peer, PeerConnection } from './exchange.ts';
import { callFailure } from './webhook-failure.ts';

export class AskedService {
  readonly #connection: PeerConnection;
  readonly #url: URL;
  readonly #timeout: number;

  /**
   * @param timeout the milliseconds for one question
   * @throws TypeError for a peer whose URL is none of http or https
   */
  constructor(peer: Peer, timeout: number) {
    this.#connection = new PeerConnection(peer);
    this.#timeout = timeout;
    this.#url = new URL(peer.server);
    this.#url.search = `?timeout=${formatDuration(BigInt(Math.round(timeout * 1e6)))}`;
  }

  /** @throws ExchangeError without a whole answer; the reason of the signal */
  post(question: Omit<Exchange, 'method' | 'url' | 'timeout'>): Promise<ExchangeAnswer> {
    return this.#connection.exchange({ method: 'POST', url: this.#url, timeout: this.#timeout, ...question });
  }

  /** @param error of a question. @returns a WebhookError for one without a whole answer; else the error itself */
  failure(error: unknown): unknown {
    return callFailure(error, this.#url.href, true);
  }

  /** Ends the connections that are kept. */
  close(): void {
    this.#connection.close();
  }
}

/** Requests to services that the server asks, counted under the names that clients of 1.32 have for theirs. */
import type { Metrics } from '../observability/metrics.ts';

export type RequestCounting = Pick<Metrics, 'counter' | 'histogram'>;

/** The status code, in metrics, of a request without an answer. */
const NO_ANSWER = '<error>';

/** A request that is under way. */
interface Asked {
  /** Counts the answer. @param status its status code. @param bytes the length of its body */
  answered(status: number, bytes: number): void;
  /** Counts that there is no answer. */
  failed(): void;
}

/** The metrics of all requests to one server. */
export class RequestFigures {
  readonly #metrics: RequestCounting;
  readonly #host: string;

  /** @param server its URL: as clients write it, so that a port is shown where one stands there */
  constructor(metrics: RequestCounting, server: string) {
    this.#metrics = metrics;
    this.#host = /^[^/]*\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(server)?.[1] ?? '';
  }

  /** @param bytes of the body */
  begin(verb: string, bytes: number): Asked {
    const metrics = this.#metrics;
    const host = this.#host;
    const begun = performance.now();
    const ended = (code: string): void => {
      metrics.counter('rest_client_requests_total').inc({ code, host, method: verb });
      metrics.histogram('rest_client_request_size_bytes').with({ host, verb }).observe(bytes);
      metrics
        .histogram('rest_client_request_duration_seconds')
        .with({ host, verb })
        .observe((performance.now() - begun) / 1_000);
    };
    return {
      answered(status, length) {
        ended(String(status));
        const isAnswer = status >= 200 && status < 300;
        if (isAnswer || length > 0) metrics.histogram('rest_client_response_size_bytes').with({ host, verb }).observe(length);
      },
      failed: () => ended(NO_ANSWER),
    };
  }
}

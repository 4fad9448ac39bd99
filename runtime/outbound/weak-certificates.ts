/** Certificates of other servers that were good once and are refused now: counted, and noted for audit, under the names of 1.32. */
import { isWeaklySigned, LEGACY_NAME } from '../connections/server-identity.ts';
import type { Identity } from '../contract/identity.ts';
import type { RequestContext } from '../contract/request-context.ts';
import type { Count, Metrics } from '../observability/metrics.ts';

/** The name in metrics of the part of the server that asks: webhooks, or the passing of requests to other API servers. */
export type AskingPart = 'webhooks' | 'kube_aggregator';

type Weakness = 'missing-san' | 'insecure-sha1';

/** What audit says of each, in the words of 1.32. */
const REASONS: Readonly<Record<Weakness, string>> = {
  'missing-san': 'relies on a legacy Common Name field instead of the SAN extension for subject validation',
  'insecure-sha1': 'uses an insecure SHA-1 signature',
};
/** Causes of an error that are looked at. */
const MOST_CAUSES = 8;

export class WeakCertificates {
  readonly #counts: Readonly<Record<Weakness, Count>>;
  readonly #text: Identity['text'];

  constructor(metrics: Pick<Metrics, 'counter'>, part: AskingPart, { text }: Pick<Identity, 'text'>) {
    const counted = (name: string): Count => {
      const count = metrics.counter(`apiserver_${part}_x509_${name}_total`).with({});
      // it is there before there is anything to count, as in 1.32
      count.inc(0);
      return count;
    };
    this.#counts = { 'missing-san': counted('missing_san'), 'insecure-sha1': counted('insecure_sha1') };
    this.#text = text;
  }

  /**
   * Notes why a server could not be asked, where that is a weak certificate.
   * @param error with its causes. @param host of the server, without its port; '' where nobody knows it
   * @param request that it was asked for
   */
  note(error: unknown, host: string, request: Pick<RequestContext, 'annotate'>): void {
    const weakness = weaknessOf(error);
    if (weakness === undefined) return;
    this.#counts[weakness].inc();
    if (host !== '') request.annotate(this.#text(`${weakness}.invalid-cert.\${labelDomain}/`) + host, REASONS[weakness]);
  }
}

function weaknessOf(error: unknown): Weakness | undefined {
  let cause = error;
  for (let depth = 0; depth < MOST_CAUSES && cause instanceof Error; depth++) {
    if ((cause as NodeJS.ErrnoException).code === LEGACY_NAME) return 'missing-san';
    if (isWeaklySigned(cause)) return 'insecure-sha1';
    cause = cause.cause;
  }
  return undefined;
}

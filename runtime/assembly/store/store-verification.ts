/** Has the store verified while the server is idle, and reports what is found: once in the log, and as metrics. */
import type { Log } from '../../observability/log.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { IdleVerification, type IdleVerificationOptions } from '../../storage/idle-verification.ts';
import type { Finding, ServedStorage } from '../../storage/storage.ts';

/** How many findings are logged; metrics count all. */
const MOST_TOLD = 1_000;

/**
 * @param interval milliseconds between the beginnings of two verifications; 0: there are none
 * @returns an object that ends it
 */
export function verifyWhenIdle(
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
  storage: Pick<ServedStorage, 'verification'>,
  interval: number,
  isIdle?: IdleVerificationOptions['isIdle'],
): { stop(): void } {
  if (interval === 0) return { stop() {} };
  const figures = new VerificationMetrics(metrics);
  const told = new Set<string>();
  const verification = new IdleVerification({
    interval,
    begin: (found) => storage.verification(found),
    found(finding) {
      figures.found();
      const text = JSON.stringify(finding);
      if (told.has(text) || told.size >= MOST_TOLD) return;
      told.add(text);
      log.error(fieldsOf(finding), 'the store is damaged: cluster-apiserver check tells all of it, recover saves what can be read');
    },
    ended(counts, findings) {
      figures.ended(counts, findings);
      log.debug({ ...counts, findings }, 'the store was looked through');
    },
    ...(isIdle && { isIdle }),
  });
  verification.start();
  return verification;
}

const fieldsOf = ({ key, revision, found }: Finding): object => ({
  ...(key !== undefined && { key }),
  ...(revision !== undefined && { revision }),
  found,
});

class VerificationMetrics {
  readonly #ended;
  readonly #last;
  readonly #damages;
  readonly #found;
  readonly #looked;

  constructor(metrics: Metrics) {
    this.#ended = metrics.counter('apiserver_storage_verification_total');
    this.#last = metrics.gauge('apiserver_storage_verification_last_timestamp_seconds');
    this.#damages = metrics.gauge('apiserver_storage_verification_damages');
    this.#found = metrics.counter('apiserver_storage_verification_damages_total');
    this.#looked = metrics.gauge('apiserver_storage_verification_looked_at');
  }

  found(): void {
    this.#found.inc({});
  }

  ended(counts: Readonly<Record<string, number>>, findings: number): void {
    this.#ended.inc({});
    this.#last.set({}, Date.now() / 1_000);
    this.#damages.set({}, findings);
    for (const [what, count] of Object.entries(counts)) this.#looked.set({ what }, count);
  }
}

/** Renews the certificates that a server has made for itself, while it runs: a process may live longer than they do. */
import type { Log } from '../observability/log.ts';
import type { CertificatesInForce } from './certificates-in-force.ts';

/**
 * Milliseconds between two looks, and after a failure. There are weeks between the time of a renewal and the end of a certificate, but the clock may be set, or the
 * machine sleep, beyond both.
 */
const INTERVAL = 60_000;
const AFTER_FAILURE = 60 * INTERVAL;

export interface RenewedParts {
  readonly certificates: Pick<CertificatesInForce, 'renew'>;
  /** whether this process makes them for all that serve with them */
  readonly leads: () => boolean;
  /** is called after a renewal, here or by another process; where it throws, it is called again with what was there before */
  readonly changed: () => void;
  /** is called after a renewal by this process */
  readonly renewed?: (() => void) | undefined;
  readonly log: Log;
  /** default: a minute */
  readonly interval?: number;
  /** milliseconds without a look after a failure; default: an hour */
  readonly pause?: number;
}

/** @returns ends it */
export function keepRenewed({
  certificates,
  leads,
  changed,
  renewed,
  log,
  interval = INTERVAL,
  pause = AFTER_FAILURE,
}: RenewedParts): () => void {
  let isLooking = false;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  const look = async (): Promise<void> => {
    if (isLooking || performance.now() < pausedUntil) return;
    isLooking = true;
    try {
      const makes = leads();
      if (!(await certificates.renew(makes, changed))) return;
      log.info({}, "the server's own certificates have been renewed");
      if (makes) renewed?.();
    } catch (error) {
      pausedUntil = performance.now() + pause;
      log.error({ err: error }, "the server's own certificates could not be renewed; this is tried again in an hour");
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), interval);
  timer.unref();
  return () => clearInterval(timer);
}

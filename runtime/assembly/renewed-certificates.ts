/** Renews the certificates that a server has made for itself, while it runs: a process may live longer than they do. */
import type { Log } from '../observability/log.ts';
import type { CertificatesInForce } from './certificates-in-force.ts';

/** Milliseconds between two looks. There are weeks between the time of a renewal and the end of a certificate. */
const INTERVAL = 60 * 60 * 1_000;

export interface RenewedParts {
  readonly certificates: Pick<CertificatesInForce, 'renew'>;
  /** whether this process makes them for all that serve with them */
  readonly leads: () => boolean;
  /** is called after a renewal, here or by another process; where it throws, it is called again with what was there before */
  readonly changed: () => void;
  /** is called after a renewal by this process */
  readonly renewed?: (() => void) | undefined;
  readonly log: Log;
  /** default: an hour */
  readonly interval?: number;
}

/** @returns ends it */
export function keepRenewed({ certificates, leads, changed, renewed, log, interval = INTERVAL }: RenewedParts): () => void {
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      const makes = leads();
      if (!(await certificates.renew(makes, changed))) return;
      log.info({}, "the server's own certificates have been renewed");
      if (makes) renewed?.();
    } catch (error) {
      log.error({ err: error }, "the server's own certificates could not be renewed; this is tried again in an hour");
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), interval);
  timer.unref();
  return () => clearInterval(timer);
}

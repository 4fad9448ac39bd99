/** Renews a certificate before it expires. The time is random, so that agents that were started together do not renew together (as in 1.32). */

import type { X509Certificate } from 'node:crypto';
import { generateKeyPairSync } from 'node:crypto';
import type { Client } from '../../client/resources/client.ts';
import type { Clock } from '../../client/work-queue/clock.ts';
import type { Log } from '../../observability/log.ts';
import type { CertificateStore, StoredCertificate } from './certificate-store.ts';
import { requestCertificate, type WantedCertificate } from './request-certificate.ts';

export interface CertificateRotationOptions {
  readonly store: CertificateStore;
  readonly client: Client;
  /** the content of the request; each one gets a new key */
  readonly wanted: () => Omit<WantedCertificate, 'key'>;
  /** gets each new certificate */
  readonly renewed?: (certificate: StoredCertificate) => void;
  /** milliseconds since 1970 */
  readonly clock: Clock;
  /** returns numbers from 0 to 1; absent: random ones */
  readonly random?: () => number;
  readonly log: Log;
}

/** The range for the time of renewal, in fractions of a certificate's life. */
const EARLIEST = 0.7;
const SPREAD = 0.2;
/** Longest wait in milliseconds. Timers of Node cannot wait for more than 24 days. */
const LONGEST_WAIT = 20 * 24 * 60 * 60_000;
const FIRST_RETRY = 2_000;
const LONGEST_RETRY = 128_000;

export class CertificateRotation {
  readonly #options: CertificateRotationOptions;
  readonly #ending = new AbortController();
  #current: StoredCertificate | undefined;
  #callOff: (() => void) | undefined;
  #renewing: Promise<void> = Promise.resolve();

  constructor(options: CertificateRotationOptions) {
    this.#options = options;
    this.#current = options.store.read();
  }

  /** undefined before the first certificate */
  get current(): StoredCertificate | undefined {
    return this.#current;
  }

  /** Renews from now on; at once if there is no certificate, or it has expired. */
  start(): void {
    const { clock } = this.#options;
    this.#waitUntil(this.#current === undefined ? clock.now() : this.#deadline(this.#current.parsed));
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#callOff?.();
    await this.#renewing;
  }

  #deadline(certificate: X509Certificate): number {
    const { random = Math.random } = this.#options;
    return renewalTime(certificate, random());
  }

  #waitUntil(deadline: number): void {
    if (this.#ending.signal.aborted) return;
    const { clock } = this.#options;
    const rest = deadline - clock.now();
    this.#callOff = clock.after(Math.max(0, Math.min(rest, LONGEST_WAIT)), () => {
      if (rest > LONGEST_WAIT) this.#waitUntil(deadline);
      else this.#renewing = this.#renew(FIRST_RETRY);
    });
  }

  async #renew(retry: number): Promise<void> {
    const { client, wanted, store, renewed, log, clock } = this.#options;
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { signal } = this.#ending;
    try {
      const request = wanted();
      const certificate = await requestCertificate(client, { ...request, key: privateKey }, signal);
      this.#current = store.write(certificate, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
      renewed?.(this.#current);
      log.info({ signer: request.signerName, until: this.#current.parsed.validTo }, 'a new certificate counts');
      this.#waitUntil(this.#deadline(this.#current.parsed));
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ err: error }, 'the certificate could not be renewed; it is tried again');
      this.#callOff = clock.after(retry, () => {
        this.#renewing = this.#renew(Math.min(2 * retry, LONGEST_RETRY));
      });
    }
  }
}

/** @param chance 0 to 1. @returns milliseconds since 1970, between 70% and 90% of the certificate's life */
export function renewalTime(
  { validFromDate, validToDate }: Pick<X509Certificate, 'validFromDate' | 'validToDate'>,
  chance: number,
): number {
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  return from + (to - from) * (EARLIEST + SPREAD * chance);
}

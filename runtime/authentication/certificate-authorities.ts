/** The authorities of one purpose, and whether a certificate leads to one of them. */
import type { X509Certificate } from 'node:crypto';
import { certificatesIn } from '../certificates/certificates-in.ts';
import { isForClients, mayIssueForClients } from './client-purpose.ts';

/** Most certificates that are looked at for one leaf. */
const MAX_SEEN = 32;

/** A certificate as the client presented it. The listener has verified it against the authorities of all purposes. */
export interface PresentedCertificate {
  readonly leaf: X509Certificate;
  /** certificates that came with it, and issuers that the listener knows */
  readonly issuers: readonly X509Certificate[];
  /** whether the listener found its signatures and times valid */
  readonly verified: boolean;
}

export class CertificateAuthorities {
  readonly #authorities: readonly X509Certificate[];

  /** @param texts PEM, any number of certificates in each */
  constructor(texts: readonly string[]) {
    this.#authorities = texts.flatMap(certificatesIn);
  }

  /**
   * The time until which a certificate is valid: the earliest expiration in the chain from it to an authority of this purpose.
   * @param now milliseconds since 1970
   * @returns milliseconds since 1970; undefined if no chain leads to one of these authorities
   */
  validUntil({ leaf, issuers }: PresentedCertificate, now: number): number | undefined {
    return isForClients(leaf) ? this.#way(leaf, issuers, now, new Set()) : undefined;
  }

  /** @param seen fingerprints of the certificates looked at. Each is looked at once, because certificates may sign each other in a circle. */
  #way(certificate: X509Certificate, issuers: readonly X509Certificate[], now: number, seen: Set<string>): number | undefined {
    const end = endOf(certificate);
    if (now >= end || now < certificate.validFromDate.getTime() || seen.has(certificate.fingerprint256)) return undefined;
    seen.add(certificate.fingerprint256);
    if (seen.size > MAX_SEEN) return undefined;
    if (this.#authorities.some(({ fingerprint256 }) => fingerprint256 === certificate.fingerprint256)) return end;
    for (const issuer of [...this.#authorities, ...issuers]) {
      if (!issuer.ca || !mayIssueForClients(issuer) || seen.has(issuer.fingerprint256) || !isIssuer(issuer, certificate)) continue;
      const rest = this.#way(issuer, issuers, now, seen);
      if (rest !== undefined) return Math.min(end, rest);
    }
    return undefined;
  }
}

function isIssuer(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function endOf(certificate: X509Certificate): number {
  return certificate.validToDate.getTime();
}

/** Authorities that sign the certificates of one purpose, and which certificates lead to them. */
import { X509Certificate } from 'node:crypto';
import { isForClients, mayIssueForClients } from './client-purpose.ts';

const PEM = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;
/** Certificates that are looked at for one leaf at most. */
const MAX_SEEN = 32;

/** A certificate as it was presented: the listener has verified it against all authorities that it knows, whatever their purpose. */
export interface PresentedCertificate {
  readonly leaf: X509Certificate;
  /** what came with it, and what the listener knows of its issuers */
  readonly issuers: readonly X509Certificate[];
  /** whether the listener holds it good: signatures and times */
  readonly verified: boolean;
}

export class CertificateAuthorities {
  readonly #authorities: readonly X509Certificate[];

  /** @param texts PEM, any number of certificates in each */
  constructor(texts: readonly string[]) {
    this.#authorities = texts.flatMap((text) => text.match(PEM) ?? []).map((pem) => new X509Certificate(pem));
  }

  /**
   * The time until which a certificate holds: the earliest end of those on the way from it to an authority of this purpose.
   * @param now milliseconds since 1970
   * @returns milliseconds since 1970; undefined where none of these authorities stands behind it
   */
  validUntil({ leaf, issuers }: PresentedCertificate, now: number): number | undefined {
    return isForClients(leaf) ? this.#way(leaf, issuers, now, new Set()) : undefined;
  }

  /** @param seen fingerprints of certificates that were looked at, each once: those that sign each other have endless ways between them */
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

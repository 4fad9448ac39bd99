/** A certificate and its key, as PEM texts. */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

/** What one certificate is for, and by what it is recognized as the right one. */
export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly usage: 'authority' | 'server' | 'client';
  /** host names and addresses */
  readonly names: readonly string[];
  /** milliseconds since 1970 */
  readonly notBefore: number;
  readonly notAfter: number;
}

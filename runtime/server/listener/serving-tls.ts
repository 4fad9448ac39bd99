/** The TLS of a listener: its certificates, whom it believes, and what it speaks. */
import { constants as tlsConstants } from 'node:crypto';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import { cipherList } from '../certificates/cipher-suites.ts';
import type { NamedCertificate } from '../certificates/named-certificates.ts';

export type TlsVersion = 'TLSv1.2' | 'TLSv1.3';

export interface ServingTls {
  /** PEM text of the certificate to serve with and of its intermediate authorities */
  readonly certificate: string;
  /** PEM text of its key */
  readonly key: string;
  /** certificates for clients that ask for one of their names, or that come to one of their addresses; default: none */
  readonly named?: readonly NamedCertificate[];
  /**
   * PEM texts of the authorities that client certificates are held against. Clients are asked for one and need not have it: a connection
   * is `authorized` when it has shown one that an authority signed. Empty: nobody is asked.
   */
  readonly clientAuthorities: readonly string[];
  /** default TLSv1.2 */
  readonly minVersion?: TlsVersion;
  /** for TLS 1.2, by the names of IANA, the most wanted first; default: the sound ones */
  readonly cipherSuites?: readonly string[];
}

export function tlsOptions(tls: ServingTls): TlsOptions {
  return {
    ...secureOptions(tls),
    cert: tls.certificate,
    key: tls.key,
    // Without authorities of ours Node would take the public ones, and believe whom they have signed.
    requestCert: tls.clientAuthorities.length > 0,
    rejectUnauthorized: false,
  };
}

/** All that certificates of one listener have in common. */
export function secureOptions(tls: ServingTls): SecureContextOptions {
  return {
    minVersion: tls.minVersion ?? 'TLSv1.2',
    ciphers: cipherList(tls.cipherSuites ?? []),
    // A second handshake on a connection of TLS 1.2 costs the server much, and could bring the certificate of somebody else.
    // A client that prefers ChaCha20, for want of AES in its processor, gets that.
    secureOptions: tlsConstants.SSL_OP_NO_RENEGOTIATION | tlsConstants.SSL_OP_PRIORITIZE_CHACHA,
    ...(tls.clientAuthorities.length > 0 && { ca: [...tls.clientAuthorities] }),
  };
}

/** Whom a server's certificate is of, as 1.32 has it: Node also takes the Common Name of one that has no other names, which Go has given up. */
import { checkServerIdentity as nodeCheck, type PeerCertificate } from 'node:tls';

/** The code of the error for a certificate that has the name of the server only as its Common Name. */
export const LEGACY_NAME = 'ERR_TLS_CERT_LEGACY_NAME';

export class LegacyNameError extends Error {
  readonly code = LEGACY_NAME;

  constructor() {
    super('certificate relies on legacy Common Name field, use SANs instead');
  }
}

/**
 * For Node's TLS. @param host name or address of the server
 * @returns why the certificate is not that of the server; undefined where it is
 */
export function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const problem = nodeCheck(host, certificate);
  return problem === undefined && certificate.subjectaltname === undefined ? new LegacyNameError() : problem;
}

/** OpenSSL's words, for which Node has no code of its own. */
const WEAK_DIGEST = 'CA signature digest algorithm too weak';

/** Whether a certificate is not believed for its signature's digest, which is SHA-1: nobody has signed with older ones for longer still. */
export const isWeaklySigned = ({ message }: Error): boolean => message === WEAK_DIGEST;

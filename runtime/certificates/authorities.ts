import { parseCertificate } from './certificate-chain.ts';
import { pemBlocks } from './pem.ts';

/**
 * Why nobody can be trusted by a bundle of authorities.
 * @param base64 of the bundle in PEM
 * @returns undefined where it has a certificate
 */
export function authoritiesProblem(base64: string): string | undefined {
  let malformed = false;
  let count = 0;
  for (const { type, hasHeaders, bytes } of pemBlocks(Buffer.from(base64, 'base64').toString('latin1'))) {
    count++;
    if (type !== 'CERTIFICATE' || hasHeaders) continue;
    if (parseCertificate(bytes) !== undefined) return undefined;
    malformed = true;
  }
  if (malformed) return 'failed to parse certificate: x509: malformed certificate';
  return count === 0 ? 'unable to parse bytes as PEM block' : 'no valid certificate authority data seen';
}

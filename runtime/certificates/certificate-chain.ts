import { X509Certificate } from 'node:crypto';
import { pemBlocks } from './pem.ts';

/** What is wrong with an issued chain of certificates in text form; an empty text is none yet. */
export function certificateChainProblem(pem: string): string | undefined {
  if (pem === '') return undefined;
  let count = 0;
  for (const { type, hasHeaders, bytes } of pemBlocks(pem)) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    if (bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates';
    if (parseCertificate(bytes) === undefined) return 'x509: malformed certificate';
    count++;
  }
  return count === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

/** @returns undefined for bytes that are no certificate */
export function parseCertificate(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}

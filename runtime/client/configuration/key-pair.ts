/** Checks whether a certificate and a key belong together. Its messages are those of 1.32. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

const BLOCK = /-----BEGIN ([^-]+)-----/g;

/** @returns what is wrong with them; undefined if nothing is */
export function keyPairProblem(cert: string, key: string): string | undefined {
  return certificateInputProblem(cert) ?? keyInputProblem(key) ?? pairProblem(cert, key);
}

const typesIn = (text: string): string[] => [...text.matchAll(BLOCK)].map(([, type = '']) => type);
const isKey = (type: string): boolean => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY');

function certificateInputProblem(text: string): string | undefined {
  const types = typesIn(text);
  if (types.includes('CERTIFICATE')) return undefined;
  if (types.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (types.length === 1 && isKey(types[0] as string))
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

function keyInputProblem(text: string): string | undefined {
  const types = typesIn(text);
  if (types.some(isKey)) return undefined;
  if (types.length === 0) return 'tls: failed to find any PEM data in key input';
  if (types.length === 1 && types[0] === 'CERTIFICATE') return 'tls: found a certificate rather than a key in the PEM for the private key';
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

function pairProblem(cert: string, key: string): string | undefined {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(cert);
  } catch {
    return 'x509: malformed certificate';
  }
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(key);
  } catch {
    return 'tls: failed to parse private key';
  }
  return certificate.checkPrivateKey(privateKey) ? undefined : 'tls: private key does not match public key';
}

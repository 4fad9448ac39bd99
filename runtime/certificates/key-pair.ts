/** Whether a certificate and a private key are a pair that a server could use. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { parseCertificate } from './certificate-chain.ts';
import { type PemBlock, pemBlocks } from './pem.ts';

/** Types of keys, in both halves. */
const ALGORITHMS: ReadonlySet<string> = new Set(['rsa', 'ec', 'ed25519']);
const KEY_FORMS = ['pkcs1', 'pkcs8', 'sec1'] as const;

/**
 * @param certificates PEM; the first certificate is the one of the key
 * @param key PEM
 * @returns what is wrong with them, as Go's package tls words it; undefined: nothing
 */
export function keyPairProblem(certificates: string, key: string): string | undefined {
  const blocks = [...pemBlocks(certificates)];
  const first = blocks.find(({ type }) => type === 'CERTIFICATE');
  if (first === undefined) return withoutCertificate(blocks.map(({ type }) => type));
  const keyBlocks = [...pemBlocks(key)];
  const keyBlock = keyBlocks.find(({ type }) => isPrivateKey(type));
  if (keyBlock === undefined) return withoutKey(keyBlocks.map(({ type }) => type));
  return mismatch(first, keyBlock);
}

function mismatch(certificateBlock: PemBlock, keyBlock: PemBlock): string | undefined {
  const certificate = parseCertificate(certificateBlock.bytes);
  if (certificate === undefined) return 'x509: malformed certificate';
  const key = privateKey(keyBlock.bytes);
  if (key === undefined) return 'tls: failed to parse private key';
  const { publicKey } = certificate;
  if (!ALGORITHMS.has(key.asymmetricKeyType ?? '')) return 'tls: found unknown private key type in PKCS#8 wrapping';
  if (!ALGORITHMS.has(publicKey.asymmetricKeyType ?? '')) return 'tls: unknown public key algorithm';
  if (publicKey.asymmetricKeyType !== key.asymmetricKeyType) return 'tls: private key type does not match public key type';
  return certificate.checkPrivateKey(key) ? undefined : 'tls: private key does not match public key';
}

function isPrivateKey(type: string): boolean {
  return type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY');
}

/** @param types of the blocks that there are instead */
function withoutCertificate(types: readonly string[]): string {
  if (types.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (types.length === 1 && types[0]?.endsWith('PRIVATE KEY'))
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

/** @param types as in `withoutCertificate` */
function withoutKey(types: readonly string[]): string {
  if (types.length === 0) return 'tls: failed to find any PEM data in key input';
  if (types.length === 1 && types[0] === 'CERTIFICATE') return 'tls: found a certificate rather than a key in the PEM for the private key';
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

function privateKey(der: Buffer): KeyObject | undefined {
  for (const type of KEY_FORMS) {
    try {
      return createPrivateKey({ key: der, format: 'der', type });
    } catch {
      // It may be of the next form.
    }
  }
  return undefined;
}

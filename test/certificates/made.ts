/** Requests and certificates for tests. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

export { x509 };

x509.cryptoProvider.set(webcrypto as Crypto);

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
export const SCHEMES = [
  ECDSA,
  { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: new Uint8Array([1, 0, 1]), modulusLength: 2048 },
  { name: 'RSA-PSS', hash: 'SHA-256', publicExponent: new Uint8Array([1, 0, 1]), modulusLength: 2048, saltLength: 32 },
  { name: 'Ed25519' },
];

/** @returns a signed request in text form */
export async function request(scheme: (typeof SCHEMES)[number] = ECDSA): Promise<string> {
  const keys = (await webcrypto.subtle.generateKey(scheme, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const made = await x509.Pkcs10CertificateRequestGenerator.create({
    name: 'CN=x',
    keys,
    signingAlgorithm: scheme as webcrypto.EcdsaParams,
  });
  return made.toString('pem');
}

/** @returns a self-signed certificate in text form */
export async function authority(ca: boolean): Promise<string> {
  const keys = (await webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const extensions = [new x509.BasicConstraintsExtension(ca)];
  const made = await x509.X509CertificateGenerator.createSelfSigned({ name: 'CN=ca', keys, signingAlgorithm: ECDSA, extensions });
  return `${made.toString('pem')}\n`;
}

/** @returns a self-signed certificate and its key in text form, the key as PKCS #8 */
export async function keyPair(scheme: (typeof SCHEMES)[number] = ECDSA): Promise<{ certificate: string; key: string }> {
  const keys = (await webcrypto.subtle.generateKey(scheme, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=x',
    keys,
    signingAlgorithm: scheme as webcrypto.EcdsaParams,
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { certificate: `${made.toString('pem')}\n`, key: x509.PemConverter.encode(key, 'PRIVATE KEY') };
}

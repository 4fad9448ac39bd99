/** Requests and certificates for tests. */
import 'reflect-metadata';
import { generateKeyPairSync, sign, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { element, integer, objectIdentifier, sequence, setOf } from '../../runtime/certificates/der-encoding.ts';

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

export const COMMON_NAME = '2.5.4.3';
export const ORGANIZATION = '2.5.4.10';

const named = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** @param names of the subject: an identifier and a value in DER, which may be of any type. @returns a signed request in text form */
export function requestOf(...names: readonly (readonly [type: string, value: Buffer])[]): string {
  const subject = sequence(...names.map(([type, value]) => setOf(sequence(objectIdentifier(type), value))));
  const info = sequence(integer(0), subject, named.publicKey.export({ type: 'spki', format: 'der' }), element(0xa0));
  const algorithm = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
  const signature = element(0x03, Buffer.from([0]), sign('sha256', info, named.privateKey));
  return `-----BEGIN CERTIFICATE REQUEST-----\n${sequence(info, algorithm, signature).toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
}

/** Makes keys and certificates. Imported only when one is made: the libraries behind it take longer to load than the server. */
import 'reflect-metadata';
import { createPrivateKey, KeyObject, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';
import type { CertificateAndKey, CertificateRequest } from './certificate-request.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/**
 * A new key (ECDSA P-256) with a certificate for it.
 * @param issuer absent: the certificate signs itself
 */
export async function issueCertificate(request: CertificateRequest, issuer?: CertificateAndKey): Promise<CertificateAndKey> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const signer = issuer === undefined ? undefined : new x509.X509Certificate(issuer.certificate);
  const subject = subjectOf(request);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject,
    issuer: signer?.subjectName ?? subject,
    notBefore: new Date(request.notBefore),
    notAfter: new Date(request.notAfter),
    publicKey: keys.publicKey,
    signingKey: issuer === undefined ? keys.privateKey : signingKey(issuer.key),
    signingAlgorithm: ALGORITHM,
    extensions: await extensionsOf(request, keys.publicKey, signer),
  });
  return {
    certificate: `${certificate.toString('pem').trim()}\n`,
    key: KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

function subjectOf({ commonName, organizations }: CertificateRequest): x509.Name {
  return new x509.Name([...organizations.map((name) => ({ O: [name] })), { CN: [commonName] }]);
}

/** 127 random bits, positive. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

function signingKey(pem: string): CryptoKey {
  return createPrivateKey(pem).toCryptoKey(ALGORITHM, false, ['sign']);
}

async function extensionsOf(
  { usage, names }: CertificateRequest,
  publicKey: CryptoKey,
  signer: x509.X509Certificate | undefined,
): Promise<x509.Extension[]> {
  const extensions: x509.Extension[] = [
    new x509.BasicConstraintsExtension(usage === 'authority', undefined, true),
    new x509.KeyUsagesExtension(
      usage === 'authority' ? x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign : x509.KeyUsageFlags.digitalSignature,
      true,
    ),
    await x509.SubjectKeyIdentifierExtension.create(publicKey),
  ];
  if (signer !== undefined) extensions.push(await x509.AuthorityKeyIdentifierExtension.create(await signer.publicKey.export()));
  if (usage === 'server') extensions.push(new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]));
  if (usage === 'client') extensions.push(new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]));
  if (names.length > 0)
    extensions.push(new x509.SubjectAlternativeNameExtension(names.map((name) => ({ type: isIP(name) ? 'ip' : 'dns', value: name }))));
  return extensions;
}

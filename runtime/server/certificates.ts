/**
 * The certificates that a server makes for itself where it is given none: an authority and the certificate that it serves with, and a
 * second authority for clients with the administrator's certificate (an authority is not shared between purposes: specification,
 * Authentication). They are kept as PEM files in one folder, and made anew when they are missing, damaged, near their end,
 * or lack a name that is needed.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { writeFileAtomically } from './atomic-file.ts';

/** PEM texts that belong together. */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

export interface Certificates {
  /** by which clients trust `serving` */
  readonly authority: string;
  readonly serving: CertificateAndKey;
  /** by which the server trusts `administrator` */
  readonly clientAuthority: string;
  readonly administrator: CertificateAndKey;
}

export interface CertificateNeeds {
  /** created where it is missing, for its owner alone */
  readonly folder: string;
  /** host names and addresses by which the server is reached; see `servingNames` */
  readonly names: readonly string[];
  /** Common Name of the administrator's certificate */
  readonly administrator: string;
  /** milliseconds since 1970; absent: now */
  readonly now?: number;
}

/** The group whose members may do everything (specification: RBAC, default roles). */
const ADMINISTRATORS = 'system:masters';
const DAY = 24 * 60 * 60 * 1_000;
const AUTHORITY_LIFE = 10 * 365 * DAY;
const LEAF_LIFE = 365 * DAY;
/** What is nearer to its end than this is made anew at a start. */
const RENEWAL = 60 * DAY;

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

/** Reads the files of the folder, and makes those that are not as they should be. */
export async function ensureCertificates({ folder, names, administrator, now = Date.now() }: CertificateNeeds): Promise<Certificates> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const request = (commonName: string, usage: CertificateRequest['usage'], rest: Partial<CertificateRequest> = {}): CertificateRequest => ({
    commonName,
    organizations: [],
    usage,
    names: [],
    // clocks of clients may be behind
    notBefore: now - 60 * 60 * 1_000,
    notAfter: now + (usage === 'authority' ? AUTHORITY_LIFE : LEAF_LIFE),
    ...rest,
  });
  const authority = await ensure(folder, 'ca', request('cluster-authority', 'authority'), undefined, now);
  const serving = await ensure(folder, 'server', request('cluster-apiserver', 'server', { names }), authority, now);
  const clientAuthority = await ensure(folder, 'client-ca', request('cluster-client-authority', 'authority'), undefined, now);
  const user = request(administrator, 'client', { organizations: [ADMINISTRATORS] });
  return {
    authority: authority.certificate,
    serving,
    clientAuthority: clientAuthority.certificate,
    administrator: await ensure(folder, 'administrator', user, clientAuthority, now),
  };
}

async function ensure(
  folder: string,
  file: string,
  request: CertificateRequest,
  issuer: CertificateAndKey | undefined,
  now: number,
): Promise<CertificateAndKey> {
  const certificateFile = path.join(folder, `${file}.crt`);
  const keyFile = path.join(folder, `${file}.key`);
  if (existsSync(certificateFile) && existsSync(keyFile)) {
    const kept = { certificate: readFileSync(certificateFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
    if (isUsable(kept, request, issuer, now)) return kept;
  }
  const { issueCertificate } = await import('./certificate-issuer.ts');
  const made = await issueCertificate(request, issuer);
  writeFileAtomically(keyFile, made.key, 0o600);
  writeFileAtomically(certificateFile, made.certificate, 0o644);
  return made;
}

/** Whether a certificate does what the request asks, fits its key, comes from the issuer, and has a while to live. */
function isUsable(kept: CertificateAndKey, request: CertificateRequest, issuer: CertificateAndKey | undefined, now: number): boolean {
  try {
    const certificate = new X509Certificate(kept.certificate);
    const signer = issuer === undefined ? certificate : new X509Certificate(issuer.certificate);
    return (
      certificate.checkPrivateKey(createPrivateKey(kept.key)) &&
      certificate.checkIssued(signer) &&
      certificate.verify(signer.publicKey) &&
      certificate.validFromDate.getTime() <= now &&
      certificate.validToDate.getTime() >= now + RENEWAL &&
      certificate.subject.split('\n').includes(`CN=${request.commonName}`) &&
      request.names.every((name) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined)
    );
  } catch {
    // no PEM, or of an unknown form: as good as missing
    return false;
  }
}

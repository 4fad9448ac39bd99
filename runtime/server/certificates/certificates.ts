/**
 * The certificates that a server makes for itself where it is given none: an authority and the certificate that it serves with, and a
 * second authority for clients with the administrator's certificate (an authority is not shared between purposes: specification,
 * Authentication). They are kept as PEM files in one folder, and made anew when they are missing, near their end, or lack a name that is
 * needed. A certificate that is damaged is made anew too, but not an authority: clients trust the one that they have.
 */
import { createPrivateKey, type KeyObject, sign, verify, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import path from 'node:path';
import { makeFolder, writeFileAtomically } from '../../files/atomic-file.ts';
import { readOwnFile } from '../../files/own-file.ts';
import { isThere } from '../../files/regular-file.ts';
import type { CertificateAndKey, CertificateRequest } from './certificate-request.ts';

export interface Certificates {
  /** PEM text of the authority by which clients trust `serving` */
  readonly authority: string;
  readonly serving: CertificateAndKey;
  /** PEM text of the authority by which the server trusts `administrator` */
  readonly clientAuthority: string;
  /** the same authority with its key, which signs certificates of other clients */
  readonly clientSigner: CertificateAndKey;
  readonly administrator: CertificateAndKey;
  /** the time from which `serving` or `administrator` are to be made anew, in milliseconds since 1970 */
  readonly renewal: number;
}

export interface CertificateNames {
  /** host names and addresses by which the server is reached; see `servingNames` */
  readonly names: readonly string[];
  /** the Common Name of the administrator's certificate */
  readonly administrator: string;
  /** the time at which certificates are made, in milliseconds since 1970; absent for now */
  readonly now?: number;
}

export interface CertificateNeeds extends CertificateNames {
  /** created where it is missing, for its owner alone */
  readonly folder: string;
}

/** The group whose members may do everything (specification: RBAC, default roles). */
const ADMINISTRATORS = 'system:masters';
const DAY = 24 * 60 * 60 * 1_000;
const AUTHORITY_LIFE = 10 * 365 * DAY;
const LEAF_LIFE = 365 * DAY;
/** What is nearer to its end than this is made anew. */
const RENEWAL = 60 * DAY;

/**
 * Reads the files of the folder, and makes those that are missing, near their end, or lack a name, and damaged ones that are no authorities.
 * @throws Error that names the file of an authority that is damaged, or the one of its two files that is missing
 */
export async function ensureCertificates(needs: CertificateNeeds): Promise<Certificates> {
  const usable = usableOf(needs, (file) => (ISSUERS[file] === undefined ? readAuthority(needs, file) : readPair(needs.folder, file)));
  if (isComplete(usable)) return certificatesOf(usable);
  // loaded where something is missing
  const made = complete(needs, usable, await import('./certificate-issuer.ts'));
  for (const file of FILES) if (usable[file] === undefined) writePair(needs.folder, file, made[file]);
  return certificatesOf(made);
}

/**
 * Does for a server that runs what `ensureCertificates` does at a start. The authorities stay as they are: clients learn of a new one only by a start.
 * @param makes whether missing certificates are made; if not, another process makes them, and they are read when they are there
 * @returns undefined where they are not there yet
 * @throws Error that names the folder, or the file of an authority that is damaged
 */
export async function renewCertificates(needs: CertificateNeeds, makes: boolean): Promise<Certificates | undefined> {
  const [ca, clientAuthority] = [readAuthority(needs, 'ca'), readAuthority(needs, 'client-ca')];
  if (ca === undefined || clientAuthority === undefined) throw new Error(`${needs.folder} has no authorities any more: ${TRUST}`);
  const wanted = requests(needs);
  const usable: { [File in FileName]?: CertificateAndKey } = { ca, 'client-ca': clientAuthority };
  for (const file of LEAVES) {
    const pair = readPair(needs.folder, file);
    if (pair !== undefined && isUsable(pair, wanted[file], usable[ISSUERS[file] as FileName], needs.now ?? Date.now())) usable[file] = pair;
  }
  if (isComplete(usable)) return certificatesOf(usable);
  if (!makes) return undefined;
  const made = complete(needs, usable, await import('./certificate-issuer.ts'));
  for (const file of LEAVES) if (usable[file] === undefined) writePair(needs.folder, file, made[file]);
  return certificatesOf(made);
}

/** The most sets of names whose certificates are kept. Servers with the same flags have the same names. */
const MOST_KEPT = 8;

/** Certificates in memory for all servers of a process, which have the same authorities. */
export class SharedCertificates {
  #latest: Required<Usable> | undefined;
  /** the certificates by the names that they are for, as JSON, with the time until which they are used */
  readonly #made = new Map<string, { readonly certificates: Certificates; readonly until: number }>();

  async of({ names, administrator, now = Date.now() }: CertificateNames): Promise<Certificates> {
    const issuing = await import('./certificate-issuer.ts');
    const key = JSON.stringify([names, administrator]);
    const kept = this.#made.get(key);
    if (kept !== undefined && kept.until > now) return kept.certificates;
    const needs = { names, administrator, now };
    this.#latest = complete(
      needs,
      usableOf(needs, (file) => this.#latest?.[file]),
      issuing,
    );
    const certificates = certificatesOf(this.#latest);
    this.#made.delete(key);
    this.#made.set(key, { certificates, until: now + LEAF_LIFE - RENEWAL });
    for (const oldest of this.#made.keys()) if (this.#made.size > MOST_KEPT) this.#made.delete(oldest);
    return certificates;
  }
}

/** What each file is to certify, in the order in which they are made. */
function requests({ names, administrator, now = Date.now() }: CertificateNames): { readonly [File in FileName]: CertificateRequest } {
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
  return {
    ca: request('cluster-authority', 'authority'),
    server: request('cluster-apiserver', 'server', { names }),
    'client-ca': request('cluster-client-authority', 'authority'),
    administrator: request(administrator, 'client', { organizations: [ADMINISTRATORS] }),
  };
}

type FileName = 'ca' | 'server' | 'client-ca' | 'administrator';
const FILES: readonly FileName[] = ['ca', 'server', 'client-ca', 'administrator'];
const ISSUERS: Readonly<Partial<Record<FileName, FileName>>> = { server: 'ca', administrator: 'client-ca' };

const LEAVES = FILES.filter((file) => ISSUERS[file] !== undefined);

type Usable = { readonly [File in FileName]?: CertificateAndKey };

function certificatesOf({ ca, server, administrator, 'client-ca': clientAuthority }: Required<Usable>): Certificates {
  return {
    authority: ca.certificate,
    serving: server,
    clientAuthority: clientAuthority.certificate,
    clientSigner: clientAuthority,
    administrator,
    renewal:
      Math.min(...[server, administrator].map(({ certificate }) => new X509Certificate(certificate).validToDate.getTime())) - RENEWAL,
  };
}

function isComplete(usable: Usable): usable is Required<Usable> {
  return FILES.every((file) => usable[file] !== undefined);
}

/** What is usable, and new ones for what is missing. */
function complete(
  needs: CertificateNames,
  usable: Usable,
  { issueCertificate }: typeof import('./certificate-issuer.ts'),
): Required<Usable> {
  const wanted = requests(needs);
  const all: { [File in FileName]?: CertificateAndKey } = { ...usable };
  for (const file of FILES) {
    const issuer = ISSUERS[file];
    all[file] ??= issueCertificate(wanted[file], issuer === undefined ? undefined : all[issuer]);
  }
  return all as Required<Usable>;
}

/** What is kept and as it should be. */
function usableOf(needs: CertificateNames, kept: (file: FileName) => CertificateAndKey | undefined): Usable {
  const wanted = requests(needs);
  const usable: { [File in FileName]?: CertificateAndKey } = {};
  for (const file of FILES) {
    const issuer = ISSUERS[file];
    const pair = kept(file);
    if (pair === undefined || (issuer !== undefined && usable[issuer] === undefined)) continue;
    if (isUsable(pair, wanted[file], issuer === undefined ? undefined : usable[issuer], needs.now ?? Date.now())) usable[file] = pair;
  }
  return usable;
}

const pathsOf = (folder: string, file: FileName) => ({
  certificate: path.join(folder, `${file}.crt`),
  key: path.join(folder, `${file}.key`),
});

/** @throws Error that names the file */
function readPair(folder: string, file: FileName): CertificateAndKey | undefined {
  const paths = pathsOf(folder, file);
  if (!isThere(paths.certificate) || !isThere(paths.key)) return undefined;
  return { certificate: readOwnFile(paths.certificate), key: readOwnFile(paths.key) };
}

const TRUST = 'bring it back from a copy, or remove the files of the authority, and clients must trust a new one';

/** @throws Error that names the file */
function readAuthority(needs: CertificateNeeds, file: FileName): CertificateAndKey | undefined {
  const paths = pathsOf(needs.folder, file);
  const missing = [paths.certificate, paths.key].filter((each) => !isThere(each));
  if (missing.length === 2) return undefined;
  if (missing.length === 1) throw new Error(`the file ${missing[0]} of a certificate authority is missing: ${TRUST}`);
  const pair = { certificate: readOwnFile(paths.certificate), key: readOwnFile(paths.key) };
  const certificate = undamaged(paths.certificate, 'certificate', () => new X509Certificate(pair.certificate));
  const key = undamaged(paths.key, 'private key', () => createPrivateKey(pair.key));
  if (!holds(() => certificate.verify(certificate.publicKey)))
    throw new Error(`${paths.certificate} is damaged: its signature is wrong; ${TRUST}`);
  if (!holds(() => isKeyOf(key, certificate))) throw new Error(`${paths.key} is not the key of ${paths.certificate}: ${TRUST}`);
  assertInPlace(paths.certificate, certificate, requests(needs)[file].commonName, needs.now ?? Date.now());
  return pair;
}

/**
 * A whole authority is as good as lost where another is written over it: neither files that were exchanged nor a clock that is wrong are to do that.
 * @throws Error that names the file
 */
function assertInPlace(file: string, { subject, validFrom, validFromDate }: X509Certificate, name: string, now: number): void {
  if (!subject.split('\n').includes(`CN=${name}`))
    throw new Error(`${file} is the certificate of ${subject.replaceAll('\n', ', ')}, where it always is that of CN=${name}: ${TRUST}`);
  if (validFromDate.getTime() > now)
    throw new Error(
      `${file} is valid from ${validFrom} on, and the clock of this machine says ${new Date(now).toISOString()}: set the clock`,
    );
}

/** @throws Error that names the file */
function undamaged<T>(file: string, what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${file} holds no ${what} in PEM form: ${TRUST}`, { cause: error });
  }
}

/** Whether what the key signs is believed by the certificate: a file of a key has its public half as well, which alone says nothing of the other. */
function isKeyOf(key: KeyObject, certificate: X509Certificate): boolean {
  const algorithm = key.asymmetricKeyType?.startsWith('ed') === true ? null : 'sha256';
  const text = Buffer.from(certificate.fingerprint256);
  return certificate.checkPrivateKey(key) && verify(algorithm, text, certificate.publicKey, sign(algorithm, text, key));
}

/** False as well where OpenSSL cannot tell: the parts of a certificate are read when they are asked for. */
function holds(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

function writePair(folder: string, file: FileName, { certificate, key }: CertificateAndKey): void {
  makeFolder(folder);
  const paths = pathsOf(folder, file);
  writeFileAtomically(paths.key, key, 0o600);
  writeFileAtomically(paths.certificate, certificate, 0o644);
}

/** Whether a certificate does what the request asks, fits its key, comes from the issuer, and has a while to live. */
function isUsable(kept: CertificateAndKey, request: CertificateRequest, issuer: CertificateAndKey | undefined, now: number): boolean {
  try {
    const certificate = new X509Certificate(kept.certificate);
    const signer = issuer === undefined ? certificate : new X509Certificate(issuer.certificate);
    return (
      isKeyOf(createPrivateKey(kept.key), certificate) &&
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

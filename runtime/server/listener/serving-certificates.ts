/** Determines the certificates that the server serves with, and the authorities that it trusts, from flags, given files and certificates of its own. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import path from 'node:path';
import { certificatesIn } from '../../certificates/certificates-in.ts';
import type { Identity } from '../../contract/identity.ts';
import { type FilePart, filePart } from '../../files/file-part.ts';
import { readFlagFile } from '../../files/flag-file.ts';
import { AddressRange } from '../../registry/allocation/address-range.ts';
import type { CertificateAndKey } from '../certificates/certificate-request.ts';
import { type CertificateNames, type Certificates, ensureCertificates, renewCertificates } from '../certificates/certificates.ts';
import { cipherList } from '../certificates/cipher-suites.ts';
import { type NamedCertificate, type NamedFiles, parseNamedFiles } from '../certificates/named-certificates.ts';
import { servingNames } from '../certificates/serving-names.ts';
import type { ServingTls } from './serving-tls.ts';

/** The flags that say it. */
export interface CertificateFlags {
  readonly 'bind-address': string;
  readonly 'advertise-address': string;
  readonly 'external-hostname': string;
  readonly 'service-cluster-ip-range': readonly string[];
  readonly 'cert-dir': string;
  readonly 'tls-cert-file': string;
  readonly 'tls-private-key-file': string;
  readonly 'tls-sni-cert-key': readonly string[];
  readonly 'tls-min-version': 'VersionTLS12' | 'VersionTLS13';
  readonly 'tls-cipher-suites': readonly string[];
  readonly 'client-ca-file': string;
  readonly 'requestheader-client-ca-file': string;
}

export interface ServerCertificates {
  /** the folder of the server's own certificates and keys */
  readonly folder: string;
  readonly serving: ServingTls;
  /** PEM text by which clients trust the server; if a certificate was given, that certificate with its intermediate authorities */
  readonly authority: string;
  readonly administrator: CertificateAndKey;
  /** the authority, one of `clientAuthorities`, that signs certificates of clients, with its key */
  readonly clientSigner: CertificateAndKey;
  /** PEM texts; a client certificate that one of these signed names its user */
  readonly clientAuthorities: readonly string[];
  /** PEM; a client certificate that one of these signed is an authenticating proxy's */
  readonly proxyAuthorities: string | undefined;
  /** the files that flags name, without repetitions */
  readonly files: readonly string[];
  /**
   * Reads a given file again, with those that it is used with.
   * @returns the certificates as they are now.
   * @throws Error that names the flag whose file cannot be read, or has no certificate
   */
  reread(file: string): ServerCertificates;
  /** the time from which the server's own certificates are to be renewed, in milliseconds since 1970 */
  readonly renewal: number;
  /**
   * Renews the server's own certificates, while it runs.
   * @param makes whether this process makes them; if not, another one does
   * @returns the certificates as they are now; undefined where the other process has not made them yet. It rejects where they can be neither read nor made
   */
  renew(makes: boolean): Promise<ServerCertificates | undefined>;
}

/** Provides the server's own certificates. */
export interface OwnCertificates {
  /** @param folder where they may be kept */
  ensure(needs: CertificateNames, folder: string): Promise<Certificates>;
  /** See `renewCertificates`. */
  renew(needs: CertificateNames, folder: string, makes: boolean): Promise<Certificates | undefined>;
}

/** Keeps them as files in the folder. */
const IN_FOLDER: OwnCertificates = {
  ensure: (needs, folder) => ensureCertificates({ ...needs, folder }),
  renew: (needs, folder, makes) => renewCertificates({ ...needs, folder }, makes),
};

/**
 * @param directory the data directory, in which `pki/` is the default of --cert-dir
 * @throws Error that names the flag whose file cannot be read
 */
export async function prepareCertificates(
  flags: CertificateFlags,
  directory: string,
  identity: Identity,
  own: OwnCertificates = IN_FOLDER,
): Promise<ServerCertificates> {
  const given = readGiven(flags);
  const folder = certificateFolder(flags, directory);
  const needs = { names: neededNames(flags, identity), administrator: administratorName(identity) };
  const renew = (makes: boolean): Promise<Certificates | undefined> => own.renew(needs, folder, makes);
  return certificatesOf({ flags, folder, renew }, await own.ensure(needs, folder), given);
}

/** Returns the folder of the server's own certificates and keys. */
export const certificateFolder = (flags: Pick<CertificateFlags, 'cert-dir'>, directory: string): string =>
  flags['cert-dir'] || path.join(directory, 'pki');

/** Returns the Common Name of the administrator's certificate. */
export function administratorName(identity: Identity): string {
  return identity.text('${mediaProduct}-admin');
}

const FILE_FLAGS = ['tls-cert-file', 'tls-private-key-file', 'client-ca-file', 'requestheader-client-ca-file'] as const;

type FileFlag = (typeof FILE_FLAGS)[number];

/** What flags give, in parts that are read again each by itself. */
interface GivenParts {
  readonly serving: FilePart<CertificateAndKey | undefined>;
  readonly named: readonly FilePart<NamedCertificate>[];
  /** one text each, or none where the flag is not set */
  readonly clientAuthority: FilePart<readonly string[]>;
  readonly proxyAuthority: FilePart<readonly string[]>;
}

/** @throws Error that names the flag whose file cannot be read */
function readGiven(flags: CertificateFlags): GivenParts {
  const authority = (name: FileFlag) => filePart([flags[name]], () => readOptional(flags, name));
  return {
    serving: filePart([flags['tls-cert-file'], flags['tls-private-key-file']], () => givenCertificate(flags)),
    named: namedFiles(flags).map((files) => filePart([files.certificateFile, files.keyFile], () => readNamed(files))),
    clientAuthority: authority('client-ca-file'),
    proxyAuthority: authority('requestheader-client-ca-file'),
  };
}

/** @throws Error that names the flag whose file cannot be read */
function rereadGiven(given: GivenParts, file: string): GivenParts {
  return {
    serving: given.serving.reread(file),
    named: given.named.map((each) => each.reread(file)),
    clientAuthority: given.clientAuthority.reread(file),
    proxyAuthority: given.proxyAuthority.reread(file),
  };
}

interface CertificateSource {
  readonly flags: CertificateFlags;
  readonly folder: string;
  renew(makes: boolean): Promise<Certificates | undefined>;
}

function certificatesOf(source: CertificateSource, own: Certificates, given: GivenParts): ServerCertificates {
  const { flags, folder } = source;
  const clientAuthorities = [own.clientAuthority, ...given.clientAuthority.value];
  const [proxyAuthorities] = given.proxyAuthority.value;
  return {
    folder,
    serving: {
      ...(given.serving.value ?? own.serving),
      ...(given.named.length > 0 && { named: given.named.map(({ value }) => value) }),
      clientAuthorities: proxyAuthorities === undefined ? clientAuthorities : [...clientAuthorities, proxyAuthorities],
      minVersion: flags['tls-min-version'] === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2',
      cipherSuites: knownSuites(flags['tls-cipher-suites']),
    },
    authority: given.serving.value?.certificate ?? own.authority,
    administrator: own.administrator,
    clientSigner: own.clientSigner,
    clientAuthorities,
    proxyAuthorities,
    files: [
      ...new Set([...FILE_FLAGS.map((name) => flags[name]), ...namedFiles(flags).flatMap((each) => [each.certificateFile, each.keyFile])]),
    ].filter((file) => file !== ''),
    reread: (file) => certificatesOf(source, own, rereadGiven(given, file)),
    renewal: own.renewal,
    renew: async (makes) => {
      const renewed = await source.renew(makes);
      return renewed && certificatesOf(source, renewed, given);
    },
  };
}

/** @throws Error that names the flag */
function knownSuites(names: readonly string[]): readonly string[] {
  try {
    cipherList(names);
  } catch (error) {
    throw new Error(`--tls-cipher-suites: ${(error as Error).message}`, { cause: error });
  }
  return names;
}

const NAMED = 'tls-sni-cert-key';

/** @throws Error that names the flag */
function namedFiles(flags: CertificateFlags): NamedFiles[] {
  return flags[NAMED].map((text) => {
    try {
      return parseNamedFiles(text);
    } catch (error) {
      throw new Error(`--${NAMED}: ${JSON.stringify(text)}: ${(error as Error).message}`, { cause: error });
    }
  });
}

/** @throws Error that names the flag and the file */
function readNamed({ certificateFile, keyFile, names }: NamedFiles): NamedCertificate {
  const [certificate, key] = [readFlagFile(NAMED, certificateFile), readFlagFile(NAMED, keyFile)];
  const flag = (file: string): string => `--${NAMED}: ${file}`;
  const parsed = holding(flag(certificateFile), 'certificate', () => new X509Certificate(certificate));
  if (!holding(flag(keyFile), 'private key', () => parsed.checkPrivateKey(createPrivateKey(key))))
    throw new Error(`${flag(keyFile)}: the key is not that of ${certificateFile}`);
  return { certificate, key, ...(names && { names }) };
}

function givenCertificate(flags: CertificateFlags): CertificateAndKey | undefined {
  const [certificate] = readOptional(flags, 'tls-cert-file');
  const [key] = readOptional(flags, 'tls-private-key-file');
  if ((certificate === undefined) !== (key === undefined)) throw new Error('--tls-cert-file and --tls-private-key-file need each other');
  if (certificate === undefined || key === undefined) return undefined;
  if (
    !holding(`--tls-private-key-file: ${flags['tls-private-key-file']}`, 'private key', () =>
      new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)),
    )
  )
    throw new Error('--tls-private-key-file: the key is not that of --tls-cert-file');
  return { certificate, key };
}

/** @throws Error that names the flag when `read` throws */
function holding<T>(flag: string, what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${flag}: the file holds no ${what} in PEM form`, { cause: error });
  }
}

/** @throws Error that names the flag */
function neededNames(flags: CertificateFlags, identity: Identity): string[] {
  const bound = flags['bind-address'];
  if (isIP(bound) === 0) throw new Error(`--bind-address: ${JSON.stringify(bound)} is no IP address`);
  const advertised = flags['advertise-address'];
  if (advertised !== '' && isIP(advertised) === 0)
    throw new Error(`--advertise-address: ${JSON.stringify(advertised)} is no IP address; names belong into --external-hostname`);
  return servingNames(
    {
      bindAddress: flags['bind-address'],
      serviceAddresses: flags['service-cluster-ip-range'].map(firstServiceAddress),
      further: [flags['external-hostname'], advertised],
    },
    identity,
  );
}

/** @throws Error that names the flag */
function firstServiceAddress(range: string): string {
  try {
    return new AddressRange(range).at(0);
  } catch (error) {
    throw new Error(`--service-cluster-ip-range: ${(error as Error).message}`, { cause: error });
  }
}

/** @returns the file's text, nothing for a flag that is not set. @throws Error that names the flag, also for a certificate that is none */
function readOptional(flags: CertificateFlags, name: FileFlag): string[] {
  const file = flags[name];
  if (file === '') return [];
  const text = readFlagFile(name, file);
  if (name !== 'tls-private-key-file') checkCertificates(`--${name}: ${file}`, text);
  return [text];
}

/** @throws Error that names the flag, also where one of several certificates is none: whoever signs by that one would be refused without a word */
function checkCertificates(flag: string, text: string): void {
  if (holding(flag, 'certificate', () => certificatesIn(text)).length === 0)
    throw new Error(`${flag}: the file holds no certificate in PEM form`);
}

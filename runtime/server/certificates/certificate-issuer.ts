/** Makes keys and certificates (X.509 version 3, RFC 5280). */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import { BIT_STRING, CONTEXT_0, type DerElement, elements, INTEGER, members, SEQUENCE } from '../../certificates/der.ts';
import {
  element,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  setOf,
  TRUE,
  time,
  utf8String,
} from '../../certificates/der-encoding.ts';
import { pemBlocks } from '../../certificates/pem.ts';
import { requestAlternativeNames } from '../../certificates/requested-names.ts';
import { parseAddress } from '../../formats/ip-text.ts';
import type { CertificateAndKey, CertificateRequest } from './certificate-request.ts';

/** The object identifiers (OIDs) of parts of certificates. */
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';
const KEY_USAGE = '2.5.29.15';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';
const AUTHORITY_KEY_IDENTIFIER = '2.5.29.35';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const PURPOSE = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;

const RSA_WITH_SHA256 = '1.2.840.113549.1.1.11';
const ED25519 = '1.3.101.112';

/** Usages of a request that a certificate has bits for (RFC 5280 section 4.2.1.3), in the order of the bits. */
const KEY_USAGES = [
  ['digital signature', 'signing'],
  ['content commitment'],
  ['key encipherment'],
  ['data encipherment'],
  ['key agreement'],
  ['cert sign'],
  ['crl sign'],
  ['encipher only'],
] as const;
/** The extended key usages and their object identifiers. */
const EXTENDED_USAGES = {
  any: '2.5.29.37.0',
  'server auth': PURPOSE.server,
  'client auth': PURPOSE.client,
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
} as const;

export type IssuedUsage = (typeof KEY_USAGES)[number][number] | keyof typeof EXTENDED_USAGES;

/** Tags of members that are told by their numbers. */
const NULL = 0x05;
const CONTEXT_3 = 0xa3;
const KEY_IDENTIFIER = 0x80;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

/** Number of unused bits, then the bits: those of a certificate's signature and of lists, or those of leaves. */
const SIGNS_CERTIFICATES = Buffer.from([0x01, 0x06]);
const SIGNS_DATA = Buffer.from([0x07, 0x80]);

const VERSION_3 = element(CONTEXT_0, integer(2));
const ALGORITHM = sequence(objectIdentifier(ECDSA_WITH_SHA256));

/**
 * A new key (ECDSA P-256) with a certificate for it.
 * @param issuer whose key is ECDSA too; absent: the certificate signs itself
 * @throws Error for an issuer that is none
 */
export function issueCertificate(request: CertificateRequest, issuer?: CertificateAndKey): CertificateAndKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer = issuer === undefined ? undefined : new X509Certificate(issuer.certificate);
  const subject = nameOf(request);
  const signed = sequence(
    VERSION_3,
    serialNumber(),
    ALGORITHM,
    signer === undefined ? subject : subjectOf(signer),
    sequence(time(request.notBefore), time(request.notAfter)),
    subject,
    keyInfo(publicKey),
    element(CONTEXT_3, sequence(...extensionsOf(request, publicKey, signer?.publicKey))),
  );
  const key = issuer === undefined ? privateKey : createPrivateKey(issuer.key);
  const certificate = sequence(signed, ALGORITHM, element(BIT_STRING, NO_UNUSED_BITS, sign('sha256', signed, key)));
  return {
    certificate: pemOf(certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

export interface IssuedCertificate {
  readonly usages: readonly IssuedUsage[];
  /** milliseconds since 1970; no certificate outlives that of its issuer */
  readonly notBefore: number;
  readonly notAfter: number;
}

/**
 * A certificate for a request: its subject, its key and its alternative names, as they stand there.
 * @param pem a request whose signature somebody has verified
 * @param issuer whose key is of an elliptic curve, RSA or Ed25519
 * @returns PEM. @throws RangeError for what is no request, Error for an issuer that is none
 */
export function issueForRequest(pem: string, { usages, notBefore, notAfter }: IssuedCertificate, issuer: CertificateAndKey): string {
  const block = pemBlocks(pem).next().value;
  const [info] = members(elements(block?.bytes ?? Buffer.alloc(0))[0], SEQUENCE);
  const [, subject, keyInfo] = members(info, INTEGER, SEQUENCE, SEQUENCE) as DerElement[];
  const publicKey = createPublicKey({ key: (keyInfo as DerElement).whole, format: 'der', type: 'spki' });
  const signer = new X509Certificate(issuer.certificate);
  const key = createPrivateKey(issuer.key);
  const { algorithm, hash } = signatureOf(key);
  const names = requestAlternativeNames(pem);
  const extended = usages.flatMap((usage) => (usage in EXTENDED_USAGES ? [EXTENDED_USAGES[usage as keyof typeof EXTENDED_USAGES]] : []));
  const bits = KEY_USAGES.map((each) => each.some((usage) => usages.includes(usage)));
  const extensions = [
    ...(bits.includes(true) ? [extension(KEY_USAGE, element(BIT_STRING, bitString(bits)), 'critical')] : []),
    ...(extended.length > 0 ? [extension(EXTENDED_KEY_USAGE, sequence(...extended.map(objectIdentifier)))] : []),
    extension(BASIC_CONSTRAINTS, sequence(), 'critical'),
    extension(SUBJECT_KEY_IDENTIFIER, octetString(keyIdentifier(publicKey))),
    extension(AUTHORITY_KEY_IDENTIFIER, sequence(element(KEY_IDENTIFIER, keyIdentifier(signer.publicKey)))),
    ...(names === undefined ? [] : [extension(SUBJECT_ALTERNATIVE_NAME, names)]),
  ];
  const signed = sequence(
    VERSION_3,
    serialNumber(),
    algorithm,
    subjectOf(signer),
    sequence(time(notBefore), time(Math.min(notAfter, signer.validToDate.getTime()))),
    (subject as DerElement).whole,
    (keyInfo as DerElement).whole,
    element(CONTEXT_3, sequence(...extensions)),
  );
  return pemOf(sequence(signed, algorithm, element(BIT_STRING, NO_UNUSED_BITS, sign(hash, signed, key))));
}

/** @throws Error for a key that cannot sign certificates */
function signatureOf({ asymmetricKeyType }: KeyObject): { algorithm: Buffer; hash: string | null } {
  switch (asymmetricKeyType) {
    case 'ec':
      return { algorithm: ALGORITHM, hash: 'sha256' };
    case 'rsa':
      return { algorithm: sequence(objectIdentifier(RSA_WITH_SHA256), element(NULL)), hash: 'sha256' };
    case 'ed25519':
      return { algorithm: sequence(objectIdentifier(ED25519)), hash: null };
    default:
      throw new Error(`certificates cannot be signed with a key of type ${asymmetricKeyType}`);
  }
}

/** The number of unused bits, then the bits, without zeros at the end. */
function bitString(bits: readonly boolean[]): Buffer {
  const length = bits.lastIndexOf(true) + 1;
  const byte = bits.reduce((sum, bit, index) => (bit ? sum | (0x80 >> index) : sum), 0);
  return Buffer.from([8 - length, byte]);
}

const NO_UNUSED_BITS = Buffer.from([0]);

function pemOf(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function nameOf({ commonName, organizations }: CertificateRequest): Buffer {
  const part = (type: string, text: string): Buffer => setOf(sequence(objectIdentifier(type), utf8String(text)));
  return sequence(...organizations.map((name) => part(ORGANIZATION, name)), part(COMMON_NAME, commonName));
}

/** Returns the subject as the bytes that the certificate has, because those who verify a chain compare names byte by byte. */
function subjectOf({ raw }: X509Certificate): Buffer {
  const [certificate] = elements(raw);
  const [signed] = elements((certificate as DerElement).content);
  // behind version, serial number, algorithm, issuer and validity
  return (elements((signed as DerElement).content)[5] as DerElement).whole;
}

/** 127 random bits, positive. */
function serialNumber(): Buffer {
  const [first = 0, ...rest] = randomBytes(16);
  return integer((first & 0x7f) | 0x40, ...rest);
}

const keyInfo = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

function extensionsOf({ usage, names }: CertificateRequest, publicKey: KeyObject, signerKey: KeyObject | undefined): Buffer[] {
  const isAuthority = usage === 'authority';
  const extensions = [
    extension(BASIC_CONSTRAINTS, sequence(...(isAuthority ? [TRUE] : [])), 'critical'),
    extension(KEY_USAGE, element(BIT_STRING, isAuthority ? SIGNS_CERTIFICATES : SIGNS_DATA), 'critical'),
    extension(SUBJECT_KEY_IDENTIFIER, octetString(keyIdentifier(publicKey))),
  ];
  if (signerKey !== undefined)
    extensions.push(extension(AUTHORITY_KEY_IDENTIFIER, sequence(element(KEY_IDENTIFIER, keyIdentifier(signerKey)))));
  if (usage !== 'authority') extensions.push(extension(EXTENDED_KEY_USAGE, sequence(objectIdentifier(PURPOSE[usage]))));
  if (names.length > 0) extensions.push(extension(SUBJECT_ALTERNATIVE_NAME, sequence(...names.map(alternativeName))));
  return extensions;
}

function extension(type: string, value: Buffer, critical?: 'critical'): Buffer {
  return sequence(objectIdentifier(type), ...(critical === undefined ? [] : [TRUE]), octetString(value));
}

/** Computes the identifier of a public key by the first method of RFC 5280, section 4.2.1.2, which is a digest of only the key's bits. */
function keyIdentifier(key: KeyObject): Buffer {
  const [info] = elements(keyInfo(key));
  const [, bits] = elements((info as DerElement).content);
  return createHash('sha1')
    .update((bits as DerElement).content.subarray(1))
    .digest();
}

function alternativeName(name: string): Buffer {
  if (isIP(name) === 0) return element(DNS_NAME, Buffer.from(name));
  const parsed = parseAddress(name);
  if (typeof parsed === 'string') throw new Error(`${name}: ${parsed}`);
  return element(IP_ADDRESS, Buffer.from(parsed.bytes));
}

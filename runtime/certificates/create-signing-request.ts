/** Makes requests for certificates in the form of PKCS #10 (RFC 2986), signed with ECDSA. */
import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { BIT_STRING, CONTEXT_0 } from './der.ts';
import { element, integer, objectIdentifier, octetString, sequence, setOf, utf8String } from './der-encoding.ts';

export interface SigningRequestContent {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames?: readonly string[];
  /** 4 or 16 bytes each */
  readonly addresses?: readonly Buffer[];
}

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
const NO_UNUSED_BITS = Buffer.from([0]);

/** @param key private, of an elliptic curve. @returns PEM */
export function createSigningRequest(content: SigningRequestContent, key: KeyObject): string {
  const part = (type: string, text: string): Buffer => setOf(sequence(objectIdentifier(type), utf8String(text)));
  const { commonName, organizations } = content;
  const subject = sequence(...organizations.map((name) => part(ORGANIZATION, name)), part(COMMON_NAME, commonName));
  const info = sequence(
    integer(0),
    subject,
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    element(CONTEXT_0, ...attributes(content)),
  );
  const request = sequence(
    info,
    sequence(objectIdentifier(ECDSA_WITH_SHA256)),
    element(BIT_STRING, NO_UNUSED_BITS, sign('sha256', info, key)),
  );
  const lines = request.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`;
}

function attributes({ dnsNames = [], addresses = [] }: SigningRequestContent): Buffer[] {
  const names = [
    ...dnsNames.map((name) => element(DNS_NAME, Buffer.from(name))),
    ...addresses.map((address) => element(IP_ADDRESS, address)),
  ];
  if (names.length === 0) return [];
  const extension = sequence(objectIdentifier(SUBJECT_ALTERNATIVE_NAME), octetString(sequence(...names)));
  return [sequence(objectIdentifier(EXTENSION_REQUEST), setOf(sequence(extension)))];
}

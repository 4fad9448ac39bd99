/** Requests for certificates in the form of PKCS #10 (RFC 2986). */
import { constants, createPublicKey, type VerifyKeyObjectInput, verify } from 'node:crypto';
import { BIT_STRING, CONTEXT_0, type DerElement, elements, INTEGER, members, OBJECT_IDENTIFIER, SEQUENCE } from './der.ts';
import { pemBlocks } from './pem.ts';
import { requestedNames } from './requested-names.ts';

/** Hash by the signature algorithm's identifier, as hexadecimal DER content; null where the algorithm brings its own. */
const HASHES: Readonly<Record<string, string | null>> = {
  '2a864886f70d010105': 'sha1',
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d0401': 'sha1',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
  '2b6570': null,
};
const RSA_PSS = '2a864886f70d01010a';
const PSS_HASHES: Readonly<Record<string, string>> = {
  '608648016503040201': 'sha256',
  '608648016503040202': 'sha384',
  '608648016503040203': 'sha512',
};

const UNSUPPORTED = 'x509: cannot verify signature: algorithm unimplemented';

const MALFORMED = 'x509: malformed certificate request';

/** What is wrong with the text form of a request: its syntax, its signature, or names that cannot be read. */
export function signingRequestProblem(pem: string): string | undefined {
  const block = pemBlocks(pem).next().value;
  if (block === undefined || block.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    return signatureProblem(block.bytes) ?? (requestedNames(pem) === undefined ? MALFORMED : undefined);
  } catch {
    return MALFORMED;
  }
}

/** @throws RangeError for bytes that are no request, Error for a key that cannot be read */
function signatureProblem(bytes: Buffer): string | undefined {
  const [request, ...trailing] = elements(bytes);
  if (trailing.length > 0) return 'x509: trailing data';
  const [info, algorithm, signature] = members(request, SEQUENCE, SEQUENCE, BIT_STRING);
  const key = members(info, INTEGER, SEQUENCE, SEQUENCE, CONTEXT_0)[2] as DerElement;
  const publicKey = createPublicKey({ key: key.whole, format: 'der', type: 'spki' });
  const [identifier, parameters] = members(algorithm, OBJECT_IDENTIFIER);
  const scheme = schemeOf((identifier as DerElement).content.toString('hex'), parameters);
  if (scheme === undefined) return UNSUPPORTED;
  const data = (info as DerElement).whole;
  const signed = verify(scheme.hash, data, { key: publicKey, ...scheme.options }, wholeBytes(signature as DerElement));
  return signed ? undefined : 'x509: signature verification failure';
}

/** The first byte of a bit string counts the unused bits of the last. @throws RangeError where there are some */
function wholeBytes({ content }: DerElement): Buffer {
  if (content.readUInt8(0) !== 0) throw new RangeError('bits that are no bytes');
  return content.subarray(1);
}

interface Scheme {
  readonly hash: string | null;
  readonly options?: Omit<VerifyKeyObjectInput, 'key'>;
}

function schemeOf(identifier: string, parameters: DerElement | undefined): Scheme | undefined {
  if (identifier === RSA_PSS) return pssScheme(parameters);
  const hash = Object.hasOwn(HASHES, identifier) ? HASHES[identifier] : undefined;
  return hash === undefined ? undefined : { hash };
}

/** The hash stands in the first, tagged member of the parameters (RFC 4055); the salt is as long as the hash. */
function pssScheme(parameters: DerElement | undefined): Scheme | undefined {
  const [hashAlgorithm] = members(elements(members(parameters, CONTEXT_0)[0]?.content as Buffer)[0], OBJECT_IDENTIFIER);
  const hash = PSS_HASHES[(hashAlgorithm as DerElement).content.toString('hex')];
  if (hash === undefined) return undefined;
  return { hash, options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } };
}

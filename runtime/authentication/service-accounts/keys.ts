/** Reads the keys of service account tokens from PEM files: RSA or ECDSA, public or private (specification: service account tokens). */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import path from 'node:path';
import { makeFolder, writeFileAtomically } from '../../files/atomic-file.ts';
import { readFlagFile } from '../../files/flag-file.ts';
import { readOwnFile } from '../../files/own-file.ts';
import { isThere } from '../../files/regular-file.ts';

export interface TokenKey {
  /** id by which tokens name the key; for keys from files, the digest of the public key */
  readonly id: string;
  /** the algorithm by which tokens are signed with this key */
  readonly algorithm: string;
  readonly publicKey: KeyObject;
}

export interface SigningKey extends TokenKey {
  readonly privateKey: KeyObject;
}

/** The flags that determine the keys. */
export interface TokenKeyFlags {
  readonly 'service-account-key-file': readonly string[];
  readonly 'service-account-signing-key-file': string;
  readonly 'tls-private-key-file': string;
}

export interface TokenKeys {
  readonly signing: SigningKey;
  /** keys by which tokens are verified, including that of `signing` */
  readonly accepted: readonly TokenKey[];
}

/** The name of the file for the key that the server makes, in the folder of certificates. */
const OWN_KEY = 'service-account.key';

/**
 * Tokens are verified with the keys of --service-account-key-file, or with that of --tls-private-key-file, and always with the signing key.
 * That is the one of --service-account-signing-key-file, else the first private one of these, else one that the server makes.
 * @param folder where the server's own key is stored, readable only for its owner; undefined: it is not stored
 * @throws Error that names the flag whose file cannot be read or has no key
 */
export function readTokenKeys(flags: TokenKeyFlags, folder: string | undefined): TokenKeys {
  const files = flags['service-account-key-file'];
  const given = files.flatMap((file) => readKeys('service-account-key-file', file));
  const signer = flags['service-account-signing-key-file'];
  const candidates = signer === '' ? [...given] : readKeys('service-account-signing-key-file', signer);
  const tlsKey = flags['tls-private-key-file'];
  if (files.length === 0 && tlsKey !== '') {
    const fallback = readKeys('tls-private-key-file', tlsKey);
    given.push(...fallback);
    if (signer === '') candidates.push(...fallback);
  }
  let signing = candidates.find((key): key is SigningKey => 'privateKey' in key);
  if (signing === undefined) {
    if (signer !== '') throw new Error(`--service-account-signing-key-file: ${signer} holds no private key`);
    signing = folder === undefined ? signingKey(newKey()) : ownKey(folder);
  }
  const accepted = new Map([signing, ...given].map((key) => [key.id, key]));
  return { signing, accepted: [...accepted.values()] };
}

/**
 * Reads the keys, unless another program has them.
 * @returns undefined if `--service-account-signing-endpoint` names that program.
 * @throws Error as of `readTokenKeys`
 */
export function tokenKeysOf(
  flags: TokenKeyFlags & { readonly 'service-account-signing-endpoint': string },
  folder: string | undefined,
): TokenKeys | undefined {
  return flags['service-account-signing-endpoint'] === '' ? readTokenKeys(flags, folder) : undefined;
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/** Reads all keys of a file. @throws Error that names the flag and the file if it cannot be read or has no usable key */
function readKeys(flag: string, file: string): (TokenKey | SigningKey)[] {
  const text = readFlagFile(flag, file);
  try {
    const keys = [...text.matchAll(BLOCK)].filter(([, kind = '']) => /KEY|CERTIFICATE/.test(kind));
    if (keys.length === 0) throw new Error(`${file} holds no key in PEM form`);
    return keys.map(([pem, kind = '']) =>
      kind.includes('PRIVATE')
        ? signingKey(readable(file, () => createPrivateKey(pem)))
        : tokenKey(readable(file, () => createPublicKey(pem))),
    );
  } catch (error) {
    throw new Error(`--${flag}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Calls a function that reads a key. @throws Error that names the file if it fails */
function readable(file: string, read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch (error) {
    throw new Error(`${file} holds a key that cannot be read`, { cause: error });
  }
}

function signingKey(privateKey: KeyObject): SigningKey {
  return { ...tokenKey(createPublicKey(privateKey)), privateKey };
}

const ELLIPTIC: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** @returns the algorithm with which the key signs tokens; undefined if there is none for keys of its kind */
export function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | undefined {
  return asymmetricKeyType === 'rsa' ? 'RS256' : ELLIPTIC[asymmetricKeyDetails?.namedCurve ?? ''];
}

/** All algorithms of RSA keys: who holds the key may have signed by any of them. */
const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];

/** @returns the algorithms by which tokens of a key may be signed; none of them has a secret that others know, such as a public key */
export const believedAlgorithms = ({ algorithm }: Pick<TokenKey, 'algorithm'>): readonly string[] =>
  algorithm === 'RS256' ? RSA : [algorithm];

/** Derives the id and the algorithm from a public key. @throws Error if no algorithm is for keys of its kind */
function tokenKey(publicKey: KeyObject): TokenKey {
  const algorithm = algorithmOf(publicKey);
  if (algorithm === undefined) throw new Error('the key is neither RSA nor ECDSA over P-256, P-384 or P-521');
  const id = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  return { id, algorithm, publicKey };
}

function ownKey(folder: string): SigningKey {
  const file = path.join(folder, OWN_KEY);
  if (!isThere(file)) {
    makeFolder(folder);
    writeFileAtomically(file, newKey().export({ type: 'pkcs8', format: 'pem' }) as string, 0o600);
  }
  const text = readOwnFile(file);
  try {
    return signingKey(createPrivateKey(text));
  } catch (error) {
    throw new Error(
      `${file} holds no private key in PEM form: bring it back from a copy, or remove it, and tokens that were issued are no longer believed`,
      { cause: error },
    );
  }
}

const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/** Seeds from which a key is derived for each value, and the fields that are stored beside the value. */
import { createHash, createHmac } from 'node:crypto';
import type { EncryptedObject } from '../../../generated/node-interfaces/key-management.ts';
import { type Cipher, ciphers } from '../../storage/encryption/ciphers.ts';
import { randomly } from '../../storage/encryption/random-bytes.ts';

export const SEED_BYTES = 32;
/** What the service has encrypted: a seed, or the key of the value itself, as earlier releases did. */
export const SEED_TYPE = 1;
export const KEY_TYPE = 0;

/** The fields of an encrypted object that identify its seed. */
export type StoredSeed = Omit<EncryptedObject, 'encryptedData'>;

/**
 * Encrypts each text by a key of its own. The key is derived from the seed and 32 random bytes in front of the text by the expand step of
 * HKDF with SHA-256 (RFC 5869, section 2.3).
 */
export class SeedCipher implements Cipher {
  readonly #seed: Buffer;

  constructor(seed: Buffer) {
    this.#seed = seed;
  }

  encrypt(plain: Uint8Array, authenticated: string): readonly Buffer[] {
    const info = randomly(SEED_BYTES);
    return [info, ...this.#derived(info).encrypt(plain, authenticated)];
  }

  decrypt(encrypted: Buffer, authenticated: string): Buffer {
    if (encrypted.length < SEED_BYTES) throw new Error('the stored data was shorter than the required size');
    return this.#derived(encrypted.subarray(0, SEED_BYTES)).decrypt(encrypted.subarray(SEED_BYTES), authenticated);
  }

  #derived(info: Buffer): Cipher {
    return ciphers.aesgcm(createHmac('sha256', this.#seed).update(info).update(FIRST_BLOCK).digest());
  }
}

const FIRST_BLOCK = Buffer.from([1]);

/** @returns the problem in the words of 1.32; undefined if there is none */
export const seedLengthProblem = ({ length }: Uint8Array): string | undefined =>
  length < SEED_BYTES ? `invalid seed length ${length} used for key generation` : undefined;

/** A key that identifies a seed, whatever the order of its annotations. */
export function seedKey({ keyID, encryptedDEKSource, annotations, encryptedDEKSourceType }: StoredSeed): string {
  const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const notes = annotations.map(({ key, value }) => `${key.length}:${key}${value.length}:${text(value)}`).sort();
  return `${encryptedDEKSourceType}:${keyID.length}:${keyID}${encryptedDEKSource.length}:${text(encryptedDEKSource)}${notes.join('')}`;
}

/** The hash that 1.32 shows in place of the identifier of a key. */
export const hashOf = (keyId: string): string => (keyId === '' ? '' : `sha256:${createHash('sha256').update(keyId).digest('hex')}`);

/** Seeds of which keys are derived, each for one value, and what stands of them beside each value. */
import { createHash, createHmac } from 'node:crypto';
import type { EncryptedObject } from '../../../generated/node-interfaces/key-management.ts';
import { type Cipher, ciphers } from '../../storage/encryption/ciphers.ts';
import { randomly } from '../../storage/encryption/random-bytes.ts';

export const SEED_BYTES = 32;
/** What a service has encrypted: a seed, or the key itself, as earlier releases had it. */
export const SEED_TYPE = 1;
export const KEY_TYPE = 0;

/** What is stored beside a value. */
export type StoredSeed = Omit<EncryptedObject, 'encryptedData'>;

/** A key of its own for each text, derived by what stands in front of it: HKDF's second half, with SHA-256. */
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

/** In the words of 1.32. @returns undefined: nothing is wrong with it */
export const seedLengthProblem = ({ length }: Uint8Array): string | undefined =>
  length < SEED_BYTES ? `invalid seed length ${length} used for key generation` : undefined;

/** Tells one seed from all others, whatever the order in which its annotations were written. */
export function seedKey({ keyID, encryptedDEKSource, annotations, encryptedDEKSourceType }: StoredSeed): string {
  const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const notes = annotations.map(({ key, value }) => `${key.length}:${key}${value.length}:${text(value)}`).sort();
  return `${encryptedDEKSourceType}:${keyID.length}:${keyID}${encryptedDEKSource.length}:${text(encryptedDEKSource)}${notes.join('')}`;
}

/** As 1.32 has it in place of the identity of a key. */
export const hashOf = (keyId: string): string => (keyId === '' ? '' : `sha256:${createHash('sha256').update(keyId).digest('hex')}`);

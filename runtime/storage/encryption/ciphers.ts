/** How texts are encrypted by a key that stands in a file, in the very bytes of kube-apiserver 1.32 behind the name of the key. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { randomly } from './random-bytes.ts';
import { BOX_NONCE, BOX_TAG, secretBoxes } from './secret-box.ts';

/** Encrypts and decrypts with one key. */
export interface Cipher {
  /**
   * @param authenticated what the text belongs to; only `aesgcm` binds both together, as in 1.32
   * @returns the stored form in pieces, which are valid until the next call, so that the caller must copy them before
   */
  encrypt(plain: Uint8Array, authenticated: string): readonly Buffer[];
  /** @returns bytes of its own. @throws Error for what was not encrypted by this key, or was changed since */
  decrypt(encrypted: Buffer, authenticated: string): Buffer;
}

export type CipherName = 'aescbc' | 'aesgcm' | 'secretbox';

/** Functions that make ciphers from secrets, whose length the validation of the configuration has checked. */
export type Ciphers = Readonly<Record<CipherName, (secret: Buffer) => Cipher>>;

export const ciphers: Ciphers = {
  aescbc: (secret) => new CipherBlockChaining(secret),
  aesgcm: (secret) => new GaloisCounter(secret),
  secretbox: (secret) => new SecretBox(secret),
};

const TOO_SHORT = 'the stored data was shorter than the required size';

const BLOCK = 16;

/** The initialization vector, then the blocks, padded as PKCS #7 has it. */
class CipherBlockChaining implements Cipher {
  readonly #secret: Buffer;
  readonly #algorithm: string;

  constructor(secret: Buffer) {
    this.#secret = secret;
    this.#algorithm = `aes-${secret.length * 8}-cbc`;
  }

  encrypt(plain: Uint8Array): readonly Buffer[] {
    const start = randomly(BLOCK);
    const cipher = createCipheriv(this.#algorithm, this.#secret, start);
    return [start, cipher.update(plain), cipher.final()];
  }

  decrypt(encrypted: Buffer): Buffer {
    if (encrypted.length < BLOCK) throw new Error(TOO_SHORT);
    if (encrypted.length % BLOCK !== 0) throw new Error('the stored data is not a multiple of the block size');
    const decipher = createDecipheriv(this.#algorithm, this.#secret, encrypted.subarray(0, BLOCK));
    const plain = decipher.update(encrypted.subarray(BLOCK));
    return Buffer.concat([plain, final(decipher, 'invalid padding on input')]);
  }
}

const GCM_NONCE = 12;
const GCM_TAG = 16;

/** AES in Galois/counter mode. The stored form is the nonce, the encrypted text and the tag. */
class GaloisCounter implements Cipher {
  readonly #secret: Buffer;
  readonly #algorithm: 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm';

  constructor(secret: Buffer) {
    this.#secret = secret;
    this.#algorithm = `aes-${(secret.length * 8) as 128 | 192 | 256}-gcm`;
  }

  encrypt(plain: Uint8Array, authenticated: string): readonly Buffer[] {
    const nonce = randomly(GCM_NONCE);
    const cipher = createCipheriv(this.#algorithm, this.#secret, nonce);
    cipher.setAAD(Buffer.from(authenticated));
    return [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
  }

  decrypt(encrypted: Buffer, authenticated: string): Buffer {
    const end = encrypted.length - GCM_TAG;
    if (end < GCM_NONCE) throw new Error(TOO_SHORT);
    const decipher = createDecipheriv(this.#algorithm, this.#secret, encrypted.subarray(0, GCM_NONCE), { authTagLength: GCM_TAG });
    decipher.setAAD(Buffer.from(authenticated));
    decipher.setAuthTag(encrypted.subarray(end));
    const plain = decipher.update(encrypted.subarray(GCM_NONCE, end));
    final(decipher, 'cipher: message authentication failed');
    return plain;
  }
}

/** @throws Error with the words of 1.32 in place of those of the library */
function final(decipher: { final(): Buffer }, problem: string): Buffer {
  try {
    return decipher.final();
  } catch {
    throw new Error(problem);
  }
}

/** NaCl's secretbox. The stored form is the nonce, the tag and the encrypted text. */
class SecretBox implements Cipher {
  readonly #secret: Buffer;
  readonly #boxes = secretBoxes();

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  encrypt(plain: Uint8Array): readonly Buffer[] {
    const nonce = randomly(BOX_NONCE);
    return [nonce, this.#boxes.seal(plain, nonce, this.#secret)];
  }

  decrypt(encrypted: Buffer): Buffer {
    if (encrypted.length < BOX_NONCE + BOX_TAG) throw new Error(TOO_SHORT);
    const plain = this.#boxes.open(encrypted.subarray(BOX_NONCE), encrypted.subarray(0, BOX_NONCE), this.#secret);
    if (plain === undefined) throw new Error('the message is not authentic');
    return plain;
  }
}

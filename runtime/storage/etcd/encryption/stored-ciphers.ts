/** The ciphers whose keys stand in the configuration, with the reasons for which 1.32 refuses what etcd has. */
import { createDecipheriv } from 'node:crypto';
import { type Cipher, type Ciphers, ciphers } from '../../encryption/ciphers.ts';
import { BOX_NONCE, BOX_TAG } from '../../encryption/secret-box.ts';

const BLOCK = 16;
const GCM_NONCE = 12;

/** Finds the reason; undefined: that of the cipher is right. */
type ReasonOf = (encrypted: Buffer) => string | undefined;

export const storedCiphers: Ciphers = {
  aescbc: (secret) => withReasons(ciphers.aescbc(secret), (encrypted) => paddingProblem(secret, encrypted)),
  aesgcm: (secret) =>
    withReasons(ciphers.aesgcm(secret), ({ length }) => (length < GCM_NONCE ? undefined : 'cipher: message authentication failed')),
  secretbox: (secret) =>
    withReasons(ciphers.secretbox(secret), ({ length }) =>
      length < BOX_NONCE + BOX_TAG ? undefined : 'output array was not large enough for encryption',
    ),
};

function withReasons(cipher: Cipher, reasonOf: ReasonOf): Cipher {
  return {
    encrypt: (plain, authenticated) => cipher.encrypt(plain, authenticated),
    decrypt(encrypted, authenticated) {
      try {
        return cipher.decrypt(encrypted, authenticated);
      } catch (error) {
        throw new Error(reasonOf(encrypted) ?? (error as Error).message, { cause: error });
      }
    },
  };
}

/** Which of two reasons 1.32 has where only the padding tells that the key is another one. */
function paddingProblem(secret: Buffer, encrypted: Buffer): string | undefined {
  if (encrypted.length < BLOCK || encrypted.length % BLOCK !== 0) return undefined;
  const decipher = createDecipheriv(`aes-${secret.length * 8}-cbc`, secret, encrypted.subarray(0, BLOCK)).setAutoPadding(false);
  const text = Buffer.concat([decipher.update(encrypted.subarray(BLOCK)), decipher.final()]);
  const padding = text.at(-1) ?? 0;
  return padding === 0 || padding > text.length ? 'invalid PKCS7 data (empty or not padded)' : undefined;
}

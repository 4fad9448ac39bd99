/**
 * NaCl's secret box (XSalsa20 with Poly1305), which OpenSSL does not have: by libsodium where its addon is installed for this machine, or else in JavaScript,
 * which takes about seven times as long.
 */
import { createRequire } from 'node:module';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { ReusedBytes } from './reused-bytes.ts';

const KEY_BYTES = 32;
export const BOX_NONCE = 24;
export const BOX_TAG = 16;

/** An implementation of secretbox. */
export interface SecretBoxes {
  /** the name of the package */
  readonly name: string;
  /** @returns the tag, followed by the encrypted text; the bytes are valid until the next call */
  seal(text: Uint8Array, nonce: Buffer, key: Buffer): Buffer;
  /** @param box of `BOX_TAG` bytes at least. @returns the text in memory of its own; undefined for what is not authentic */
  open(box: Buffer, nonce: Buffer, key: Buffer): Buffer | undefined;
}

/** What is used of libsodium; it throws where lengths do not fit together. */
interface Sodium {
  crypto_secretbox_easy(box: Uint8Array, text: Uint8Array, nonce: Uint8Array, key: Uint8Array): void;
  crypto_secretbox_open_easy(text: Uint8Array, box: Uint8Array, nonce: Uint8Array, key: Uint8Array): boolean;
}

const require = createRequire(import.meta.url);

/** @throws Error where the addon is not installed, or not made for this machine */
export function nativeSecretBoxes(): SecretBoxes {
  const sodium = require('sodium-native') as Sodium;
  const boxes = new ReusedBytes();
  return {
    name: 'sodium-native',
    seal(text, nonce, key) {
      const box = boxes.take(BOX_TAG + text.length);
      sodium.crypto_secretbox_easy(box, text, nonce, key);
      return box;
    },
    open(box, nonce, key) {
      const text = Buffer.allocUnsafeSlow(box.length - BOX_TAG);
      return sodium.crypto_secretbox_open_easy(text, box, nonce, key) ? text : undefined;
    },
  };
}

export const javascriptSecretBoxes: SecretBoxes = {
  name: '@noble/ciphers',
  seal: (text, nonce, key) => asBuffer(xsalsa20poly1305(key, nonce).encrypt(text)),
  open(box, nonce, key) {
    try {
      return asBuffer(xsalsa20poly1305(key, nonce).decrypt(box));
    } catch {
      return undefined;
    }
  },
};

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

let chosen: SecretBoxes | undefined;

/** The fastest that this machine has, which is one of each process. */
export function secretBoxes(): SecretBoxes {
  chosen ??= fastest();
  return chosen;
}

function fastest(): SecretBoxes {
  try {
    const native = nativeSecretBoxes();
    return isRight(native) ? native : javascriptSecretBoxes;
  } catch {
    return javascriptSecretBoxes;
  }
}

/** Whether the other implementation makes the same ones: nothing is stored that it could not read. */
function isRight(boxes: SecretBoxes): boolean {
  const [key, nonce, text] = [Buffer.alloc(KEY_BYTES, 1), Buffer.alloc(BOX_NONCE, 2), Buffer.alloc(100, 3)];
  return boxes.seal(text, nonce, key).equals(javascriptSecretBoxes.seal(text, nonce, key));
}

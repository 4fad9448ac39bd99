/** Bytes as kube-apiserver 1.32 writes them, made without the code under test: by OpenSSL, with vectors and nonces that are given. */
import { createCipheriv, createHmac } from 'node:crypto';

export const SECRET_KEY = '/registry/secrets/default/a';

/** A key of one value, and a text that is as short as it is telling. */
export const secretOf = (byte: number, length = 32): Buffer => Buffer.alloc(length, byte);

const filled = (length: number, byte: number): Buffer => Buffer.alloc(length, byte);

/** The vector, then the blocks. */
export function cbcBytes(secret: Buffer, plain: string | Buffer, vector = filled(16, 0xab)): Buffer {
  const cipher = createCipheriv(`aes-${secret.length * 8}-cbc`, secret, vector);
  return Buffer.concat([vector, cipher.update(plain), cipher.final()]);
}

/** The nonce, the text, the tag. @param key as etcd has it */
export function gcmBytes(secret: Buffer, plain: string | Buffer, key: string, nonce = filled(12, 0xcd)): Buffer {
  const cipher = createCipheriv(`aes-${secret.length * 8}-gcm` as 'aes-256-gcm', secret, nonce);
  cipher.setAAD(Buffer.from(key));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** What the key is derived by, then as `gcmBytes` has it: RFC 5869, section 2.3, for one block. */
export function seedBytes(seed: Buffer, plain: string | Buffer, key: string, info = filled(32, 0xef)): Buffer {
  const derived = createHmac('sha256', seed)
    .update(Buffer.concat([info, Buffer.of(1)]))
    .digest();
  return Buffer.concat([info, gcmBytes(derived, plain, key)]);
}

export const behind = (prefix: string, ...bytes: readonly Buffer[]): Buffer => Buffer.concat([Buffer.from(prefix), ...bytes]);

/** Before the value: what the service has made of the key. */
export function firstServiceBytes(provider: string, encryptedKey: Buffer, encrypted: Buffer): Buffer {
  const length = Buffer.of(encryptedKey.length >> 8, encryptedKey.length & 0xff);
  return behind(`k8s:enc:kms:v1:${provider}:`, length, encryptedKey, encrypted);
}

/** Members of an EncryptedObject, in the order in which protobuf has them. */
export interface ObjectMembers {
  readonly data: Buffer;
  readonly keyId: string;
  readonly source: Buffer;
  readonly annotations?: readonly (readonly [key: string, value: Buffer])[];
  /** 0: a key; 1: a seed */
  readonly type: number;
}

export function secondServiceBytes(provider: string, { data, keyId, source, annotations = [], type }: ObjectMembers): Buffer {
  const notes = annotations.map(([key, value]) => member(4, Buffer.concat([member(1, Buffer.from(key)), member(2, value)])));
  return behind(
    `k8s:enc:kms:v2:${provider}:`,
    ...(data.length === 0 ? [] : [member(1, data)]),
    ...(keyId === '' ? [] : [member(2, Buffer.from(keyId))]),
    ...(source.length === 0 ? [] : [member(3, source)]),
    ...notes,
    ...(type === 0 ? [] : [Buffer.of(5 << 3, type)]),
  );
}

/** A member with a length: 16,383 bytes at most. */
function member(number: number, bytes: Buffer): Buffer {
  const { length } = bytes;
  const size = length < 128 ? Buffer.of(length) : Buffer.of((length & 0x7f) | 0x80, length >> 7);
  return Buffer.concat([Buffer.of((number << 3) | 2), size, bytes]);
}

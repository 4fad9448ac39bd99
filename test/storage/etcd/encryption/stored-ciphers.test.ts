/** Ciphers of etcd: bytes that others have made are read, and what cannot be read has the reason of 1.32. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CipherName } from '../../../../runtime/storage/encryption/ciphers.ts';
import { storedCiphers } from '../../../../runtime/storage/etcd/encryption/stored-ciphers.ts';
import { cbcBytes, gcmBytes, SECRET_KEY, secretOf } from './etcd-bytes.ts';

const test = suite('ciphers of etcd');
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const reason = (name: CipherName, secret: Buffer, encrypted: Buffer, key = SECRET_KEY): string => {
  try {
    storedCiphers[name](secret).decrypt(encrypted, key);
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
};

for (const length of [16, 24, 32]) {
  const secret = secretOf(7, length);
  test(`AES with keys of ${length} bytes reads what others have made`, () => {
    for (const size of [0, 1, 15, 16, 17, 5_000]) {
      const plain = Buffer.alloc(size, 'text');
      assert.equal(storedCiphers.aescbc(secret).decrypt(cbcBytes(secret, plain), SECRET_KEY), plain);
      assert.equal(storedCiphers.aesgcm(secret).decrypt(gcmBytes(secret, plain, SECRET_KEY), SECRET_KEY), plain);
    }
  });
  test(`AES with keys of ${length} bytes makes what others would have made with its vector`, () => {
    const cbc = Buffer.concat(storedCiphers.aescbc(secret).encrypt(Buffer.from('plain'), SECRET_KEY));
    assert.equal(cbc, cbcBytes(secret, 'plain', cbc.subarray(0, 16)));
    const gcm = Buffer.concat(storedCiphers.aesgcm(secret).encrypt(Buffer.from('plain'), SECRET_KEY));
    assert.equal(gcm, gcmBytes(secret, 'plain', SECRET_KEY, gcm.subarray(0, 12)));
  });
}
test('secretbox reads the known answer of NaCl', () => {
  const secret = hex('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389');
  const nonce = '69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37';
  const box =
    'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5';
  const plain =
    'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705';
  assert.is(
    storedCiphers
      .secretbox(secret)
      .decrypt(hex(nonce + box), SECRET_KEY)
      .toString('hex'),
    plain,
  );
  const changed = hex(nonce + box);
  changed[50] = (changed[50] as number) ^ 1;
  assert.is(reason('secretbox', secret, changed), 'output array was not large enough for encryption');
});

const TOO_SHORT = 'the stored data was shorter than the required size';
const UNAUTHENTIC = 'cipher: message authentication failed';
test('what is too short', () => {
  for (const [name, least] of [
    ['aescbc', 16],
    ['aesgcm', 12],
    ['secretbox', 40],
  ] as const)
    for (const length of [0, 1, least - 1]) assert.is(reason(name, secretOf(1), Buffer.alloc(length)), TOO_SHORT, `${name} ${length}`);
  assert.is(reason('aesgcm', secretOf(1), Buffer.alloc(12)), UNAUTHENTIC);
  assert.is(reason('aesgcm', secretOf(1), Buffer.alloc(27)), UNAUTHENTIC);
  assert.is(reason('secretbox', secretOf(1), Buffer.alloc(40)), 'output array was not large enough for encryption');
  assert.is(reason('aescbc', secretOf(1), Buffer.alloc(17)), 'the stored data is not a multiple of the block size');
  assert.is(reason('aescbc', secretOf(1), Buffer.alloc(16)), 'invalid PKCS7 data (empty or not padded)');
});
test('GCM binds a value to its key in etcd', () => {
  const encrypted = gcmBytes(secretOf(1), 'plain', SECRET_KEY);
  assert.is(reason('aesgcm', secretOf(1), encrypted), 'none');
  assert.is(reason('aesgcm', secretOf(1), encrypted, '/registry/secrets/default/b'), UNAUTHENTIC);
  assert.is(reason('aesgcm', secretOf(1), encrypted, 'secrets/default/a'), UNAUTHENTIC);
  assert.is(reason('aesgcm', secretOf(2), encrypted), UNAUTHENTIC);
});
test('of CBC the padding alone tells', () => {
  /** A block whose text ends with these bytes, without a padding of its own. */
  const ending = (...bytes: readonly number[]): Buffer => {
    const text = Buffer.concat([Buffer.alloc(16 - bytes.length, 0x77), Buffer.from(bytes)]);
    return cbcBytes(secretOf(1), text).subarray(0, 32);
  };
  assert.is(reason('aescbc', secretOf(1), ending(0)), 'invalid PKCS7 data (empty or not padded)');
  assert.is(reason('aescbc', secretOf(1), ending(17)), 'invalid PKCS7 data (empty or not padded)');
  assert.is(reason('aescbc', secretOf(1), ending(1, 3)), 'invalid padding on input');
  assert.is(reason('aescbc', secretOf(1), ending(2, 2)), 'none');
});
test.run();

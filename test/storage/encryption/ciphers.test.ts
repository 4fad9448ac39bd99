/** Bytes as kube-apiserver writes them. Texts that others have encrypted are known answers of NIST (SP 800-38A, GCM test case 4) and of NaCl. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CipherName, ciphers } from '../../../runtime/storage/encryption/ciphers.ts';
import { randomly } from '../../../runtime/storage/encryption/random-bytes.ts';
import { javascriptSecretBoxes, nativeSecretBoxes, type SecretBoxes, secretBoxes } from '../../../runtime/storage/encryption/secret-box.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

const known = suite('known answers');
const answers: [name: CipherName, what: string, secret: string, plain: string, authenticated: string, encrypted: string][] = [
  [
    'aescbc',
    'F.2.1, with the block of padding behind it',
    '2b7e151628aed2a6abf7158809cf4f3c',
    '6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51 30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710',
    '',
    '000102030405060708090a0b0c0d0e0f 7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2 73bed6b8e3c1743b7116e69e22229516 3ff1caa1681fac09120eca307586e1a7 8cb82807230e1321d3fae00d18cc2012',
  ],
  [
    'aesgcm',
    'without additional data, test case 3',
    'feffe9928665731c6d6a8f9467308308',
    'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255',
    '',
    'cafebabefacedbaddecaf888 42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985 4d5c2af327cd64a62cf35abd2ba6fab4',
  ],
  [
    'secretbox',
    'the test of crypto_secretbox',
    '1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389',
    'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705',
    '',
    '69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37 f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5',
  ],
];
for (const [name, what, secret, plain, authenticated, encrypted] of answers)
  known(`${name}: ${what}`, () => {
    assert.is(ciphers[name](hex(secret)).decrypt(hex(encrypted), authenticated).toString('hex'), hex(plain).toString('hex'));
  });
known.run();

const SECRET_LENGTHS: Readonly<Record<CipherName, readonly number[]>> = { aescbc: [16, 24, 32], aesgcm: [16, 24, 32], secretbox: [32] };
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map((each) => Buffer.from(each));
const names = Object.keys(SECRET_LENGTHS) as CipherName[];
const anyCipher = fc
  .constantFrom(...names)
  .chain((name) =>
    fc.constantFrom(...SECRET_LENGTHS[name]).chain((length) => fc.record({ name: fc.constant(name), secret: bytes(length) })),
  );
const anyText = fc.uint8Array({ maxLength: 500 }).map((each) => Buffer.from(each));

const all = suite('ciphers');
all('decrypt what they have encrypted, and encrypt the same text differently each time', () => {
  fc.assert(
    fc.property(anyCipher, anyText, fc.string(), ({ name, secret }, text, key) => {
      const cipher = ciphers[name](secret);
      const encrypted = Buffer.concat(cipher.encrypt(text, key));
      assert.ok(cipher.decrypt(encrypted, key).equals(text));
      assert.not(Buffer.concat(cipher.encrypt(text, key)).equals(encrypted));
    }),
  );
});
all('aesgcm and secretbox refuse what was changed, aesgcm what is of another key of the store', () => {
  fc.assert(
    fc.property(anyCipher, anyText, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ name, secret }, text, at, difference) => {
      fc.pre(name !== 'aescbc');
      const cipher = ciphers[name](secret);
      const encrypted = Buffer.concat(cipher.encrypt(text, 'secrets/a/b'));
      const changed = Buffer.from(encrypted);
      changed[at % changed.length] = (changed[at % changed.length] as number) ^ difference;
      assert.throws(() => cipher.decrypt(changed, 'secrets/a/b'), /authenti/);
      if (name === 'aesgcm') assert.throws(() => cipher.decrypt(encrypted, 'secrets/a/c'), /authenti/);
      else assert.ok(cipher.decrypt(encrypted, 'secrets/a/c').equals(text));
    }),
  );
});
all('refuse what is cut off, and take nothing for a text that is too short for one', () => {
  for (const name of names) {
    const cipher = ciphers[name](Buffer.alloc(32, 7));
    const encrypted = Buffer.concat(cipher.encrypt(Buffer.from('a secret of some length'), ''));
    for (let length = 0; length < encrypted.length; length++)
      assert.throws(
        () => cipher.decrypt(encrypted.subarray(0, length), ''),
        (error: unknown) => error instanceof Error,
        `${name} ${length}`,
      );
  }
});
all.run();

/** undefined where its addon is not made for this machine */
function installedBoxes(): SecretBoxes | undefined {
  try {
    return nativeSecretBoxes();
  } catch (error) {
    console.log(`SKIPPED: ${(error as Error).message.split('\n')[0]}`);
    return undefined;
  }
}

const native = installedBoxes();
const boxes = suite('secret boxes');
boxes('are those of libsodium where it is installed', () => {
  assert.is(secretBoxes().name, (native ?? javascriptSecretBoxes).name);
});
const lengths = fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 20_000 }));
if (native !== undefined)
  boxes('of libsodium and of JavaScript are the same, and so is what they refuse', () => {
    fc.assert(
      fc.property(lengths.chain(bytes), bytes(24), bytes(32), fc.nat(), (text, nonce, key, at) => {
        const box = native.seal(text, nonce, key);
        assert.ok(box.equals(javascriptSecretBoxes.seal(text, nonce, key)));
        for (const each of [native, javascriptSecretBoxes]) {
          assert.ok(each.open(box, nonce, key)?.equals(text), each.name);
          const changed = Buffer.from(box);
          changed[at % box.length] = (changed[at % box.length] as number) ^ 1;
          assert.is(each.open(changed, nonce, key), undefined, each.name);
          assert.ok(each.open(box, nonce, key)?.equals(text), `${each.name}: a box is left as it is`);
        }
      }),
    );
  });
boxes.run();

const random = suite('random bytes');
random('are never given twice, whatever is asked for', () => {
  const seen = new Set<string>();
  const all: Buffer[] = [];
  for (let i = 0; i < 5_000; i++) {
    const given = randomly(12 + (i % 21));
    seen.add(given.toString('latin1', 0, 12));
    all.push(given);
  }
  assert.is(seen.size, 5_000);
  // nor changed when others are given
  assert.is(new Set(all.map((each) => each.toString('latin1', 0, 12))).size, 5_000);
});
random.run();

/** Values in etcd by the providers of a configuration: who writes, who reads, what is outdated, what is refused and what is counted. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData as table } from '../../../../generated/metrics.ts';
import { Metrics } from '../../../../runtime/observability/metrics.ts';
import { ResourceRules } from '../../../../runtime/registry/encrypted-resources.ts';
import type { CipherName } from '../../../../runtime/storage/encryption/ciphers.ts';
import { identityProvider, keyProvider } from '../../../../runtime/storage/encryption/providers.ts';
import { ValueUnencryptable } from '../../../../runtime/storage/errors.ts';
import { ConfiguredTransformers } from '../../../../runtime/storage/etcd/encryption/configured-transformers.ts';
import type { ValueProvider } from '../../../../runtime/storage/etcd/encryption/resource-transformer.ts';
import { storedCiphers } from '../../../../runtime/storage/etcd/encryption/stored-ciphers.ts';
import { ValueUntransformable } from '../../../../runtime/storage/etcd/encryption/value-transformers.ts';
import { behind, cbcBytes, gcmBytes, SECRET_KEY, secretOf } from './etcd-bytes.ts';

const test = suite('values in etcd');
const rulesOf = (resources: readonly string[], providers: readonly ValueProvider[]) =>
  new ResourceRules(providers.length === 0 ? [] : [{ resources, providers }], (prefix) => ({ group: '', resource: prefix }));
const secretsBy = (...providers: readonly ValueProvider[]) => new ConfiguredTransformers(rulesOf(['secrets'], providers), () => {});
const keys = (name: CipherName, ...named: readonly (readonly [string, number])[]) =>
  keyProvider(
    name,
    named.map(([each, byte]) => ({ name: each, secret: secretOf(byte) })),
    storedCiphers,
  );
const PLAIN = Buffer.from('k8s\0plain');

async function reasonOf(read: () => unknown): Promise<string> {
  try {
    await read();
  } catch (error) {
    assert.instance(error, ValueUntransformable);
    return (error as Error).message;
  }
  return 'none';
}

for (const name of ['aescbc', 'aesgcm', 'secretbox'] as const) {
  const both = keys(name, ['new', 2], ['old', 1]);
  test(`${name}: the first key writes, all read, those of others are outdated`, async () => {
    const stored = (await secretsBy(both).toStorage('secrets', SECRET_KEY, PLAIN)) as Buffer;
    assert.is(stored.toString('latin1', 0, `k8s:enc:${name}:v1:new:`.length), `k8s:enc:${name}:v1:new:`);
    assert.not(stored.includes('plain'));
    assert.equal(secretsBy(both).fromStorage('secrets', SECRET_KEY, stored), { plain: PLAIN, outdated: false });
    const reversed = keys(name, ['old', 1], ['new', 2]);
    assert.equal(secretsBy(reversed).fromStorage('secrets', SECRET_KEY, stored), { plain: PLAIN, outdated: true });
    const behindAnother = secretsBy(keys('aescbc', ['x', 9]), both);
    assert.equal(behindAnother.fromStorage('secrets', SECRET_KEY, stored), { plain: PLAIN, outdated: true });
    // of two lists with one prefix a failure of the first keeps the second from nothing
    const split = secretsBy(keys(name, ['new', 7]), keys(name, ['new', 2]));
    if (name !== 'aescbc') assert.equal(split.fromStorage('secrets', SECRET_KEY, stored), { plain: PLAIN, outdated: true });
  });
  test(`${name}: on the way out of encryption it still reads, and all is outdated`, async () => {
    const stored = await secretsBy(both).toStorage('secrets', SECRET_KEY, PLAIN);
    const leaving = secretsBy(identityProvider, both);
    assert.equal(leaving.fromStorage('secrets', SECRET_KEY, stored), { plain: PLAIN, outdated: true });
    assert.equal(leaving.fromStorage('secrets', SECRET_KEY, PLAIN), { plain: PLAIN, outdated: false });
    assert.is(await leaving.toStorage('secrets', SECRET_KEY, PLAIN), PLAIN);
  });
  test(`${name}: on the way in what is plain is read, and outdated`, () => {
    assert.equal(secretsBy(both, identityProvider).fromStorage('secrets', SECRET_KEY, PLAIN), { plain: PLAIN, outdated: true });
  });
}

test('what others have written is read', () => {
  const cbc = behind('k8s:enc:aescbc:v1:one:', cbcBytes(secretOf(1), PLAIN));
  const gcm = behind('k8s:enc:aesgcm:v1:two:', gcmBytes(secretOf(2), PLAIN, SECRET_KEY));
  const both = secretsBy(keys('aescbc', ['one', 1]), keys('aesgcm', ['two', 2]));
  assert.equal(both.fromStorage('secrets', SECRET_KEY, cbc), { plain: PLAIN, outdated: false });
  assert.equal(both.fromStorage('secrets', SECRET_KEY, gcm), { plain: PLAIN, outdated: true });
});

test('reasons are those of 1.32', async () => {
  const gcm = behind('k8s:enc:aesgcm:v1:one:', gcmBytes(secretOf(1), PLAIN, SECRET_KEY));
  const rows: [name: string, of: ConfiguredTransformers, stored: Buffer, reason: string][] = [
    ['no rule names the resource', secretsBy(), gcm, 'identity transformer tried to read encrypted data'],
    ['identity alone', secretsBy(identityProvider), gcm, 'no matching prefix found'],
    ['another provider', secretsBy(keys('secretbox', ['one', 1])), gcm, 'no matching prefix found'],
    ['plain without identity', secretsBy(keys('aesgcm', ['one', 1])), PLAIN, 'no matching prefix found'],
    ['another name', secretsBy(keys('aesgcm', ['on', 1])), gcm, 'no matching key was found for the provided AES transformer'],
    [
      'another name of a box',
      secretsBy(keys('secretbox', ['on', 1])),
      behind('k8s:enc:secretbox:v1:one:'),
      'no matching key was found for the provided Secretbox transformer',
    ],
    ['another key', secretsBy(keys('aesgcm', ['one', 2])), gcm, 'cipher: message authentication failed'],
    ['two other keys', secretsBy(keys('aesgcm', ['one', 2], ['one', 3]), identityProvider), gcm, 'cipher: message authentication failed'],
    [
      'two providers with a reason each',
      secretsBy(keys('aesgcm', ['one', 2]), keys('aesgcm', ['two', 1])),
      gcm,
      '[cipher: message authentication failed, no matching key was found for the provided AES transformer]',
    ],
    [
      'nothing behind the name',
      secretsBy(keys('aesgcm', ['one', 1])),
      gcm.subarray(0, 22),
      'the stored data was shorter than the required size',
    ],
  ];
  for (const [name, of, stored, reason] of rows)
    assert.is(await reasonOf(() => of.fromStorage('secrets', SECRET_KEY, stored)), reason, name);
  const changed = Buffer.from(gcm);
  changed[40] = (changed[40] as number) ^ 1;
  const right = secretsBy(keys('aesgcm', ['one', 1]));
  assert.is(await reasonOf(() => right.fromStorage('secrets', SECRET_KEY, changed)), 'cipher: message authentication failed');
  assert.is(
    await reasonOf(() => right.fromStorage('secrets', '/registry/secrets/default/b', gcm)),
    'cipher: message authentication failed',
  );
  assert.is(await reasonOf(() => right.fromStorage('secrets', SECRET_KEY, gcm)), 'none');
});

test('a resource that no rule names is left as it is', async () => {
  const transformers = secretsBy(keys('aesgcm', ['one', 1]));
  assert.is(await transformers.toStorage('pods', '/registry/pods/default/a', PLAIN), PLAIN);
  assert.equal(transformers.fromStorage('pods', '/registry/pods/default/a', PLAIN), { plain: PLAIN, outdated: false });
});

test('another configuration is in force at once', async () => {
  const transformers = secretsBy(identityProvider);
  assert.is(await transformers.toStorage('secrets', SECRET_KEY, PLAIN), PLAIN);
  transformers.use(rulesOf(['*.*'], [keys('aesgcm', ['one', 1]), identityProvider]));
  const stored = (await transformers.toStorage('secrets', SECRET_KEY, PLAIN)) as Buffer;
  assert.ok(stored.toString('latin1').startsWith('k8s:enc:aesgcm:v1:one:'));
  assert.equal(transformers.fromStorage('secrets', SECRET_KEY, PLAIN), { plain: PLAIN, outdated: true });
});

/** Who answers later, or never. */
const later = (prefix: string, problem?: string): ValueProvider => ({
  prefix,
  encrypt: async (text) => {
    if (problem !== undefined) throw new Error(problem);
    return [Buffer.from(text).reverse()];
  },
  decrypt: async (encrypted) => {
    if (problem !== undefined) throw new Error(problem);
    return { text: Buffer.from(encrypted).reverse(), outdated: false };
  },
});
test('who answers later is waited for, and one that fails keeps others from nothing', async () => {
  const failing = later('k8s:enc:a:', 'not now');
  const answering = later('k8s:enc:a:');
  const stored = await secretsBy(answering).toStorage('secrets', SECRET_KEY, PLAIN);
  assert.equal(await secretsBy(answering).fromStorage('secrets', SECRET_KEY, stored), { plain: PLAIN, outdated: false });
  assert.equal(await secretsBy(failing, answering).fromStorage('secrets', SECRET_KEY, stored), { plain: PLAIN, outdated: true });
  assert.is(await reasonOf(() => secretsBy(failing, failing).fromStorage('secrets', SECRET_KEY, stored)), 'not now');
  for (const provider of [failing, { ...failing, encrypt: thrower('not now') }])
    try {
      await secretsBy(provider).toStorage('secrets', SECRET_KEY, PLAIN);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, ValueUnencryptable);
      assert.is((error as Error).message, 'not now');
    }
});
const thrower = (problem: string) => (): never => {
  throw new Error(problem);
};

test('what is done is counted under the prefixes of 1.32', async () => {
  const metrics = new Metrics(table);
  const providers = [keys('aesgcm', ['one', 1]), identityProvider];
  const transformers = new ConfiguredTransformers(rulesOf(['secrets'], providers), (tell) => tell(metrics));
  const stored = (await transformers.toStorage('secrets', SECRET_KEY, PLAIN)) as Buffer;
  transformers.fromStorage('secrets', SECRET_KEY, stored);
  transformers.fromStorage('secrets', SECRET_KEY, PLAIN);
  await reasonOf(() => transformers.fromStorage('secrets', SECRET_KEY, Buffer.from('k8s:enc:x:')));
  await reasonOf(() => transformers.fromStorage('secrets', '/registry/secrets/x', stored));
  await transformers.toStorage('pods', '/registry/pods/a', PLAIN);
  const counted = (metrics.figures().values.apiserver_storage_transformation_operations_total ?? []).map(
    ({ labels, value }) => `${labels.resource} ${labels.transformation_type} ${labels.transformer_prefix} ${labels.status} ${value}`,
  );
  assert.equal(counted.sort(), [
    'secrets from_storage identity OK 1',
    'secrets from_storage k8s:enc:aesgcm:v1: OK 1',
    'secrets from_storage k8s:enc:aesgcm:v1: unknown-non-grpc 1',
    'secrets from_storage one: OK 1',
    'secrets from_storage one: unknown-non-grpc 1',
    'secrets from_storage unknown unknown-non-grpc 1',
    'secrets to_storage k8s:enc:aesgcm:v1: OK 1',
    'secrets to_storage one: OK 1',
  ]);
});
test.run();

/** What is counted of values that are encrypted and decrypted: by provider, and by key where a provider has several. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData as table } from '../../../generated/metrics.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { EncryptedResources } from '../../../runtime/registry/encrypted-resources.ts';
import { EncryptingStorage } from '../../../runtime/storage/encryption/encrypting-storage.ts';
import { identityProvider, keyProvider, type Provider } from '../../../runtime/storage/encryption/providers.ts';
import { isSealed, sealedHashes, sealedTerms } from '../../../runtime/storage/encryption/sealed-value.ts';
import { StoreEncryption } from '../../../runtime/storage/encryption/store-encryption.ts';
import { grpcStatusOf, type TellFigures, TransformationCounts } from '../../../runtime/storage/encryption/transformation-counts.ts';
import type { Storage, Terms } from '../../../runtime/storage/storage.ts';
import { bytes, thrown, withStore, words } from '../contract/store.ts';
import { lmdbStore } from '../lmdb/lmdb-store.ts';

const OPERATIONS = 'apiserver_storage_transformation_operations_total';
const DURATION = 'apiserver_storage_transformation_duration_seconds';

const terms: Terms = {
  ...words,
  of: (resource, value) => (isSealed(value) ? sealedTerms(sealedHashes(value)) : words.of(resource, value)),
};
const secret = (name: string, byte: number) => ({ name, secret: Buffer.alloc(32, byte) });
const [one, two, other] = [secret('one', 1), secret('two', 2), secret('one', 3)];
const configured = (...providers: readonly Provider[]) =>
  new EncryptedResources(providers.length === 0 ? [] : [{ resources: ['*.example.com'], providers }], (prefix) =>
    prefix === 'widgets' ? { group: 'example.com', resource: prefix } : { group: '', resource: prefix },
  );

/** Counts, as `TYPE PREFIX STATUS`, of the one resource that is encrypted. */
function counted(metrics: Metrics): Readonly<Record<string, number>> {
  const { values } = metrics.figures();
  return Object.fromEntries(
    (values[OPERATIONS] ?? []).map(({ labels, value }) => {
      assert.is(labels.resource, 'widgets.example.com');
      return [`${labels.transformation_type} ${labels.transformer_prefix} ${labels.status}`, value];
    }),
  );
}

/** Those of which a duration was observed. */
const measured = (metrics: Metrics): string[] =>
  (metrics.figures().histograms[DURATION] ?? []).flatMap(({ labels, counts, sum }) => {
    assert.ok(sum >= 0 && sum < 60, String(sum));
    const count = counts.reduce((all, each) => all + each, 0);
    return Array.from({ length: count }, () => `${labels.transformation_type} ${labels.transformer_prefix}`);
  });

const test = suite('counts of transformations');

interface Row {
  readonly title: string;
  readonly writers: readonly Provider[];
  /** in force when the value is read, which was not known then; absent: the same */
  readonly readers?: readonly Provider[];
  readonly read: 'the value' | 'an error';
  readonly expected: Readonly<Record<string, number>>;
}

const written = { 'to_storage k8s:enc:secretbox:v1: OK': 1, 'to_storage one: OK': 1 };
const rows: readonly Row[] = [
  {
    title: 'a provider and its key',
    writers: [keyProvider('secretbox', [one])],
    readers: [keyProvider('secretbox', [two, one])],
    read: 'the value',
    expected: { ...written, 'from_storage one: OK': 1, 'from_storage k8s:enc:secretbox:v1: OK': 1 },
  },
  {
    title: 'a key that fails, and another provider that reads',
    writers: [keyProvider('secretbox', [one])],
    readers: [identityProvider, keyProvider('secretbox', [other]), keyProvider('secretbox', [one])],
    read: 'the value',
    expected: {
      ...written,
      'from_storage one: unknown-non-grpc': 1,
      'from_storage k8s:enc:secretbox:v1: unknown-non-grpc': 1,
      'from_storage one: OK': 1,
      'from_storage k8s:enc:secretbox:v1: OK': 1,
    },
  },
  {
    title: 'a key that is not there',
    writers: [keyProvider('secretbox', [one])],
    readers: [keyProvider('secretbox', [two])],
    read: 'an error',
    expected: { ...written, 'from_storage unknown unknown-non-grpc': 1, 'from_storage k8s:enc:secretbox:v1: unknown-non-grpc': 1 },
  },
  {
    title: 'a provider that is not there',
    writers: [keyProvider('secretbox', [one])],
    readers: [keyProvider('aesgcm', [one]), identityProvider],
    read: 'an error',
    expected: { ...written, 'from_storage unknown unknown-non-grpc': 1 },
  },
  {
    title: 'identity alone, which reads nothing that is encrypted',
    writers: [keyProvider('secretbox', [one])],
    readers: [identityProvider],
    read: 'an error',
    expected: { ...written, 'from_storage unknown unknown-non-grpc': 1 },
  },
  {
    title: 'values that are stored as they are',
    writers: [identityProvider],
    read: 'the value',
    expected: { 'to_storage  OK': 1, 'from_storage identity OK': 1 },
  },
  {
    title: 'a value that is stored as it is, and that nobody may read so',
    writers: [identityProvider],
    readers: [keyProvider('secretbox', [one])],
    read: 'an error',
    expected: { 'to_storage  OK': 1, 'from_storage unknown unknown-non-grpc': 1 },
  },
  { title: 'a configuration that does not name the resource: nothing', writers: [], read: 'the value', expected: {} },
];

const withEncryption = (
  providers: readonly Provider[],
  tell: TellFigures,
  body: (storage: Storage, encryption: StoreEncryption) => unknown,
) =>
  withStore(
    () => lmdbStore({ terms }),
    async (store) => {
      const encryption = await StoreEncryption.open(store.storage, words.of, configured(...providers), tell);
      await body(new EncryptingStorage(store.storage, encryption), encryption);
    },
  );

for (const { title, writers, readers = writers, read, expected } of rows)
  test(title, async () => {
    const metrics = new Metrics(table);
    await withEncryption(
      writers,
      (tell) => tell(metrics),
      async (storage, encryption) => {
        await storage.create('widgets/a', bytes('red'));
        await encryption.use(configured(...readers));
        if (read === 'an error') assert.match(String(await thrown(() => storage.get('widgets/a'))), 'it cannot be decrypted');
        else assert.is(storage.get('widgets/a')?.value.toString(), 'red');
      },
    );
    assert.equal(counted(metrics), expected);
    // what fails has no duration
    const ended = Object.keys(expected).filter((each) => each.endsWith(' OK'));
    assert.equal(measured(metrics).toSorted(), ended.map((each) => each.slice(0, -' OK'.length)).toSorted());
  });

test('a value that is known is not counted again, one that is not encrypted by a rule never', async () => {
  const metrics = new Metrics(table);
  await withEncryption(
    [keyProvider('secretbox', [one])],
    (tell) => tell(metrics),
    async (storage, encryption) => {
      await storage.create('widgets/a', bytes('red'));
      await storage.create('others/a', bytes('red'));
      for (let i = 0; i < 3; i++) for (const key of ['widgets/a', 'others/a']) assert.is(storage.get(key)?.value.toString(), 'red');
      assert.equal(counted(metrics), written);
      encryption.forgetOpened();
      for (let i = 0; i < 3; i++) storage.get('widgets/a');
    },
  );
  assert.equal(counted(metrics), { ...written, 'from_storage one: OK': 1, 'from_storage k8s:enc:secretbox:v1: OK': 1 });
});

test('what happens before there are figures is shown once there are', () => {
  const waiting: Parameters<TellFigures>[0][] = [];
  const counts = new TransformationCounts('widgets.example.com', (tell) => waiting.push(tell));
  counts.done('to_storage', 'a:', performance.now());
  counts.failed('to_storage', 'a:', new Error('no'));
  const metrics = new Metrics(table);
  for (const tell of waiting.splice(0)) tell(metrics);
  counts.done('to_storage', 'a:', performance.now());
  assert.is(waiting.length, 0);
  assert.equal(counted(metrics), { 'to_storage a: OK': 2, 'to_storage a: unknown-non-grpc': 1 });
});

test('a resource that was removed counts anew when it is there again; durations are those of all resources', () => {
  const metrics = new Metrics(table);
  const counts = new TransformationCounts('widgets.example.com', (tell) => tell(metrics));
  for (let i = 0; i < 3; i++) counts.done('to_storage', 'a:', performance.now());
  metrics.forget(({ resource }) => resource === 'widgets.example.com');
  assert.equal(counted(metrics), {});
  for (let i = 0; i < 2; i++) counts.done('to_storage', 'a:', performance.now());
  assert.equal(counted(metrics), { 'to_storage a: OK': 2 });
  assert.equal(measured(metrics), Array(5).fill('to_storage a:'));
});

for (const [title, error, expected] of [
  ['an error of gRPC', new Error('rpc error: code = Unavailable desc = gone'), 'Unavailable'],
  ['one that comes of another', new Error('no', { cause: new Error('rpc error: code = NotFound desc = x') }), 'NotFound'],
  ['any other one', new Error('it says rpc error: code = NotFound'), 'unknown-non-grpc'],
  ['none', undefined, 'unknown-non-grpc'],
] as const)
  test(`the status of ${title}`, () => assert.is(grpcStatusOf(error), expected));

test.run();

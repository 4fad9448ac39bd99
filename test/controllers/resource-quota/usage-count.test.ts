/** What is remembered of objects never changes what a count says, and spares reading them. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../../generated/identity.ts';
import { Evaluators } from '../../../runtime/admission/resource-quota/evaluators/evaluators.ts';
import { isInAll, requirementsOf } from '../../../runtime/admission/resource-quota/scopes.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { RememberedNumbers, RememberedUsage } from '../../../runtime/controllers/resource-quota/remembered-usage.ts';
import { trackedResources } from '../../../runtime/controllers/resource-quota/tracked-resources.ts';
import { countUsage } from '../../../runtime/controllers/resource-quota/usage-count.ts';
import { storagePrefix } from '../../../runtime/registry/resources/resource-keys.ts';
import { encodeStoredObject, StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { listOf } from '../../../runtime/schema/scalar/amounts.ts';
import { addQuantities, type Quantity } from '../../../runtime/schema/scalar/quantity.ts';
import { RevisionCompacted } from '../../../runtime/storage/errors.ts';
import { MemoryStorage } from '../../../runtime/storage/memory/memory-storage.ts';
import { prefixEnd, type Storage } from '../../../runtime/storage/storage.ts';
import { builtInRegistry } from '../../harness/built-in-registry.ts';
import { lmdbStore } from '../../storage/lmdb/lmdb-store.ts';
import { withReads } from './value-reads.ts';

const test = suite('the count of what is used');

const identity = createIdentity(identityData, 'kubernetes');
const evaluators = new Evaluators({ text: identity.text, featureEnabled: () => true });
const registry = builtInRegistry(identity).current;
const namespace = 'n';
const START = Date.parse('2026-01-01T00:00:00Z');
const KEYS = {
  Pod: 'pods/n/',
  Service: 'services/specs/n/',
  PersistentVolumeClaim: 'persistentvolumeclaims/n/',
  ConfigMap: 'configmaps/n/',
};
type Kind = keyof typeof KEYS;

interface QuotaSpec {
  readonly hard: readonly string[];
  readonly scopes?: readonly string[];
  readonly scopeSelector?: object;
}

const tracked = (names: readonly string[]) => trackedResources(names, evaluators, registry);
const requirements = ({ hard: _, ...spec }: QuotaSpec) => requirementsOf(spec as ApiObject['spec']);

/** What a look says. @param now milliseconds since 1970 */
async function count(storage: Storage, spec: QuotaSpec, remembered: RememberedUsage, now = START, atRevision = storage.currentRevision()) {
  const counting = { storage, namespace, atRevision, tracked: await tracked(spec.hard), requirements: requirements(spec), now, remembered };
  const { used, changesAt } = await countUsage(counting);
  return { used: listOf(used), changesAt };
}

/** The same of all objects, one by one. */
async function countEach(storage: Storage, spec: QuotaSpec, now: number, atRevision: number) {
  const used = new Map<string, Quantity>();
  let changesAt = Number.POSITIVE_INFINITY;
  for (const { resource, evaluator, names } of (await tracked(spec.hard)).values()) {
    for (const name of names) used.set(name, { unscaled: 0n, exponent: 0, format: 'decimalSI' });
    const start = storagePrefix(resource, namespace);
    const areNumbers = requirements(spec).length === 0 && names.every((each) => evaluator.plain.has(each));
    for (const { value } of storage.range({ start, end: prefixEnd(start), atRevision })) {
      const object = new StoredObject(value).parse();
      if (!isInAll(evaluator, requirements(spec), object)) continue;
      for (const [name, quantity] of evaluator.usage(object, now))
        if (names.includes(name)) used.set(name, addQuantities(used.get(name) as Quantity, quantity));
      const end = evaluator.changesAt?.(object) ?? Number.NEGATIVE_INFINITY;
      if (end >= now && !areNumbers) changesAt = Math.min(changesAt, end);
    }
  }
  return { used: listOf(used), changesAt: changesAt === Number.POSITIVE_INFINITY ? undefined : changesAt };
}

/** @param more members of the object besides; `metadata` is added to the name */
async function put(storage: Storage, kind: Kind, name: string, { metadata, ...more }: Record<string, object> = {}): Promise<void> {
  const key = KEYS[kind] + name;
  const object = { kind, apiVersion: 'v1', metadata: { name, namespace, uid: name, ...metadata }, ...more } as unknown as ApiObject;
  const value = encodeStoredObject(object, 0, []);
  const revision = storage.revisionOf(key);
  await (revision === undefined ? storage.create(key, value) : storage.update(key, revision, value));
}

async function remove(storage: Storage, kind: Kind, name: string): Promise<void> {
  const entry = storage.get(KEYS[kind] + name);
  if (entry !== undefined) await storage.delete(entry.key, entry.revision, { bytes: entry.value, revisionOffset: -1 });
}

const container = (requests: object, limits: object = {}) => ({ name: 'c', image: 'i', resources: { requests, limits } });
const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'k', namespaces: ['other'] }] } };
/** Longer than what is read at once. */
const long = { ...container({ cpu: '3' }), env: [{ name: 'E', value: 'x'.repeat(100_000) }] };

const amount = fc.constantFrom('0', '1', '100m', '1500m', '2');
const size = fc.constantFrom('0', '1Gi', '512Mi', '1G', '100k', '5');
const seconds = fc.integer({ min: 0, max: 20 });
const after = (second: number): string => new Date(START + second * 1_000).toISOString().replace('.000Z', 'Z');

const podSpecs = fc.record({
  containers: fc.oneof(
    { weight: 5, arbitrary: fc.tuple(fc.tuple(amount, size).map(([cpu, memory]) => container({ cpu, memory }, { memory }))) },
    { weight: 2, arbitrary: fc.constant([container({})]) },
    { weight: 1, arbitrary: fc.constant([long]) },
  ),
  priorityClassName: fc.constantFrom('', 'high', 'low'),
  activeDeadlineSeconds: fc.constantFrom(undefined, 5),
  affinity: fc.constantFrom(undefined, affinity),
});
const deletions = fc.option(
  seconds.map((second) => ({ deletionTimestamp: after(second), deletionGracePeriodSeconds: 3 })),
  { nil: {}, freq: 3 },
);
const storedObjects = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(
      fc.constant<Kind>('Pod'),
      fc.record({ metadata: deletions, spec: podSpecs, status: fc.record({ phase: fc.constantFrom('Running', 'Failed') }) }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant<Kind>('Service'),
      fc.record({ spec: fc.record({ type: fc.constantFrom('NodePort', 'LoadBalancer'), ports: fc.constantFrom([{}], [{}, {}]) }) }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant<Kind>('PersistentVolumeClaim'),
      fc.record({
        spec: fc.record({
          storageClassName: fc.constantFrom('gold', 'tin'),
          resources: size.map((storage) => ({ requests: { storage } })),
        }),
      }),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant<Kind>('ConfigMap'), fc.constant({})) },
);

const NAMES = [
  'pods',
  'count/pods',
  'requests.cpu',
  'requests.memory',
  'limits.memory',
  'services',
  'services.nodeports',
  'services.loadbalancers',
  'configmaps',
  'count/configmaps',
  'requests.storage',
  'gold.storageclass.storage.k8s.io/requests.storage',
  'tin.storageclass.storage.k8s.io/persistentvolumeclaims',
  'count/deployments.apps',
];
const scopeNames = fc.constantFrom(
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'CrossNamespacePodAffinity',
  'PriorityClass',
);
const quotas: fc.Arbitrary<QuotaSpec> = fc.record({
  hard: fc.subarray(NAMES, { minLength: 1 }),
  scopes: fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, { weight: 2, arbitrary: fc.tuple(scopeNames) }),
  scopeSelector: fc.constantFrom<object>(
    {},
    {},
    ...['In', 'NotIn'].map((operator) => ({ matchExpressions: [{ scopeName: 'PriorityClass', operator, values: ['high'] }] })),
  ),
});

const name = fc.integer({ min: 0, max: 30 }).map((index) => `o${index}`);
type Step = (history: History) => void | Promise<void>;
const steps = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(name, storedObjects).map(
      ([of, [kind, object]]): Step =>
        ({ storage }) =>
          put(storage, kind, of, object),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(name, fc.constantFrom(...(Object.keys(KEYS) as Kind[]))).map(
      ([of, kind]): Step =>
        ({ storage }) =>
          remove(storage, kind, of),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.nat(9).map(
      (back): Step =>
        (history) =>
          history.look(back),
    ),
  },
  {
    weight: 2,
    arbitrary: seconds.map(
      (second): Step =>
        (history) =>
          history.setTime(second),
    ),
  },
  {
    weight: 1,
    arbitrary: quotas.map(
      (quota): Step =>
        (history) =>
          history.change(quota),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Step>((history) => history.lookTwice()) },
  { weight: 1, arbitrary: fc.constant<Step>(({ storage }) => storage.compact(storage.currentRevision())) },
  { weight: 1, arbitrary: fc.constant<Step>((history) => history.forget()) },
);

/** What happens to the objects of a namespace and to a quota. */
class History {
  readonly storage: Storage;
  readonly #numbers: RememberedNumbers;
  readonly #limit: number;
  #remembered: RememberedUsage;
  #quota: QuotaSpec;
  #now = START;

  constructor(storage: Storage, quota: QuotaSpec, limit: number) {
    this.storage = storage;
    this.#numbers = new RememberedNumbers(limit);
    this.#limit = limit;
    this.#remembered = new RememberedUsage(this.#numbers);
    this.#quota = quota;
  }

  setTime(second: number): void {
    this.#now = START + second * 1_000;
  }

  change(quota: QuotaSpec): void {
    this.#quota = quota;
  }

  /** @param back so many revisions before the current one */
  async look(back: number): Promise<void> {
    const atRevision = Math.max(this.storage.currentRevision() - back, this.storage.compactedRevision());
    const [quota, now] = [this.#quota, this.#now];
    const found = await count(this.storage, quota, this.#remembered, now, atRevision);
    assert.equal(found, await countEach(this.storage, quota, now, atRevision));
    // two looks at once do not see what the other adds
    assert.ok(this.#numbers.count >= 0 && this.#numbers.count <= 2 * this.#limit, `${this.#numbers.count} numbers are remembered`);
  }

  async lookTwice(): Promise<void> {
    await Promise.all([this.look(0), this.look(1)]);
  }

  forget(): void {
    this.#remembered.forget();
    assert.is(this.#numbers.count, 0);
    this.#remembered = new RememberedUsage(this.#numbers);
  }
}

const limits = fc.constantFrom(0, 7, 40, 100_000);
const histories = (runs: number, open: () => Promise<{ storage: Storage; remove(): Promise<void> }>): Promise<void> =>
  fc.assert(
    fc.asyncProperty(quotas, limits, fc.array(steps, { minLength: 5, maxLength: 80, size: 'max' }), async (quota, limit, all) => {
      const { storage, remove: end } = await open();
      try {
        const history = new History(storage, quota, limit);
        for (const step of all) await step(history);
        await history.look(0);
        history.forget();
      } finally {
        await end();
      }
    }),
    { numRuns: runs, includeErrorInReport: true },
  );

test('whatever happens, it is what all objects use: in memory', () =>
  histories(200, async () => {
    const storage = new MemoryStorage();
    return { storage, remove: () => storage.close() };
  }));

test('whatever happens, it is what all objects use: on the disk', () => histories(10, lmdbStore));

/** A store with pods, of which it is known how many values were read. */
async function storeOf(pods: number): Promise<{ storage: Storage; reads: () => number }> {
  const memory = new MemoryStorage();
  for (let i = 0; i < pods; i++)
    await put(memory, 'Pod', `p${i}`, { spec: { containers: [container({ cpu: '1', memory: i % 2 === 0 ? '1Gi' : '2Gi' })] } });
  const { storage, keys } = withReads(memory);
  return { storage, reads: () => keys.splice(0).length };
}

const SPEC: QuotaSpec = { hard: ['pods', 'requests.memory', 'configmaps'] };

test('numbers of objects are found before any object is read, while the revision is the present one', async () => {
  const { storage: beneath, keys } = withReads(new MemoryStorage());
  await put(beneath, 'Pod', 'a', { spec: { containers: [container({ cpu: '1' })] } });
  await put(beneath, 'ConfigMap', 'a');
  const read: number[] = [];
  const counting = beneath.count.bind(beneath);
  const storage = new Proxy(beneath, {
    get(target, name) {
      if (name !== 'count') return Reflect.get(target, name, target);
      return (options: Parameters<Storage['count']>[0]) => {
        read.push(keys.length);
        return counting(options);
      };
    },
  });
  const { used } = await count(storage, { hard: ['requests.cpu', 'configmaps'] }, new RememberedUsage(new RememberedNumbers()));
  assert.equal(used, { configmaps: '1', 'requests.cpu': '1' });
  assert.equal([read, keys], [[0], ['pods/n/a']]);
});

test('objects are read once for each time that they are written', async () => {
  const { storage, reads } = await storeOf(100);
  const remembered = new RememberedUsage(new RememberedNumbers());
  assert.equal((await count(storage, SPEC, remembered)).used, { configmaps: '0', pods: '100', 'requests.memory': '150Gi' });
  assert.is(reads(), 100);
  await put(storage, 'ConfigMap', 'a');
  assert.equal((await count(storage, SPEC, remembered)).used, { configmaps: '1', pods: '100', 'requests.memory': '150Gi' });
  assert.is(reads(), 0);
  await put(storage, 'Pod', 'p1', { spec: { containers: [container({ memory: '7Gi' })] } });
  await remove(storage, 'Pod', 'p2');
  reads();
  assert.equal((await count(storage, SPEC, remembered)).used, { configmaps: '1', pods: '99', 'requests.memory': '154Gi' });
  assert.is(reads(), 1);
});

test('a quota that limits more of the same objects reads none of them again; one about other objects does', async () => {
  const { storage, reads } = await storeOf(10);
  const remembered = new RememberedUsage(new RememberedNumbers());
  await count(storage, { hard: ['pods'] }, remembered);
  reads();
  assert.equal((await count(storage, { hard: ['pods', 'requests.cpu'] }, remembered)).used, { pods: '10', 'requests.cpu': '10' });
  assert.is(reads(), 0);
  assert.equal((await count(storage, { hard: ['pods'], scopes: ['Terminating'] }, remembered)).used, { pods: '0' });
  assert.is(reads(), 10);
});

test('a pod that ends without being written is read once more, then and where the clock is set back', async () => {
  const { storage, reads } = await storeOf(10);
  const metadata = { deletionTimestamp: after(5), deletionGracePeriodSeconds: 0 };
  await put(storage, 'Pod', 'p0', { metadata, spec: { containers: [container({ memory: '1Gi' })] } });
  const remembered = new RememberedUsage(new RememberedNumbers());
  const look = async (second: number) => {
    const { used, changesAt } = await count(storage, { hard: ['pods'] }, remembered, START + second * 1_000);
    return [used.pods, changesAt === undefined ? undefined : changesAt - START, reads()];
  };
  await look(0);
  assert.equal(await look(0), ['10', 5_000, 0]);
  assert.equal(await look(5), ['10', 5_000, 0]);
  assert.equal(await look(6), ['9', undefined, 1]);
  assert.equal(await look(9), ['9', undefined, 0]);
  assert.equal(await look(1), ['10', 5_000, 1]);
});

test('only numbers are remembered, those that are equal once, as many as there is room for, and none of a quota that has gone', async () => {
  const { storage, reads } = await storeOf(100);
  const numbers = new RememberedNumbers(60);
  const [one, other] = [new RememberedUsage(numbers), new RememberedUsage(numbers)];
  await count(storage, SPEC, one);
  assert.ok(numbers.count > 50 && numbers.count <= 60, `${numbers.count}`);
  await count(storage, SPEC, other);
  assert.ok(numbers.count <= 60, `${numbers.count}`);
  reads();
  assert.equal((await count(storage, SPEC, one)).used, { configmaps: '0', pods: '100', 'requests.memory': '150Gi' });
  assert.ok(reads() < 55);
  one.forget();
  await count(storage, SPEC, other);
  assert.ok(numbers.count > 50, 'there is room again');
  await count(storage, { hard: ['configmaps'] }, other);
  assert.is(numbers.count, 0, 'pods are not counted any longer');
  await count(storage, SPEC, one);
  assert.is(numbers.count, 0, 'a look that ends after the quota has gone leaves nothing');
});

test('what a look knew stays where it cannot be ended', async () => {
  const { storage, reads } = await storeOf(10);
  const remembered = new RememberedUsage(new RememberedNumbers());
  await count(storage, SPEC, remembered);
  await put(storage, 'Pod', 'p1', { spec: { containers: [container({})] } });
  await storage.compact(storage.currentRevision());
  reads();
  const error = await count(storage, SPEC, remembered, START, 1).catch((reason) => reason);
  assert.instance(error, RevisionCompacted);
  await count(storage, SPEC, remembered);
  assert.is(reads(), 1);
});

test.run();

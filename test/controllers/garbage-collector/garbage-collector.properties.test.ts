/**
 * Random owner graphs, with cycles, several owners and owners that never were, and random deletes: what is left is what the rules say. The model
 * knows objects and references alone; every step is compared when the collector has come to rest.
 */
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PropagationPolicy } from '../../../runtime/contract/kind-rules.ts';
import type { OwnerReference } from '../../../runtime/contract/object.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { eventually, TestCluster } from '../server.ts';

const test = suite('garbage collector');

const OBJECTS = 6;
/** Stands for an owner that never was. */
const NOBODY = -1;

interface Reference {
  readonly owner: number;
  readonly blocking: boolean;
}
type Step =
  | { readonly do: 'create'; readonly object: number; readonly owners: readonly Reference[] }
  | { readonly do: 'refer'; readonly object: number; readonly owners: readonly Reference[] }
  | { readonly do: 'delete'; readonly object: number; readonly policy: PropagationPolicy };

/** Owners by object, of those that are there. */
class Model {
  readonly objects = new Map<number, Set<number>>();

  /** References to what is not there go; where only such are left, so does the object. */
  settle(): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (const [object, owners] of this.objects) {
        if (owners.size === 0) continue;
        const living = [...owners].filter((owner) => this.objects.has(owner));
        if (living.length === owners.size) continue;
        changed = true;
        if (living.length === 0) this.objects.delete(object);
        else this.objects.set(object, new Set(living));
      }
    }
  }

  remove(object: number, policy: PropagationPolicy): void {
    this.objects.delete(object);
    if (policy === 'Orphan') for (const owners of this.objects.values()) owners.delete(object);
    this.settle();
  }

  get text(): string {
    return [...this.objects]
      .sort(([a], [b]) => a - b)
      .map(([object, owners]) => `${object}<${[...owners].sort()}`)
      .join(' ');
  }
}

/** Steps on one namespace of a cluster. */
class Run {
  readonly #cluster: TestCluster;
  readonly #namespace: string;
  readonly #model = new Model();
  readonly #uids = new Map<number, string>();

  constructor(cluster: TestCluster, namespace: string) {
    this.#cluster = cluster;
    this.#namespace = namespace;
  }

  async take(step: Step): Promise<void> {
    const key = { namespace: this.#namespace, name: `o${step.object}` };
    const exists = this.#model.objects.has(step.object);
    if (step.do === 'delete') {
      if (!exists) return;
      await this.#cluster.delete('v1', 'configmaps', key, { propagationPolicy: step.policy });
      this.#model.remove(step.object, step.policy);
    } else {
      if (exists !== (step.do === 'refer')) return;
      const owners = step.owners.filter(({ owner }) => owner !== step.object && (owner === NOBODY || this.#model.objects.has(owner)));
      const ownerReferences = owners.map((reference) => this.#reference(reference));
      if (step.do === 'create') {
        const { metadata } = await this.#cluster.create('v1', 'configmaps', { metadata: { ...key, ownerReferences } });
        this.#uids.set(step.object, metadata.uid as string);
      } else
        await this.#cluster.edit('v1', 'configmaps', key, ({ metadata }) => {
          metadata.ownerReferences = ownerReferences;
        });
      this.#model.objects.set(step.object, new Set(owners.map(({ owner }) => owner)));
      this.#model.settle();
    }
    await eventually(
      () => this.#stored() === this.#model.text,
      () => `after ${JSON.stringify(step)} there is ${this.#stored()}, wanted ${this.#model.text}`,
    );
  }

  #reference({ owner, blocking }: Reference): OwnerReference {
    const uid = this.#uids.get(owner) ?? `00000000-0000-0000-0000-00000000000${OBJECTS}`;
    return { apiVersion: 'v1', kind: 'ConfigMap', name: owner === NOBODY ? 'nobody' : `o${owner}`, uid, blockOwnerDeletion: blocking };
  }

  #stored(): string {
    const numbers = new Map([...this.#uids].map(([object, uid]) => [uid, object]));
    return this.#cluster
      .objects(`configmaps/${this.#namespace}/`)
      .map(({ metadata }) => {
        const owners = (metadata.ownerReferences ?? []).map(({ uid }) => numbers.get(uid) ?? NOBODY);
        return `${metadata.name?.slice(1)}<${owners.sort()}${metadata.deletionTimestamp === undefined ? '' : ' deleting'}`;
      })
      .join(' ');
  }
}

const object = fc.integer({ min: 0, max: OBJECTS - 1 });
const references = fc.uniqueArray(
  fc.record({ owner: fc.oneof({ arbitrary: object, weight: 8 }, { arbitrary: fc.constant(NOBODY), weight: 1 }), blocking: fc.boolean() }),
  { selector: ({ owner }) => owner, maxLength: 3 },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('create' as const), object, owners: references }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constant('refer' as const), object, owners: references }), weight: 3 },
  {
    arbitrary: fc.record({ do: fc.constant('delete' as const), object, policy: fc.constantFrom('Background', 'Foreground', 'Orphan') }),
    weight: 3,
  },
);

let cluster: TestCluster;
let runs = 0;
test.before(async () => {
  cluster = await TestCluster.create();
});
test.after(() => cluster.remove());

test('what is left is what the rules say, with the collector running', async () => {
  await cluster.start('garbagecollector');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const run = new Run(cluster, `n${runs++}`);
      for (const each of steps) await run.take(each);
    }),
    { numRuns: 40 },
  );
  await cluster.stop();
});

/** All steps at once on objects that are there, the collector going down and up in between. @returns what is wrong when all is at rest */
async function storm(namespace: string, steps: readonly Step[]): Promise<string[]> {
  const uids: string[] = [];
  const key = (number: number) => ({ namespace, name: `o${number}` });
  for (let number = 0; number < OBJECTS; number++)
    uids.push((await cluster.create('v1', 'configmaps', { metadata: key(number) })).metadata.uid as string);
  const untouched = new Set(uids.keys());
  const take = async (step: Step): Promise<void> => {
    untouched.delete(step.object);
    if (step.do === 'delete') return cluster.delete('v1', 'configmaps', key(step.object), { propagationPolicy: step.policy });
    const ownerReferences = step.owners
      .filter(({ owner }) => owner !== step.object && owner !== NOBODY)
      .map(({ owner, blocking }) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: `o${owner}`,
        uid: uids[owner],
        blockOwnerDeletion: blocking,
      }));
    await cluster.edit('v1', 'configmaps', key(step.object), (object) => Object.assign(object.metadata, { ownerReferences }));
  };
  await cluster.start('garbagecollector');
  const taken = Promise.allSettled(steps.map((step) => take(step)));
  await cluster.stop();
  await cluster.start('garbagecollector');
  for (const outcome of await taken) if (outcome.status === 'rejected' && !(outcome.reason instanceof StatusError)) throw outcome.reason;
  const problems = (): string[] => {
    const objects = cluster.objects(`configmaps/${namespace}/`);
    const living = new Set(objects.map(({ metadata }) => metadata.uid));
    const dangling = objects.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => !living.has(uid)));
    return [
      ...objects.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).map(({ metadata }) => `${metadata.name} still goes`),
      ...dangling.map(({ metadata }) => `${metadata.name} refers to an owner that has gone`),
      ...[...untouched].filter((number) => !living.has(uids[number])).map((number) => `o${number} has gone, which nobody asked for`),
    ];
  };
  await eventually(
    () => problems().length === 0,
    () => problems().join(', '),
  );
  await cluster.stop();
  return problems();
}

/** Two own each other, and are deleted before anybody knows: they waited for each other for ever. */
const CIRCLE: Step[] = [
  { do: 'refer', object: 2, owners: [{ owner: 1, blocking: false }] },
  { do: 'refer', object: 1, owners: [{ owner: 3, blocking: true }] },
  { do: 'refer', object: 3, owners: [{ owner: 1, blocking: true }] },
  { do: 'delete', object: 3, policy: 'Foreground' },
  { do: 'delete', object: 0, policy: 'Background' },
];

test('whatever happens at once, and over the end of a collector, all comes to rest', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => assert.equal(await storm(`s${runs++}`, steps), [])),
    { numRuns: 25, examples: [[CIRCLE]] },
  );
});

test.run();

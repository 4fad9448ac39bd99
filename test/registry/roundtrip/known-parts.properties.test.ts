/**
 * Random objects of every kind that is stored, changed in part: preparing an update of what was read only where it has changed gives what preparing one that was
 * read anew gives, and changes nothing of what is stored.
 */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomObject } from '../../../codegen/policy/conversions/random-objects.ts';
import { groupVersions } from '../../../generated/routes.ts';
import type { Allocator } from '../../../runtime/contract/allocation.ts';
import type { UpdateContext } from '../../../runtime/contract/kind-rules.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { prepareForStatusUpdate, prepareForUpdate } from '../../../runtime/registry/resource-store/strategy.ts';
import type { Resource } from '../../../runtime/registry/resources/resource.ts';
import { copyValue } from '../../../runtime/schema/copy.ts';
import { deepEqual } from '../../../runtime/schema/equal.ts';
import { builtInRegistry } from '../../harness/built-in-registry.ts';
import { identity, ruleContext } from '../../kinds/context.ts';
import { mixed } from '../../schema/mixed-values.ts';
import { nameOf } from './all-kinds.ts';

const registry = builtInRegistry(identity);

/** The kinds that objects are stored as, each with a resource. */
async function storedKinds(): Promise<[Resource, Kind][]> {
  const found = groupVersions.flatMap(({ group, version, resources = [] }) =>
    resources.map(async ({ name }): Promise<[Resource, Kind][]> => {
      const resource = registry.current.resource(identity.text(group), version, name);
      if (resource === undefined) return [];
      const kind = await registry.current.kind(identity.text(group), version, resource.data.kind);
      return kind.hub === kind && kind.compiled.byName.has('metadata') ? [[resource, kind]] : [];
    }),
  );
  return (await Promise.all(found)).flat();
}

/** Addresses and ports are the same for both. */
function contextOf(): UpdateContext {
  let port = 30_000;
  const taking = {
    anyAddress: async () => '10.0.0.1',
    address: async () => 'claimed',
    anyPort: async () => port++,
    port: async () => 'claimed',
    giveBack: async () => {},
  };
  const allocator = {
    addressRanges: new Map([['IPv4', '10.0.0.0/8']]),
    portRange: '30000-32767',
    take: () => taking,
    release: async () => {},
  };
  return { ...ruleContext(), featureEnabled: () => true, allocator: allocator as unknown as Allocator };
}

/** A stored object, and one that a patch has made of it. */
function makeCase(kind: Kind, seed: number, size: number): { readonly old: ApiObject; readonly input: object } {
  const made = (each: number) => ({ ...randomObject(kind.data.type, { seed: each, size }), metadata: { name: 'x', uid: 'u' } });
  let state = seed | 1;
  // a generator of Marsaglia's: the same places for the same seed
  const isTaken = (): boolean => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state & 1) === 1;
  };
  const old = kind.decode(made(seed)).object;
  const { metadata, ...input } = mixed({ ...old }, made(seed + 1), isTaken) as ApiObject;
  return { old, input: { ...input, metadata: { ...metadata } } };
}

type Prepare = (object: ApiObject, old: ApiObject) => unknown;

/** @returns the object, or what kept it from being prepared. Members that defaults of rules add may stand in another order. */
async function prepared(object: ApiObject, old: ApiObject, prepare: Prepare): Promise<unknown> {
  try {
    await prepare(object, old);
    return JSON.parse(JSON.stringify(object));
  } catch (error) {
    return String(error);
  }
}

const test = suite('updates of what is read only where it has changed');
const RUNS = Number(process.env.ROUNDTRIP_RUNS ?? 50);

for (const [resource, kind] of await storedKinds()) {
  const ways: Readonly<Record<string, (context: UpdateContext) => Prepare>> = {
    object: (context) => (object, old) => prepareForUpdate(resource, kind, object, old, context),
    status: (context) => (object, old) => prepareForStatusUpdate(kind, object, old, context),
  };
  for (const [name, way] of Object.entries(ways))
    test(`${nameOf(kind)}, ${name}`, async () => {
      const property = fc.asyncProperty(fc.integer(), fc.integer({ min: 0, max: 60 }), async (seed, size) => {
        const { old, input } = makeCase(kind, seed, size);
        const anew = await prepared(kind.decode(copyValue(input)).object, copyValue(old), way(contextOf()));
        const { metadata: _, ...known } = old;
        const before = JSON.stringify(old);
        const made = await prepared(kind.decode(input, { known }).object, old, way(contextOf()));
        assert.ok(deepEqual(made, anew), `${JSON.stringify(made)} is not ${JSON.stringify(anew)}`);
        assert.is(JSON.stringify(old), before);
      });
      await fc.assert(property, { numRuns: RUNS });
    });
}

test.run();

/**
 * Objects of every kind in every version, made from the descriptors: nothing is lost on the way through protobuf, nor through the other
 * versions of the kind, and decoding what was decoded changes nothing. Left out is what a version cannot hold (`missingFields`): fields that came after a version was removed, and in
 * versions that are removed the difference of zero and absent where only one version has it. ROUNDTRIP_RUNS says how many objects of each kind are tried.
 */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fileGroupVersions } from '../../generated/files.ts';
import { currentRelease } from '../../generated/releases.ts';
import { groupVersions } from '../../generated/routes.ts';
import type { Field } from '../../runtime/contract/descriptor.ts';
import type { GroupVersionModule } from '../../runtime/contract/kind.ts';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { loadConversion } from '../../runtime/kinds/index.ts';
import { compareReleases } from '../../runtime/registry/feature-gates.ts';
import type { Kind } from '../../runtime/registry/kind.ts';
import { KindLoader, type RuleSet } from '../../runtime/registry/kind-loader.ts';
import { Registry } from '../../runtime/registry/registry.ts';
import { identity } from '../kinds/context.ts';
import { randomObject } from './random-objects.ts';
import { conversionLoss, decodingLoss, missingFields, protobufLoss } from './roundtrip-checks.ts';

const RUNS = Number(process.env.ROUNDTRIP_RUNS ?? 200);
const LARGEST = 60;

const NO_RULES: RuleSet = { rules: () => Promise.resolve({}), conversion: (name) => loadConversion(name, identity) };

/** Reasons why kinds could not be made. */
const unusable: string[] = [];
const kinds = await allKinds();

/** Of the hand-written behaviour only conversions matter here. */
async function allKinds(): Promise<Kind[]> {
  const registry = new Registry({
    data: groupVersions,
    identity,
    rules: NO_RULES,
    serves: () => true,
    featureEnabled: () => true,
    release: currentRelease,
  });
  const found: Kind[] = [];
  for (const { group, version, load } of groupVersions) {
    for (const name of Object.keys((await load()).kinds))
      await registry.kind(identity.text(group), version, name).then(
        (kind) => found.push(kind),
        (error) => unusable.push(`${version} ${name}: ${error}`),
      );
  }
  return found;
}

const nameOf = (kind: Kind): string => `${kind.apiVersion} ${kind.kind}`;

type LeavesOut = (path: string, field: Field) => boolean;

function check(kind: Kind, leavesOut: LeavesOut, loss: (object: ApiObject) => string | undefined): void {
  const objectOf = (seed: number, size: number) => kind.normalized(randomObject(kind.data.type, { seed, size, leavesOut }));
  const result = fc.check(
    fc.property(fc.integer(), fc.integer({ min: 0, max: LARGEST }), (seed, size) => loss(objectOf(seed, size)) === undefined),
    { numRuns: RUNS },
  );
  if (result.counterexample === null) return;
  const object = objectOf(...result.counterexample);
  assert.unreachable(`${nameOf(kind)}, seed and size ${result.counterexample}: ${loss(object)} in ${JSON.stringify(object)}`);
}

const protobuf = suite('random objects through protobuf');

/** What has no number is never in protobuf: kind and apiVersion (of the whole object they stand in the envelope), and members of any JSON value. */
const onlyInJson = (_path: string, field: Field): boolean => field.number === undefined;

for (const kind of kinds) protobuf(nameOf(kind), () => check(kind, onlyInJson, (object) => protobufLoss(kind, object)));

protobuf('every kind finds its conversion', () => assert.equal(unusable, []));

protobuf.run();

const decoding = suite('random objects decoded twice');
for (const kind of [...kinds, ...(await fileKinds())])
  decoding(nameOf(kind), () => {
    const loss = (seed: number, size: number) => decodingLoss(kind, randomObject(kind.data.type, { seed, size }));
    const sizes = fc.integer({ min: 0, max: LARGEST });
    const result = fc.check(
      fc.property(fc.integer(), sizes, (seed, size) => loss(seed, size) === undefined),
      { numRuns: RUNS },
    );
    if (result.counterexample !== null) assert.unreachable(`seed and size ${result.counterexample}: ${loss(...result.counterexample)}`);
  });
decoding.run();

/** Kinds that files have, with the defaults that their schemas declare. */
async function fileKinds(): Promise<Kind[]> {
  const loaded = fileGroupVersions.map(async ({ group, version, kinds: entries, load }) => {
    const module = await load();
    const loader = new KindLoader({ identity, rules: NO_RULES, release: currentRelease, module: async () => withoutConversion(module) });
    return Promise.all(entries.map(({ name }) => loader.kind(identity.text(group), version, name)));
  });
  return (await Promise.all(loaded)).flat();
}

function withoutConversion({ kinds: all }: GroupVersionModule): GroupVersionModule {
  return { kinds: Object.fromEntries(Object.entries(all).map(([name, { conversion: _, ...data }]) => [name, data])) };
}

const conversions = suite('random objects through other versions');

const byHub = Map.groupBy(kinds, (kind) => kind.hub);

for (const [hub, versions] of byHub) {
  if (versions.length === 1) continue;
  const settles = versions.some(({ data }) => data.conversion?.function !== undefined);
  for (const kind of versions) {
    const missing = new Set(versions.flatMap((other) => missingFields(kind, other).map(({ path }) => path)));
    const loss = (object: ApiObject) => conversionLoss(kind, settles ? settled(kind, object, versions) : object, versions);
    conversions(`${nameOf(kind)}, stored as ${nameOf(hub)}`, () => check(kind, (path) => missing.has(path), loss));
  }
}

/**
 * An object that has been through all versions of its kind once. Hand-written conversions set what the other version requires and bring lists
 * into an order that it can tell, which tests of their own say; from then on nothing may change any more.
 */
function settled(kind: Kind, object: ApiObject, versions: readonly Kind[]): ApiObject {
  let at = object;
  for (const other of versions) at = kind.fromHub(other.toHub(other.fromHub(kind.toHub(at))));
  return at;
}

/** Fields that versions of one kind cannot hold for each other, as text. */
function lacking(concerns: (from: Kind, to: Kind) => boolean): string[] {
  return [...byHub.values()].flatMap((versions) =>
    versions.flatMap((from) =>
      versions
        .filter((to) => concerns(from, to))
        .flatMap((to) => missingFields(from, to).filter(({ zeroAlone }) => !zeroAlone || !(isRemoved(from) || isRemoved(to))))
        .map(({ path, missing }) => `${missing} ${from.kind} lacks ${path} of ${from.apiVersion}`),
    ),
  );
}

function isRemoved({ data: { lifecycle } }: Kind): boolean {
  return lifecycle.removed !== undefined && compareReleases(lifecycle.removed, currentRelease) <= 0;
}

conversions('versions that are served hold all that the others have', () => {
  assert.equal(
    lacking((_from, to) => !isRemoved(to)),
    [],
  );
});

conversions.run();

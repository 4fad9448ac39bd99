/**
 * What servers of each release list, against the kinds that the release had. The lists of fields of the releases are found through HISTORY_DIR, the
 * lifecycles of kinds through FACTS_DIR, by default beside the checkout.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareReleases, isThere } from '../../../runtime/contract/lifespan.ts';
import { type ListedResource, listedResources, releases, withServer } from './server.ts';

const shared = path.join(import.meta.dirname, '../../../../shared');
const history = process.env.HISTORY_DIR ?? path.join(shared, 'history');
const facts = process.env.FACTS_DIR ?? path.join(shared, 'facts');

/** Groups without `.k8s.io`, and those that are named otherwise than their folder. */
const GROUPS: Readonly<Record<string, string>> = {
  core: '',
  apps: 'apps',
  autoscaling: 'autoscaling',
  batch: 'batch',
  extensions: 'extensions',
  policy: 'policy',
  apiserverinternal: 'internal.apiserver.k8s.io',
  flowcontrol: 'flowcontrol.apiserver.k8s.io',
  rbac: 'rbac.authorization.k8s.io',
};
const groupOf = (folder: string): string => GROUPS[folder] ?? `${folder}.k8s.io`;
const folderOf = (group: string): string => Object.keys(GROUPS).find((name) => GROUPS[name] === group) ?? group.replace(/\.k8s\.io$/, '');
/** Its beta versions were on by default to the end. */
const FLOW_CONTROL = 'flowcontrol.apiserver.k8s.io';

/** Where the lists of fields and what was served differ. */
const EXCEPTIONS: readonly { readonly kinds: RegExp; readonly releases: readonly string[]; readonly reason: string }[] = [
  {
    kinds: /^flowcontrol\/v1alpha1 /,
    releases: ['1.17', ...releases.slice(releases.indexOf('1.21'))],
    reason: 'the types came a release before they were served, and stayed for eight after that',
  },
  { kinds: /^extensions\/v1beta1 PodSecurityPolicy$/, releases, reason: 'the type stayed when its kind was removed in 1.16' },
  {
    kinds: /^policy\/v1beta1 PodSecurityPolicy$/,
    releases: releases.slice(releases.indexOf('1.25')),
    reason: 'the type stayed when its kind was removed in 1.25',
  },
  { kinds: /^admission\/|^apidiscovery\/|^imagepolicy\//, releases, reason: 'they are kinds of what servers say to each other' },
  { kinds: /^core\/v1 (?:PodTemplateSpec|RangeAllocation|PodStatusResult)$/, releases, reason: 'they are no resources' },
];

/** Alpha versions of which no lifecycle is known: the release that did not serve them any more. */
const REMOVED: readonly (readonly [kinds: RegExp, release: string])[] = [
  [/^scheduling\/v1alpha1 /, '1.22'],
  [/^(?:rbac|node)\/v1alpha1 /, '1.23'],
  [/^networking\/v1alpha1 (?:IPAddress|ServiceCIDR)$/, '1.32'],
  [/^storage\/v1alpha1 (?:VolumeAttachment|CSIStorageCapacity)$/, '1.24'],
];

type Lifecycle = { readonly introduced?: string; readonly deprecated?: string; readonly removed?: string };

/** Where nothing else is said, what is not stable is deprecated three releases after it came, and goes three releases after that. */
function removedIn(kind: string, { introduced, deprecated, removed }: Lifecycle): string | undefined {
  const stated = removed ?? REMOVED.find(([kinds]) => kinds.test(kind))?.[1];
  const end = deprecated === undefined ? minorOf(introduced) + 6 : minorOf(deprecated) + 3;
  return stated ?? (/alpha|beta/.test(kind) && !Number.isNaN(end) ? `1.${end}` : undefined);
}

const minorOf = (release = ''): number => Number(release.split('.')[1]);

/** @returns as `folder/version Kind` */
function lifecycles(): Map<string, Lifecycle> {
  const found = new Map<string, Lifecycle>();
  for (const file of readdirSync(facts).filter((name) => name.endsWith('.json'))) {
    const { folder, version, types } = JSON.parse(readFileSync(path.join(facts, file), 'utf8'));
    if (folder === undefined) continue;
    for (const [name, { lifecycle }] of Object.entries(types as Record<string, { lifecycle?: Lifecycle }>))
      if (lifecycle !== undefined) found.set(`${folder}/${version} ${name}`, lifecycle);
  }
  return found;
}

/** Kinds that have lists, of which the release has messages and which it still serves. */
function kindsOf(release: string, known: ReadonlyMap<string, Lifecycle>): string[] {
  const lines = readFileSync(path.join(history, `${release}.txt`), 'utf8').split('\n');
  const lists = lines.flatMap((line) => /^(\S+ \w+)List\.items 2 repeated \w+$/.exec(line)?.slice(1) ?? []);
  return lists.filter((kind) => {
    if (EXCEPTIONS.some((each) => each.kinds.test(kind) && each.releases.includes(release))) return false;
    const lifecycle = known.get(kind) ?? {};
    const [since, until] = [lifecycle.introduced, removedIn(kind, lifecycle)];
    return isThere({ ...(since && { since }), ...(until && { until }) }, release);
  });
}

const shown = (kind: string): string => {
  const [, folder = '', rest = ''] = /^(\w+)\/(.*)$/.exec(kind) ?? [];
  return `${groupOf(folder)}/${rest}`;
};

/** Definitions and registrations of other APIs have no messages in the lists. */
const OTHERS = /^(?:apiextensions|apiregistration)\.k8s\.io$/;
const hasList = ({ group, verbs, name }: ListedResource): boolean => verbs.includes('list') && !name.includes('/') && !OTHERS.test(group);

/** The storage version of resources of 1.20, and the hash of it that a kube-apiserver 1.20 tells. */
const HASHES_OF_1_20: Readonly<Record<string, string>> = {
  'autoscaling/v1 horizontalpodautoscalers': 'oQlkt7f5j/A=',
  'autoscaling/v2beta2 horizontalpodautoscalers': 'oQlkt7f5j/A=',
  'batch/v1beta1 cronjobs': 'h/JlFAZkyyY=',
  'discovery.k8s.io/v1beta1 endpointslices': 'Nx3SIv6I0mE=',
  'node.k8s.io/v1 runtimeclasses': '8nMHWqj34s0=',
  'policy/v1beta1 poddisruptionbudgets': '6BGBu0kpHtk=',
  'apps/v1 deployments': '8aSe+NMegvE=',
};

const test = suite('discovery of earlier releases');

test('1.20 tells the hash of the version that it stores', () =>
  withServer('1.20', { flags: { 'runtime-config': { 'api/all': true } } }, async (server) => {
    const found: Record<string, unknown> = {};
    for (const each of Object.keys(HASHES_OF_1_20)) {
      const [groupVersion, name] = each.split(' ');
      const { body } = await server.call('GET', `/apis/${groupVersion}`);
      found[each] = body.resources.find((resource: { name: string }) => resource.name === name)?.storageVersionHash;
    }
    assert.equal(found, HASHES_OF_1_20);
  }));

// kubectl takes the first group that has a resource of the name
for (const [release, first] of [
  ['1.19', 'extensions'],
  ['1.20', 'networking.k8s.io'],
] as const)
  test(`${release} has ingresses of ${first} before others`, () =>
    withServer(release, {}, async ({ call }) => {
      const { body } = await call('GET', '/apis');
      const names = (body.groups as readonly { name: string }[]).map(({ name }) => name);
      assert.is(
        names.find((name) => name === 'extensions' || name === 'networking.k8s.io'),
        first,
      );
    }));

if (!existsSync(history) || !existsSync(facts)) console.log(`SKIPPED: no lists of fields at ${history}, or no facts at ${facts}`);
else {
  const known = lifecycles();
  for (const release of releases) {
    const flags = { 'runtime-config': { 'api/all': true }, 'feature-gates': { AllAlpha: true, AllBeta: true } };
    test(`${release} has the groups, versions and kinds that it had`, () =>
      withServer(release, { flags }, async (server) => {
        const listed = (await listedResources(server)).filter(hasList);
        const kinds = new Set(listed.map(({ group, version, kind }) => `${group}/${version} ${kind}`));
        assert.equal([...kinds].sort(), [...new Set(kindsOf(release, known).map(shown))].sort());
      }));
    test(`${release} serves by default no alpha version, and no beta one that came in 1.24 or later`, () =>
      withServer(release, {}, async (server) => {
        const listed = (await listedResources(server)).filter(hasList);
        const introduced = ({ group, version, kind }: ListedResource): string =>
          known.get(`${folderOf(group)}/${version} ${kind}`)?.introduced ?? '1.0';
        const off = listed.filter(
          (each) => /alpha/.test(each.version) || (/beta/.test(each.version) && compareReleases(introduced(each), '1.24') >= 0),
        );
        assert.equal(
          off.filter(({ group }) => group !== FLOW_CONTROL).map(({ group, version, kind }) => `${group}/${version} ${kind}`),
          [],
        );
      }));
  }
}
test.run();

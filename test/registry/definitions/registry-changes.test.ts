/** What is served changes all at once, however many versions definitions have and whatever else changes meanwhile. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupVersions } from '../../../generated/routes.ts';
import { ruleModules } from '../../../generated/rules.ts';
import type { GroupVersionData, ResourceData } from '../../../runtime/contract/kind.ts';
import { BuiltInApi } from '../../../runtime/registry/resources/built-in-api.ts';
import { discoveryOrder } from '../../../runtime/registry/resources/discovery-order.ts';
import { Registry } from '../../../runtime/registry/resources/registry.ts';
import type { ResourceDefinition } from '../../../runtime/registry/resources/resource-definition.ts';
import { identity } from '../../kinds/context.ts';

const core = groupVersions.find(({ folder }) => folder === 'core/v1') as GroupVersionData;
const configMaps = core.resources.find(({ name }) => name === 'configmaps') as ResourceData;
const builtIn = new BuiltInApi({
  data: groupVersions,
  identity,
  rules: ruleModules,
  serves: () => true,
  featureEnabled: () => true,
  release: '1.32',
});

function definition(group: string, name: string, versions: readonly string[]): ResourceDefinition {
  const [hub = ''] = versions;
  const storage = { prefix: `${group}/${name}`, group, version: hub, kind: name };
  return {
    group,
    name,
    kinds: [name],
    versions: versions.map((version) => ({
      version,
      resource: { ...configMaps, name, kind: name, storage },
      openapi: { load: () => Promise.reject(new Error('it has no document')), hash: name },
    })),
    load: () => Promise.reject(new Error('it has no kinds')),
  };
}

const namesOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `v${count - index}`);
const GROUP = 'shop.example';

function served({ current }: Registry, group = GROUP): string[] {
  const of = current.groupVersions.filter((each) => each.group === group);
  return of.flatMap(({ version, resources }) => resources.map(({ name }) => `${version}/${name}`));
}

const test = suite('changes of what is served');

test('many versions come at once, in their order, and go at once', () => {
  const registry = new Registry(builtIn);
  const swaps: number[] = [];
  registry.onSwap((_, gone) => swaps.push(gone.length));
  const long = definition(GROUP, 'toys', namesOf(1_000));
  const coming = registry.changeSlices({ defined: [long], removed: [] });
  let pieces = 0;
  for (; coming.next().done !== true; pieces++) assert.equal([served(registry), swaps], [[], []]);
  assert.ok(pieces > 10, `${pieces}`);
  assert.equal(
    served(registry),
    namesOf(1_000).map((version) => `${version}/toys`),
  );
  assert.ok(registry.current.definesVersion(GROUP, 'v7') && !registry.current.definesVersion('', 'v1'));
  registry.change({ defined: [], removed: [long] });
  assert.equal([served(registry), swaps], [[], [0, 1_000]]);
});

test('what others change of the group meanwhile stays', () => {
  const registry = new Registry(builtIn);
  const before = definition(GROUP, 'balls', ['v1']);
  registry.change({ defined: [before, definition(GROUP, 'dolls', ['v1'])], removed: [] });
  const coming = registry.changeSlices({ defined: [definition(GROUP, 'toys', namesOf(500))], removed: [] });
  for (let i = 0; i < 5; i++) coming.next();
  registry.change({ defined: [definition(GROUP, 'games', ['v500', 'v2'])], removed: [before] });
  while (coming.next().done !== true);
  const found = served(registry);
  assert.equal(found.slice(0, 2), ['v500/games', 'v500/toys']);
  assert.equal(found.slice(-3), ['v2/toys', 'v1/dolls', 'v1/toys']);
  assert.is(found.length, 503);
});

test('who changes the group all the time keeps nobody from it', () => {
  const registry = new Registry(builtIn);
  const coming = registry.changeSlices({ defined: [definition(GROUP, 'toys', namesOf(500))], removed: [] });
  let changes = 0;
  for (; coming.next().done !== true && changes < 10_000; changes++)
    registry.change({ defined: [definition(GROUP, 'games', [`v${changes + 1}`])], removed: [] });
  assert.ok(changes < 1_000, `${changes}`);
  assert.equal([...new Set(served(registry).map((each) => each.slice(each.indexOf('/'))))].toSorted(), ['/games', '/toys']);
  assert.is(served(registry).length, 501);
});

test('a change that is given up has changed nothing', () => {
  const registry = new Registry(builtIn);
  const before = registry.current;
  const coming = registry.changeSlices({ defined: [definition(GROUP, 'toys', namesOf(500))], removed: [] });
  for (let i = 0; i < 5; i++) coming.next();
  coming.return();
  assert.is(registry.current, before);
});

test('versions of the schemas and of definitions stand in the order of discovery, in their own groups as well', () => {
  const registry = new Registry(builtIn);
  const all = [
    definition('apps', 'toys', ['v2', 'v1', 'v1beta3', 'v0']),
    definition('zoo.example', 'toys', namesOf(20)),
    definition(GROUP, 'toys', ['v1alpha1', 'v3']),
    definition('batch', 'toys', ['v9']),
  ];
  registry.change({ defined: all, removed: [] });
  const { groupVersions: found } = registry.current;
  // those of definitions state a lower priority of the group, which is that of its other versions
  const groupPriority = (of: string) => Math.max(...found.filter(({ group }) => group === of).map((each) => each.groupPriority));
  assert.equal(
    found.map(({ group, version }) => `${group}/${version}`),
    found
      .map((each) => ({ ...each, groupPriority: groupPriority(each.group) }))
      .sort(discoveryOrder)
      .map(({ group, version }) => `${group}/${version}`),
  );
  assert.equal(
    found.filter(({ group }) => group === 'apps').map(({ version }) => version),
    ['v2', 'v1beta3', 'v0', 'v1'],
  );
  assert.is(new Set(found.map(({ group, version }) => `${group}/${version}`)).size, found.length);
  assert.is(found.find(({ group, version }) => group === 'apps' && version === 'v1')?.folder, 'apps/v1');
});

test.run();

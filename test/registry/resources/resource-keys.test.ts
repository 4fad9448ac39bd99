import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupVersions } from '../../../generated/routes.ts';
import type { Registry } from '../../../runtime/registry/resources/registry.ts';
import type { Resource } from '../../../runtime/registry/resources/resource.ts';
import { ResourceKeys, storageKey } from '../../../runtime/registry/resources/resource-keys.ts';
import { resourcePrefix } from '../../../runtime/storage/storage.ts';

const test = suite('resource keys');

const resource = (name: string, scope: string, prefix: string): Resource => ({ data: { name, scope, storage: { prefix } } }) as Resource;
const resources = [
  resource('pods', 'Namespaced', 'pods'),
  resource('nodes', 'Cluster', 'minions'),
  resource('services', 'Namespaced', 'services/specs'),
  resource('endpoints', 'Namespaced', 'services/endpoints'),
  resource('apiservices', 'Cluster', 'e.com/apiservices'),
];
const byPrefix = new Map(resources.map((each) => [each.data.storage?.prefix, each]));
const keys = new ResourceKeys({ current: { storedAt: (prefix: string) => byPrefix.get(prefix) } } as unknown as Registry);

const rows: readonly [key: string, found: readonly [resource: string, namespace: string, name: string] | undefined][] = [
  ['pods/n/x', ['pods', 'n', 'x']],
  ['minions/x', ['nodes', '', 'x']],
  ['services/specs/n/x', ['services', 'n', 'x']],
  ['services/endpoints/n/x', ['endpoints', 'n', 'x']],
  ['e.com/apiservices/v1.e.com', ['apiservices', '', 'v1.e.com']],
  ['services/others/n/x', undefined],
  ['pods1', undefined],
  ['pods/x', undefined],
  ['ranges/serviceips', undefined],
  ['', undefined],
];
for (const [key, found] of rows)
  test(key || 'nothing', () => {
    const parsed = keys.parse(key);
    assert.equal(parsed && [parsed.resource.data.name, parsed.namespace, parsed.name], found);
    if (parsed !== undefined) assert.is(storageKey(parsed.resource, parsed.namespace, parsed.name), key);
  });

test('the store tells the resources of all schemas apart', () => {
  const prefixes = groupVersions.flatMap(({ resources }) => resources.flatMap(({ storage }) => storage?.prefix ?? []));
  assert.ok(prefixes.length > 50);
  for (const prefix of prefixes) assert.is(resourcePrefix(`${prefix}/n/x`), prefix);
});

test.run();

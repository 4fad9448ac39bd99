/** Objects that change are read once for all quotas, and only where one counts what is in them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../../generated/identity.ts';
import { Evaluators } from '../../../runtime/admission/resource-quota/evaluators/evaluators.ts';
import { requirementsOf } from '../../../runtime/admission/resource-quota/scopes.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { type TrackedResource, trackedResources } from '../../../runtime/controllers/resource-quota/tracked-resources.ts';
import { UsageChange } from '../../../runtime/controllers/resource-quota/usage-change.ts';
import { encodeStoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import type { Change } from '../../../runtime/storage/storage.ts';
import { builtInRegistry } from '../../harness/built-in-registry.ts';

const test = suite('a change of what is used');

const identity = createIdentity(identityData, 'kubernetes');
const evaluators = new Evaluators({ text: identity.text, featureEnabled: () => true });
const registry = builtInRegistry(identity).current;
const NOW = Date.parse('2026-01-01T00:00:00Z');

const pod = (phase: string, cpu = '1', metadata = {}): ApiObject => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'p', namespace: 'n', ...metadata },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] },
  status: { phase },
});

const bytes = (object: ApiObject): Buffer => encodeStoredObject(object, 0, []).bytes;

/** A change of a pod that counts how often the value before it was asked for. */
function update(before: ApiObject, after: ApiObject): { readonly change: Change; reads(): number } {
  let reads = 0;
  const change: Change = {
    operation: 'update',
    key: 'pods/n/p',
    revision: 2,
    value: bytes(after),
    get previousValue() {
      reads++;
      return bytes(before);
    },
  };
  return { change, reads: () => reads };
}

async function tracked(name: string): Promise<TrackedResource> {
  return (await trackedResources([name], evaluators, registry)).get('pods') as TrackedResource;
}

const requirements = (scope?: string) => requirementsOf(scope === undefined ? {} : { scopes: [scope] });

for (const [title, before, after, name, scope, expected] of [
  ['a pod that has ended', pod('Running'), pod('Succeeded'), 'pods', undefined, true],
  ['a pod that begins to run', pod('Pending'), pod('Running'), 'pods', undefined, false],
  ['a pod that takes more', pod('Running'), pod('Running', '2'), 'requests.cpu', undefined, true],
  ['a pod that takes more of what the quota has not', pod('Running'), pod('Running', '2'), 'requests.memory', undefined, false],
  ['a pod out of the scope', pod('Running'), pod('Succeeded'), 'pods', 'BestEffort', false],
  ['a pod that is to end', pod('Running'), pod('Running', '1', { deletionTimestamp: '2026-01-01T00:00:00Z' }), 'pods', undefined, true],
] as const)
  test(title, async () => {
    const { change } = update(before, after);
    assert.is(new UsageChange(change, NOW).concerns(await tracked(name), requirements(scope)), expected);
  });

test('quotas of one namespace share what was read', async () => {
  const { change, reads } = update(pod('Pending'), pod('Running'));
  const seen = new UsageChange(change, NOW);
  for (const name of ['pods', 'requests.cpu', 'limits.cpu']) assert.not(seen.concerns(await tracked(name), requirements()));
  assert.is(reads(), 1);
});

test('a quota of the number of objects reads none', async () => {
  const { change, reads } = update(pod('Running'), pod('Succeeded'));
  assert.not(new UsageChange(change, NOW).concerns(await tracked('count/pods'), requirements()));
  assert.is(reads(), 0);
  assert.ok(new UsageChange({ ...change, operation: 'delete' }, NOW).concerns(await tracked('count/pods'), requirements()));
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupVersions } from '../../generated/routes.ts';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { loadRules } from '../../runtime/kinds/index.ts';
import { Registry } from '../../runtime/registry/registry.ts';
import { prepareForUpdate, validateUpdate } from '../../runtime/registry/strategy.ts';
import { StatusError } from '../../runtime/status/status.ts';
import { identity, object, ruleContext } from '../kinds/context.ts';

const test = suite('updates of objects');
const registry = new Registry({
  data: groupVersions,
  identity,
  rules: { rules: (name) => loadRules(name, identity), conversion: () => Promise.reject(new Error('no conversion')) },
  serves: () => true,
  featureEnabled: () => false,
  release: '1.32',
});

async function resourceOf(group: string, version: string, name: string) {
  const resource = registry.resource(group, version, name);
  assert.ok(resource !== undefined);
  return { resource, hub: await registry.kind(group, version, resource.data.kind) };
}

/** How often an answer lists a bad label: once for each time that 1.32 checks metadata. */
const CHECKED: readonly (readonly [group: string, version: string, name: string, times: number])[] = [
  ['', 'v1', 'configmaps', 4],
  ['policy', 'v1', 'poddisruptionbudgets', 3],
];

for (const [group, version, name, times] of CHECKED)
  test(`a bad label of ${name} is listed ${times} times`, async () => {
    const { resource, hub } = await resourceOf(group, version, name);
    const old = hub.decode(object(hub.apiVersion, hub.kind, {}, { resourceVersion: '1' })).object;
    const changed: ApiObject = { ...old, metadata: { ...old.metadata, labels: { a: 'b!' } } };
    try {
      validateUpdate(resource, hub, changed, old, ruleContext(), 'object');
      assert.unreachable();
    } catch (error) {
      assert.instance(error, StatusError);
      const { causes = [] } = (error as StatusError).status.details ?? {};
      assert.is(causes.filter(({ field }) => field === 'metadata.labels').length, times);
    }
  });

/** Whether an update of the whole object may bring a status along. */
const STATUS: readonly (readonly [group: string, version: string, name: string, kept: boolean])[] = [
  ['networking.k8s.io', 'v1beta1', 'servicecidrs', true],
  ['', 'v1', 'persistentvolumeclaims', false],
];

for (const [group, version, name, kept] of STATUS)
  test(`an update of ${name} ${kept ? 'takes' : 'leaves'} the status`, async () => {
    const { resource, hub } = await resourceOf(group, version, name);
    const conditions = [{ type: 'Ready', status: 'True' }];
    const old = hub.decode(object(hub.apiVersion, hub.kind, { spec: {}, status: {} })).object;
    const changed = hub.decode(object(hub.apiVersion, hub.kind, { spec: {}, status: { conditions } })).object;
    await prepareForUpdate(resource, hub, changed, old, ruleContext());
    assert.is(changed.status.conditions?.length ?? 0, kept ? 1 : 0);
  });

test('what a gate hides is no resource, and a version without resources is not served', () => {
  assert.is(registry.resource('certificates.k8s.io', 'v1alpha1', 'clustertrustbundles'), undefined);
  assert.is(registry.servesVersion('certificates.k8s.io', 'v1alpha1'), false);
  assert.is(registry.servesVersion('certificates.k8s.io', 'v1'), true);
  assert.equal(registry.groupVersions.find(({ group, version }) => group === '' && version === 'v1')?.hidden, ['pods/resize']);
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import {
  nameOf,
  partRules,
  prepareForCreate,
  prepareForStatusUpdate,
  prepareForUpdate,
  preparePart,
  validateCreate,
  validateUpdate,
} from '../../../runtime/registry/resource-store/strategy.ts';
import { rawNumber } from '../../../runtime/schema/scalar/raw-number.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { builtInRegistry } from '../../harness/built-in-registry.ts';
import { identity, object, ruleContext } from '../../kinds/context.ts';

const test = suite('updates of objects');
const registry = builtInRegistry(identity, { featureEnabled: () => false });

async function resourceOf(group: string, version: string, name: string) {
  const resource = registry.current.resource(group, version, name);
  assert.ok(resource !== undefined);
  return { resource, hub: await registry.current.kind(group, version, resource.data.kind) };
}

/** Which labels an update of the status that brings labels leaves: those of before, or what it brings. */
const STATUS_LABELS: readonly (readonly [group: string, version: string, name: string, kept: 'old' | 'new'])[] = [
  ['', 'v1', 'services', 'new'],
  ['networking.k8s.io', 'v1', 'ingresses', 'new'],
  ['networking.k8s.io', 'v1beta1', 'servicecidrs', 'old'],
  ['apps', 'v1', 'deployments', 'old'],
  ['apps', 'v1', 'statefulsets', 'new'],
  // 1.32 means to keep those of before, and compares the new ones with themselves.
  ['apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'new'],
  ['apiregistration.k8s.io', 'v1', 'apiservices', 'old'],
  ['flowcontrol.apiserver.k8s.io', 'v1', 'flowschemas', 'old'],
  ['storage.k8s.io', 'v1', 'volumeattachments', 'old'],
  ['admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicies', 'old'],
];

for (const [group, version, name, kept] of STATUS_LABELS)
  test(`an update of the status of ${name} leaves the ${kept} labels`, async () => {
    const { hub } = await resourceOf(group, version, name);
    const made = (labels: Record<string, string>): ApiObject => {
      const base = hub.decode(object(hub.apiVersion, hub.kind, { spec: {}, status: {} })).object;
      return { ...base, metadata: { ...base.metadata, labels } };
    };
    const changed = made({ from: 'new' });
    prepareForStatusUpdate(hub, changed, made({ from: 'old' }), ruleContext());
    assert.equal(changed.metadata.labels, { from: kept });
  });

const POLICY = [{ resourceName: 'x', restartPolicy: 'y' }];

/** What is sent for a part of a pod without it, and what is left of it while all gates are off. */
const PARTS: readonly (readonly [part: string, sent: object, left: object])[] = [
  ['ephemeralcontainers', { ephemeralContainers: [{ name: 'e', resizePolicy: POLICY }] }, { ephemeralContainers: [{ name: 'e' }] }],
  [
    'ephemeralcontainers',
    { ephemeralContainers: [{ name: 'e', securityContext: { procMount: 'Unmasked' } }] },
    { ephemeralContainers: [{ name: 'e', securityContext: { procMount: 'Default' } }] },
  ],
  ['resize', { containers: [{ name: 'c', resizePolicy: POLICY }] }, {}],
];

for (const [part, sent, left] of PARTS)
  test(`a change of ${part} brings no members whose gates are off: ${JSON.stringify(sent)}`, async () => {
    const { hub } = await resourceOf('', 'v1', 'pods');
    const made = (spec: object): ApiObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c' }], ...spec },
    });
    const prepared = preparePart(hub, partRules(hub, part), made(sent), made({}), ruleContext());
    assert.equal(JSON.parse(JSON.stringify(prepared.spec)), { containers: [{ name: 'c' }], ...left });
  });

/** How often an answer lists a bad label: once for each time that 1.32 checks metadata. */
const CHECKED: readonly (readonly [group: string, version: string, name: string, times: number])[] = [
  ['', 'v1', 'configmaps', 4],
  ['', 'v1', 'persistentvolumes', 4],
  ['', 'v1', 'resourcequotas', 3],
  ['discovery.k8s.io', 'v1', 'endpointslices', 3],
  ['policy', 'v1', 'poddisruptionbudgets', 2],
  ['', 'v1', 'events', 2],
  ['events.k8s.io', 'v1', 'events', 3],
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

/** Whether a finalizer needs a group: kinds of which 1.32 checks the metadata alone that every object has take any. */
const QUALIFIED: readonly (readonly [group: string, version: string, name: string, needed: boolean])[] = [
  ['', 'v1', 'configmaps', true],
  ['', 'v1', 'events', false],
  ['events.k8s.io', 'v1', 'events', true],
  ['coordination.k8s.io', 'v1', 'leases', false],
  ['policy', 'v1', 'poddisruptionbudgets', false],
  ['node.k8s.io', 'v1', 'runtimeclasses', false],
  ['apiextensions.k8s.io', 'v1', 'customresourcedefinitions', false],
  ['apiregistration.k8s.io', 'v1', 'apiservices', false],
  ['admissionregistration.k8s.io', 'v1', 'validatingwebhookconfigurations', false],
  ['rbac.authorization.k8s.io', 'v1', 'clusterroles', true],
];

for (const [group, version, name, needed] of QUALIFIED)
  test(`a finalizer of ${name} of the group "${group}" ${needed ? 'needs a group' : 'has any name'}`, async () => {
    const { resource, hub } = await resourceOf(group, version, name);
    const old = hub.decode(object(hub.apiVersion, hub.kind, {}, { resourceVersion: '1' })).object;
    const changed: ApiObject = { ...old, metadata: { ...old.metadata, finalizers: ['x'] } };
    let message = '';
    try {
      validateUpdate(resource, hub, changed, old, ruleContext(), 'object');
    } catch (error) {
      message = (error as Error).message;
    }
    assert.is(message.includes('name is neither a standard finalizer name nor is it fully qualified'), needed, message);
  });

/** Lists and structures in messages, as Go shows them. */
const SHOWN: readonly (readonly [group: string, version: string, name: string, object: object, shown: string])[] = [
  [
    'apps',
    'v1',
    'daemonsets',
    { spec: { updateStrategy: { type: 'X' } } },
    'Unsupported value: apps.DaemonSetUpdateStrategy{Type:"X", RollingUpdate:(*apps.RollingUpdateDaemonSet)(nil)}: supp',
  ],
  [
    'apps',
    'v1',
    'deployments',
    { spec: { strategy: { type: 'X' } } },
    'Unsupported value: apps.DeploymentStrategy{Type:"X", RollingUpdate:(*apps.RollingUpdateDeployment)(nil)}: supp',
  ],
  [
    'apps',
    'v1',
    'deployments',
    { spec: { selector: {} } },
    'Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty',
  ],
  [
    'networking.k8s.io',
    'v1',
    'networkpolicies',
    { spec: { policyTypes: ['a', 'b', 'c'] } },
    'Invalid value: []networking.PolicyType{"a", "b", "c"}: may',
  ],
  [
    'networking.k8s.io',
    'v1beta1',
    'servicecidrs',
    { spec: { cidrs: ['10.0.0.0/8', '11.0.0.0/8'] } },
    'Invalid value: networking.ServiceCIDRSpec{CIDRs:[]string{"10.0.0.0/8", "11.0.0.0/8"}}: may',
  ],
  [
    'batch',
    'v1',
    'jobs',
    { spec: { podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [3, 1] } }] } } },
    'Invalid value: []int32{3, 1}: must be ordered',
  ],
  [
    '',
    'v1',
    'pods',
    { spec: { containers: [{ name: 'c', image: 'i' }], securityContext: { runAsUser: rawNumber('9007199254740993') } } },
    'runAsUser: Invalid value: 9007199254740993: must be between',
  ],
  [
    '',
    'v1',
    'services',
    { spec: { ports: [{ port: 80 }], clusterIPs: ['10.0.0.1', 'None'] } },
    'Invalid value: []string{"10.0.0.1", "None"}: must be empty',
  ],
];

for (const [group, version, name, members, shown] of SHOWN)
  test(`a structure of ${name} in a message: ${shown}`, async () => {
    const { resource, hub } = await resourceOf(group, version, name);
    const created = hub.decode(object(hub.apiVersion, hub.kind, members)).object;
    try {
      validateCreate(resource, hub, created, ruleContext());
      assert.unreachable();
    } catch (error) {
      assert.instance(error, StatusError);
      assert.ok((error as StatusError).message.includes(shown), (error as StatusError).message);
    }
  });

/** Where an answer finds a finalizer wrong that has no domain: all objects' metadata are checked for its form, those of our kinds for its domain. */
const FINALIZERS: readonly (readonly [group: string, version: string, name: string, members: readonly string[]])[] = [
  ['', 'v1', 'configmaps', ['finalizers', 'finalizers[0]', 'finalizers', 'finalizers[0]']],
  ['', 'v1', 'persistentvolumeclaims', ['finalizers', 'finalizers', 'finalizers[0]', 'finalizers[0]', 'finalizers', 'finalizers[0]']],
  ['', 'v1', 'persistentvolumes', ['finalizers', 'finalizers', 'finalizers[0]', 'finalizers', 'finalizers[0]']],
];

for (const [group, version, name, members] of FINALIZERS)
  test(`a bad finalizer of ${name} is listed in the order of the checks`, async () => {
    const { resource, hub } = await resourceOf(group, version, name);
    const old = hub.decode(object(hub.apiVersion, hub.kind, { spec: {} }, { resourceVersion: '1' })).object;
    const changed: ApiObject = { ...old, metadata: { ...old.metadata, finalizers: ['::1'] } };
    try {
      validateUpdate(resource, hub, changed, old, ruleContext(), 'object');
      assert.unreachable();
    } catch (error) {
      assert.instance(error, StatusError);
      const fields = ((error as StatusError).status.details?.causes ?? []).map(({ field = '' }) => field);
      assert.equal(
        fields.filter((field) => field.startsWith('metadata.finalizers')).map((field) => field.slice('metadata.'.length)),
        members,
      );
    }
  });

/** Of a new object whose name and content are both wrong: most kinds say all at once. */
const NEW: readonly (readonly [group: string, version: string, name: string, object: object, fields: readonly string[]])[] = [
  ['', 'v1', 'configmaps', { data: { 'a/b': '' } }, ['metadata.name', 'data[a/b]']],
  ['policy', 'v1', 'poddisruptionbudgets', { spec: { minAvailable: -1 } }, ['spec.minAvailable']],
  ['policy', 'v1', 'poddisruptionbudgets', { spec: { minAvailable: 1 } }, ['metadata.name']],
];

for (const [group, version, name, members, fields] of NEW)
  test(`a new object of ${name} with a bad name: ${fields.join(', ')}`, async () => {
    const { resource, hub } = await resourceOf(group, version, name);
    const made = hub.decode(object(hub.apiVersion, hub.kind, members, { name: 'a/b' })).object;
    try {
      validateCreate(resource, hub, made, ruleContext());
      assert.unreachable();
    } catch (error) {
      assert.instance(error, StatusError);
      const { causes = [] } = (error as StatusError).status.details ?? {};
      assert.equal([...new Set(causes.map(({ field }) => field))], fields);
    }
  });

/** Kinds whose constraints say more of names: that is told with the format of the name, before all other metadata. */
const CONSTRAINED: readonly (readonly [group: string, version: string, name: string, object: object])[] = [
  ['apiregistration.k8s.io', 'v1', 'apiservices', { spec: { group: 'a.b', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 } }],
  ['networking.k8s.io', 'v1beta1', 'ipaddresses', { spec: { parentRef: { resource: 'services', name: 's' } } }],
  ['internal.apiserver.k8s.io', 'v1alpha1', 'storageversions', {}],
];

for (const [group, version, name, members] of CONSTRAINED)
  test(`a new object of ${name} with a bad name and bad labels`, async () => {
    const { resource, hub } = await resourceOf(group, version, name);
    const fieldsFor = (named: string): readonly (string | undefined)[] => {
      const metadata = { name: named, namespace: '', labels: { 'a b': '' } };
      const made = hub.decode(object(hub.apiVersion, hub.kind, members, metadata)).object;
      try {
        validateCreate(resource, hub, made, ruleContext());
      } catch (error) {
        assert.instance(error, StatusError);
        return ((error as StatusError).status.details?.causes ?? []).map(({ field, message }) => `${field} ${message?.split(':')[0]}`);
      }
      return [];
    };
    assert.equal(fieldsFor('n'), ['metadata.name Invalid value', 'metadata.labels Invalid value']);
    assert.equal(fieldsFor(''), ['metadata.name Required value', 'metadata.labels Invalid value']);
  });

test('the name of an address is what the client began it with', async () => {
  const addresses = await resourceOf('networking.k8s.io', 'v1beta1', 'ipaddresses');
  const maps = await resourceOf('', 'v1', 'configmaps');
  assert.is(nameOf(addresses.resource, '10.0.0.1'), '10.0.0.1');
  assert.match(nameOf(maps.resource, 'a-'), /^a-[a-z0-9]{5}$/);
});

/** What an update must not change is reported before what is wrong with the new object, or after it. */
const ORDER: readonly (readonly [group: string, name: string, old: object, changed: object, fields: readonly string[]])[] = [
  ['', 'secrets', { type: 'a/b' }, { type: 'c/d', data: { 'a/b': '' } }, ['type', 'data[a/b]']],
  ['', 'configmaps', { immutable: true }, { immutable: true, data: { 'a/b': '' } }, ['data', 'data[a/b]']],
  [
    'networking.k8s.io',
    'ingressclasses',
    { spec: { controller: 'a.b/c' } },
    { spec: { controller: 'c' } },
    ['spec.controller: field is immutable', 'spec.controller'],
  ],
  [
    '',
    'services',
    { spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ports: [{ port: 1 }] } },
    { spec: { type: 'LoadBalancer', clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 1 }], loadBalancerClass: 'a b' } },
    ['spec.clusterIPs[0]', 'spec.loadBalancerClass: may not change once set', 'spec.loadBalancerClass', 'spec.loadBalancerClass'],
  ],
  [
    'apps',
    'deployments',
    { spec: { selector: { matchLabels: { a: 'b' } } } },
    { spec: { selector: { matchLabels: { a: 'c' } }, replicas: -1, template: { metadata: { labels: { a: 'c' } } } } },
    ['spec.replicas', 'spec.template.spec.containers', 'spec.selector'],
  ],
];

for (const [group, name, before, after, fields] of ORDER)
  test(`an update of ${name} has its findings in order`, async () => {
    const { resource, hub } = await resourceOf(group, 'v1', name);
    const decode = (members: object): ApiObject =>
      hub.decode(
        object(hub.apiVersion, hub.kind, members, { resourceVersion: '1', ...(resource.data.scope === 'Cluster' && { namespace: '' }) }),
      ).object;
    try {
      validateUpdate(resource, hub, decode(after), decode(before), ruleContext(), 'object');
      assert.unreachable();
    } catch (error) {
      assert.instance(error, StatusError);
      const { causes = [] } = (error as StatusError).status.details ?? {};
      const found = causes.map(({ field, message }) => `${field}: ${message}`);
      assert.is(found.length, fields.length, found.join('\n'));
      for (const [index, expected] of fields.entries()) {
        const [field, detail = ''] = expected.split(': ');
        assert.ok(found[index]?.startsWith(`${field}: `) && found[index]?.endsWith(detail), found.join('\n'));
      }
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

test('an update of the status brings no other member, and takes none away', async () => {
  const { hub } = await resourceOf('', 'v1', 'persistentvolumeclaims');
  const made = (members: object): ApiObject => object(hub.apiVersion, hub.kind, members);
  const spec = { volumeName: 'x' };
  for (const [before, sent] of [
    [{}, { spec }],
    [{ spec }, {}],
    [{ spec }, { spec: { volumeName: 'y' } }],
  ] as const) {
    const changed = made({ ...sent, status: { phase: 'Bound' } });
    prepareForStatusUpdate(hub, changed, made({ ...before, status: {} }), ruleContext());
    assert.equal([changed.spec, changed.status.phase], [(before as { spec?: object }).spec, 'Bound']);
  }
});

test("what an update leaves as it was is the stored object's own", async () => {
  const { resource, hub } = await resourceOf('apps', 'v1', 'deployments');
  const containers = (image: string) => [
    { name: 'a', image: 'a:1', env: [{ name: 'A', value: '1' }] },
    { name: 'b', image, env: [{ name: 'B' }] },
  ];
  const deployment = (image: string) => {
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: containers(image) } };
    const made = hub.decode(object(hub.apiVersion, hub.kind, { spec: { selector: { matchLabels: { app: 'a' } }, template } })).object;
    made.metadata = { ...made.metadata, generation: 3, labels: { l: '1' }, managedFields: [{ manager: 'm' }] };
    return made;
  };
  const old = deployment('b:1');
  const same = deployment('b:1');
  await prepareForUpdate(resource, hub, same, old, ruleContext());
  assert.is(same.spec, old.spec);
  assert.is(same.metadata.labels, old.metadata.labels);
  assert.is.not(same.metadata.managedFields, old.metadata.managedFields);
  assert.is(same.metadata.generation, 3);
  const changed = deployment('b:2');
  await prepareForUpdate(resource, hub, changed, old, ruleContext());
  assert.is(changed.metadata.generation, 4);
  const [kept, other] = changed.spec.template.spec.containers;
  assert.is(kept, old.spec.template.spec.containers[0]);
  assert.is(changed.spec.selector, old.spec.selector);
  assert.is(other.image, 'b:2');
  assert.is(other.env, old.spec.template.spec.containers[1].env);
  assert.is(old.spec.template.spec.containers[1].image, 'b:1');
});

test('what a gate hides is no resource, and a version without resources is not served', () => {
  assert.is(registry.current.resource('certificates.k8s.io', 'v1alpha1', 'clustertrustbundles'), undefined);
  assert.is(registry.current.servesVersion('certificates.k8s.io', 'v1alpha1'), false);
  assert.is(registry.current.servesVersion('certificates.k8s.io', 'v1'), true);
  assert.equal(registry.current.groupVersions.find(({ group, version }) => group === '' && version === 'v1')?.hidden, ['pods/resize']);
});

test('what pods may say of their places behind gates is dropped from new ones while these are off', async () => {
  const { resource, hub } = await resourceOf('', 'v1', 'pods');
  const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
  const labelSelector = { matchLabels: { a: 'b' } };
  const term = { topologyKey: 'zone', labelSelector };
  const spec = {
    containers: [{ name: 'c', image: 'i' }],
    topologySpreadConstraints: [
      { ...spread, labelSelector, matchLabelKeys: ['k'], nodeAffinityPolicy: 'Honor', nodeTaintsPolicy: 'Honor' },
    ],
    affinity: {
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, matchLabelKeys: ['k'], mismatchLabelKeys: ['l'] }] },
    },
  };
  const { object: made } = hub.decode(object('v1', 'Pod', { spec }));
  await prepareForCreate(resource, hub, made, ruleContext());
  assert.equal(made.spec.topologySpreadConstraints, [{ ...spread, labelSelector }]);
  assert.equal(made.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution, [term]);
});

test('finalizers are each looked for once, however many there were before', async () => {
  const { resource, hub } = await resourceOf('', 'v1', 'configmaps');
  const count = 500;
  let looks = 0;
  const before = Array.from({ length: count }, (_, index) => `example.com/${index}`);
  const counted = new Proxy(before, {
    get(list, name) {
      looks++;
      return Reflect.get(list, name);
    },
  });
  const { object: base } = hub.decode(object(hub.apiVersion, hub.kind, {}, { resourceVersion: '1' }));
  const made = (finalizers: string[]): ApiObject => ({ ...base, metadata: { ...base.metadata, finalizers } });
  validateUpdate(resource, hub, made(before.toReversed()), made(counted), ruleContext(), 'object');
  assert.ok(looks < 20 * count, `${looks}`);
});

test.run();

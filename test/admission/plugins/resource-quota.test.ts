/** Quotas: what writes take of them, and why they are refused, in the words of 1.32. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resourceQuota } from '../../../runtime/admission/plugins/resource-quota.ts';
import type { WriteCondition } from '../../../runtime/registry/resource-store/write-condition.ts';
import type { StatusError } from '../../../runtime/status/status.ts';
import { type Asked, asked, attributesOf } from '../asking.ts';
import { quota, StoredQuotas } from '../resource-quota/quotas.ts';

const test = suite('resource quotas');

const container = (requests?: object, limits?: object, name = 'c') => ({ name, resources: { requests, limits } });
const pod = (...containers: object[]) => ({ spec: { containers } });
const FORBIDDEN = 'pods "x" is forbidden: ';
const limits = (...limitedResources: object[]) => ({ configuration: () => ({ limitedResources }) });

/** @returns why it is refused; undefined where it is not */
async function refusal(quotas: StoredQuotas, write: Asked, parts = {}): Promise<string | undefined> {
  const outcome = await asked(resourceQuota(quotas.parts(parts)), write);
  return typeof outcome === 'string' ? outcome : undefined;
}

test('what is written is counted, and refused where it would be too much', async () => {
  const quotas = new StoredQuotas(quota('q', { pods: '2', 'requests.cpu': '1', 'limits.memory': '100Mi' }));
  const plugin = resourceQuota(quotas.parts());
  const object = pod(container({ cpu: '600m' }, { memory: '50Mi' }));
  assert.type(await asked(plugin, { object }), 'object');
  assert.equal(quotas.used('q'), { 'limits.memory': '50Mi', pods: '1', 'requests.cpu': '600m' });
  assert.is(
    await asked(plugin, { object: pod(container({ cpu: '600m' }, { memory: '80Mi' })) }),
    `${FORBIDDEN}exceeded quota: q, requested: limits.memory=80Mi,requests.cpu=600m, used: limits.memory=50Mi,requests.cpu=600m, limited: limits.memory=100Mi,requests.cpu=1`,
  );
  assert.equal(quotas.used('q'), { 'limits.memory': '50Mi', pods: '1', 'requests.cpu': '600m' });
});

test('a dry run uses nothing, and is refused as the write would be', async () => {
  const quotas = new StoredQuotas(quota('q', { pods: '1' }));
  assert.is(await refusal(quotas, { object: pod(), dryRun: true }), undefined);
  assert.equal(quotas.writes, []);
  quotas.set('q', { pods: '1' });
  assert.is(
    await refusal(quotas, { object: pod(), dryRun: true }),
    `${FORBIDDEN}exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1`,
  );
});

test('a quota whose status says nothing limits nothing; one that does not say what is used refuses what it counts', async () => {
  const silent = { ...quota('q', { configmaps: '2' }), status: {} };
  assert.is(await refusal(new StoredQuotas(silent), { resource: 'configmaps', object: {} }), undefined);
  const unknown = new StoredQuotas(quota('q', { pods: '2', 'requests.cpu': '1', configmaps: '3' }, 'unknown'));
  assert.is(
    await refusal(unknown, { object: pod(container({ cpu: '1' })) }),
    `${FORBIDDEN}status unknown for quota: q, resources: pods,requests.cpu`,
  );
  assert.is(await refusal(unknown, { resource: 'secrets', object: {} }), undefined);
});

test('containers must state what is limited of cpu and memory', async () => {
  const quotas = new StoredQuotas(quota('q', { 'requests.cpu': '1', 'limits.memory': '1Gi', 'requests.ephemeral-storage': '1Gi' }));
  const object = {
    spec: {
      containers: [container({ cpu: '1' }, undefined, 'b'), container(undefined, undefined, 'a')],
      initContainers: [container(undefined, { memory: '1Mi' }, 'i')],
    },
  };
  assert.is(await refusal(quotas, { object }), `${FORBIDDEN}failed quota: q: must specify limits.memory for: a,b; requests.cpu for: a,i`);
});

test('nothing is counted of what is not stored, goes by itself, has no namespace, or is deleted', async () => {
  const names = { 'count/events': '0', 'count/tokenreviews.authentication.k8s.io': '0', 'count/nodes': '0', pods: '0' };
  const quotas = new StoredQuotas(quota('q', names));
  const plugin = resourceQuota(quotas.parts());
  const reserve = (write: Asked, data: object) => {
    const attributes = attributesOf({ object: {}, ...write });
    return plugin.reserve?.({ ...attributes, resource: { ...attributes.resource, data } as never });
  };
  const name = 'any';
  assert.is(reserve({ resource: 'events' }, { name, scope: 'Namespaced', storage: {}, expires: true }), undefined);
  assert.is(reserve({ resource: 'tokenreviews', group: 'authentication.k8s.io' }, { name, scope: 'Namespaced' }), undefined);
  assert.is(reserve({ resource: 'nodes' }, { name, scope: 'Cluster', storage: {} }), undefined);
  assert.is(reserve({ operation: 'delete' }, { name, scope: 'Namespaced', storage: {} }), undefined);
  assert.is(reserve({ operation: 'connect' }, { name, scope: 'Namespaced', storage: {} }), undefined);
});

const COUNTS: readonly (readonly [group: string, resource: string, name: string])[] = [
  ['', 'configmaps', 'count/configmaps'],
  ['', 'configmaps', 'configmaps'],
  ['', 'secrets', 'secrets'],
  ['', 'replicationcontrollers', 'replicationcontrollers'],
  ['', 'resourcequotas', 'resourcequotas'],
  ['', 'pods', 'count/pods'],
  ['', 'services', 'count/services'],
  ['', 'persistentvolumeclaims', 'count/persistentvolumeclaims'],
  ['apps', 'deployments', 'count/deployments.apps'],
  ['e.com', 'toys', 'count/toys.e.com'],
];
for (const [group, resource, name] of COUNTS)
  test(`${resource} of ${group || 'the core group'} are counted as ${name}`, async () => {
    const message = await refusal(new StoredQuotas(quota('q', { [name]: '0' })), { group, resource, object: { spec: {} } });
    assert.match(String(message), `exceeded quota: q, requested: ${name}=1, used: ${name}=0, limited: ${name}=0`);
  });

test('names of one group do not count objects of another', async () => {
  const quotas = new StoredQuotas(quota('q', { secrets: '0', 'count/deployments': '0', 'count/toys.e.com': '0' }));
  for (const [group, resource] of [
    ['e.com', 'secrets'],
    ['apps', 'deployments'],
    ['f.com', 'toys'],
  ] as const)
    assert.is(await refusal(quotas, { group, resource, object: {} }), undefined);
});

test('of an update that what is used more counts', async () => {
  const quotas = new StoredQuotas(quota('q', { 'services.nodeports': '3', services: '1' }, { 'services.nodeports': '1', services: '1' }));
  const service = (type: string, ports: number) => ({
    metadata: { name: 'x', resourceVersion: '7' },
    spec: { type, ports: Array.from({ length: ports }, () => ({})) },
  });
  const update = (from: object, to: object) => refusal(quotas, { operation: 'update', resource: 'services', old: from, object: to });
  assert.is(await update(service('NodePort', 1), service('NodePort', 3)), undefined);
  assert.equal(quotas.used('q'), { 'services.nodeports': '3', services: '1' });
  assert.is(
    await update(service('NodePort', 1), service('NodePort', 2)),
    'services "x" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=3, limited: services.nodeports=3',
  );
  quotas.set('q', { 'services.nodeports': '9', services: '1' });
  assert.is(await update(service('NodePort', 3), service('ClusterIP', 3)), undefined, 'less is never too much');
  assert.equal(quotas.used('q'), { 'services.nodeports': '9', services: '1' });
});

test('usage that would be negative is refused', async () => {
  assert.is(
    await refusal(new StoredQuotas(quota('q', { pods: '5' })), { object: pod(container({ cpu: '-1' })) }),
    `${FORBIDDEN}quota usage is negative for resource(s): cpu,requests.cpu`,
  );
});

test('amounts beyond all machine numbers are added and compared', async () => {
  const quotas = new StoredQuotas(quota('q', { 'requests.e.com/x': '9e30' }, { 'requests.e.com/x': '8999999999999999999999999999999' }));
  const plugin = resourceQuota(quotas.parts());
  assert.type(await asked(plugin, { object: pod(container({ 'e.com/x': '1' })) }), 'object');
  assert.match(
    String(await asked(plugin, { object: pod(container({ 'e.com/x': '1' })) })),
    'exceeded quota: q, requested: requests.e.com/x=1',
  );
});

test('of several quotas all are asked; what is taken is written to each', async () => {
  const quotas = new StoredQuotas(quota('b', { pods: '1' }), quota('a', { 'count/pods': '5' }), quota('c', { secrets: '1' }));
  const plugin = resourceQuota(quotas.parts());
  assert.type(await asked(plugin, { object: pod() }), 'object');
  assert.equal(quotas.writes.sort(), ['a', 'b']);
  assert.match(String(await asked(plugin, { object: pod() })), 'exceeded quota: b,');
  assert.equal([quotas.used('a'), quotas.used('b')], [{ 'count/pods': '1' }, { pods: '1' }]);
});

test('writes that come together are counted together, and no more of them than fit', async () => {
  const quotas = new StoredQuotas(quota('q', { pods: '40' }));
  const plugin = resourceQuota(quotas.parts());
  const outcomes = await Promise.all(Array.from({ length: 64 }, () => asked(plugin, { object: pod() })));
  assert.is(outcomes.filter((each) => typeof each === 'object').length, 40);
  assert.equal(quotas.used('q'), { pods: '40' });
  assert.equal(quotas.writes, ['q']);
});

test('where somebody else has written a quota, it is asked again', async () => {
  const quotas = new StoredQuotas(quota('q', { pods: '3' }), quota('r', { pods: '9' }));
  let others = 2;
  quotas.meanwhile = (name) => {
    if (name === 'q' && others-- > 0) quotas.set('q', { pods: String(2 - others) });
  };
  const plugin = resourceQuota(quotas.parts());
  assert.type(await asked(plugin, { object: pod() }), 'object');
  assert.equal([quotas.used('q'), quotas.used('r')], [{ pods: '3' }, { pods: '1' }]);
  quotas.meanwhile = (name) => quotas.remove(name);
  quotas.set('q', { pods: '0' });
  assert.type(await asked(plugin, { object: pod() }), 'object', 'what is gone limits nothing');
});

test('a write counts on the guard that was there before the quotas were read, and asks again without it', async () => {
  const quotas = new StoredQuotas(quota('q', { pods: '2' }));
  const plugin = resourceQuota(quotas.parts());
  quotas.meanwhile = () => {
    quotas.guarded++;
  };
  const condition = (await plugin.reserve?.(attributesOf({ object: pod() }))) as WriteCondition;
  assert.equal(condition.guard, { key: 'a', revision: 1 });
  const renewed = await condition.renew();
  assert.equal(renewed?.guard, { key: 'a', revision: 2 });
  assert.equal(quotas.used('q'), { pods: '2' });
  quotas.remove('q');
  assert.is(await renewed?.renew(), undefined);
});

test('what could not be stored since somebody counts is not refused for what it has taken itself', async () => {
  const quotas = new StoredQuotas(quota('q', { pods: '1' }));
  const condition = (await resourceQuota(quotas.parts()).reserve?.(attributesOf({ object: pod() }))) as WriteCondition;
  assert.equal(quotas.used('q'), { pods: '1' });
  const renewing = condition.renew();
  await new Promise(setImmediate);
  quotas.set('q', { pods: '0' });
  assert.ok((await renewing) !== undefined);
  assert.equal(quotas.used('q'), { pods: '1' });
});

const SCOPED: readonly (readonly [scope: string, inside: object, outside: object])[] = [
  ['Terminating', { activeDeadlineSeconds: 0 }, {}],
  ['NotTerminating', {}, { activeDeadlineSeconds: 5 }],
  ['BestEffort', { containers: [container()] }, { containers: [container({ cpu: '1' })] }],
  ['NotBestEffort', { containers: [container({ cpu: '1' })] }, { containers: [container()] }],
  ['PriorityClass', { priorityClassName: 'high' }, {}],
  [
    'CrossNamespacePodAffinity',
    {
      affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: { namespaceSelector: {} } }] } },
    },
    { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'x' }] } } },
  ],
];
for (const [scope, inside, outside] of SCOPED)
  test(`the scope ${scope} is told from the pod, by its name and by a selector`, async () => {
    const full = { containers: [] };
    for (const spec of [{ scopes: [scope] }, { scopeSelector: { matchExpressions: [{ scopeName: scope, operator: 'Exists' }] } }]) {
      const quotas = new StoredQuotas(quota('q', { pods: '0' }, {}, spec));
      assert.match(String(await refusal(quotas, { object: { spec: { ...full, ...inside } } })), 'exceeded quota: q');
      assert.is(await refusal(quotas, { object: { spec: { ...full, ...outside } } }), undefined);
    }
  });

const SELECTED: readonly (readonly [
  operator: string,
  values: readonly string[] | undefined,
  className: string | undefined,
  isIn: boolean,
])[] = [
  ['In', ['high', 'low'], 'high', true],
  ['In', ['low'], 'high', false],
  ['In', ['high'], undefined, false],
  ['NotIn', ['low'], 'high', true],
  ['NotIn', ['high'], 'high', false],
  ['NotIn', ['high'], undefined, true],
  ['Exists', undefined, 'high', true],
  ['Exists', undefined, undefined, false],
  ['DoesNotExist', undefined, 'high', false],
  ['DoesNotExist', undefined, undefined, true],
];
for (const [operator, values, priorityClassName, isIn] of SELECTED)
  test(`priority class ${priorityClassName} is ${isIn ? '' : 'not '}selected by ${operator} ${values ?? ''}`, async () => {
    const scopeSelector = { matchExpressions: [{ scopeName: 'PriorityClass', operator, ...(values && { values }) }] };
    const quotas = new StoredQuotas(quota('q', { pods: '0' }, {}, { scopeSelector }));
    const message = await refusal(quotas, { object: { spec: { containers: [], ...(priorityClassName && { priorityClassName }) } } });
    assert.is(message !== undefined, isIn);
  });

test('objects that are no pods are in no scope', async () => {
  const quotas = new StoredQuotas(quota('q', { configmaps: '0', persistentvolumeclaims: '0' }, {}, { scopes: ['NotTerminating'] }));
  for (const resource of ['configmaps', 'persistentvolumeclaims'])
    assert.is(await refusal(quotas, { resource, object: { spec: {} } }), undefined);
});

test('a quota that another one was found beside is not looked for again when the other one is asked again', async () => {
  const quotas = new StoredQuotas(quota('p', { 'requests.cpu': '5' }), quota('q', { pods: '5' }));
  let others = 1;
  quotas.meanwhile = (name) => {
    if (name === 'q' && others-- > 0) quotas.set('q', { pods: '1' });
  };
  const parts = limits({ resource: 'pods', matchContains: ['requests.cpu'] });
  assert.is(await refusal(quotas, { object: pod(container({ cpu: '1' })) }, parts), undefined);
  assert.equal([quotas.used('p'), quotas.used('q')], [{ 'requests.cpu': '1' }, { pods: '2' }]);
});

test('what the configuration limits needs a quota that is about it', async () => {
  const claim = { spec: { storageClassName: 'gold', resources: { requests: { storage: '1Gi' } } } };
  const name = 'gold.storageclass.storage.k8s.io/requests.storage';
  const parts = limits({ resource: 'persistentvolumeclaims', matchContains: ['.storageclass.storage.k8s.io/requests.storage'] });
  const write = { resource: 'persistentvolumeclaims', object: claim };
  const message = `persistentvolumeclaims "x" is forbidden: insufficient quota to consume: ${name}`;
  assert.is(await refusal(new StoredQuotas(), write, parts), message);
  assert.is(await refusal(new StoredQuotas(quota('q', { 'requests.storage': '9Gi' })), write, parts), message);
  assert.is(await refusal(new StoredQuotas(quota('q', { [name]: '9Gi' })), write, parts), undefined);
  assert.is(await refusal(new StoredQuotas(), { resource: 'persistentvolumeclaims', object: { spec: {} } }, parts), undefined);
  assert.is(
    await refusal(
      new StoredQuotas(),
      { ...write, namespace: 'other' },
      limits({ apiGroup: 'e.com', resource: 'persistentvolumeclaims', matchContains: ['gold'] }),
    ),
    undefined,
  );
});

test('a priority class that the configuration limits needs a quota with that scope', async () => {
  const scope = { scopeName: 'PriorityClass', operator: 'In', values: ['high', 'higher'] };
  const parts = limits({ resource: 'pods', matchScopes: [scope] });
  const write = { object: { spec: { containers: [], priorityClassName: 'high' } } };
  const text = 'insufficient quota to match these scopes: [{PriorityClass In [high higher]}]';
  const attempt = await Promise.resolve(resourceQuota(new StoredQuotas().parts(parts)))
    .then((plugin) => plugin.reserve?.(attributesOf(write)))
    .then(
      () => undefined,
      (error) => error as StatusError,
    );
  assert.is(attempt?.message, text);
  assert.equal([attempt?.status.code, attempt?.status.reason], [500, undefined]);
  assert.is(await refusal(new StoredQuotas(quota('q', { pods: '5' })), write, parts), text);
  const covering = quota('q', { pods: '5' }, {}, { scopeSelector: { matchExpressions: [scope] } });
  assert.is(await refusal(new StoredQuotas(covering), write, parts), undefined);
  assert.is(await refusal(new StoredQuotas(), { object: pod() }, parts), undefined);
});

test.run();

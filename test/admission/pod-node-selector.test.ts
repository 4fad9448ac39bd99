import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { podNodeSelector } from '../../runtime/admission/pod-node-selector.ts';
import { type Asked, asked, partsOf } from './asking.ts';

const test = suite('node selectors of namespaces');

const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector';
const namespaces = [
  { metadata: { name: 'a', annotations: { [ANNOTATION]: 'zone=x, disk=fast' } } },
  { metadata: { name: 'b' } },
  { metadata: { name: 'c', annotations: { [ANNOTATION]: 'zone=x' } } },
];
const configuration = () => ({ podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'zone=default', c: 'zone=x,disk=slow' } });
const CONFLICT = 'pods "x" is forbidden: pod node label selector conflicts with its namespace node label selector';
const SHUT_OUT = 'pods "x" is forbidden: pod node label selector labels conflict with its namespace whitelist';

const ROWS: readonly (readonly [name: string, asked: Asked, expected: object | string | undefined])[] = [
  ['those of the namespace', { namespace: 'a', object: { spec: {} } }, { zone: 'x', disk: 'fast' }],
  ['with those of the pod', { namespace: 'a', object: { spec: { nodeSelector: { gpu: 'y' } } } }, { zone: 'x', disk: 'fast', gpu: 'y' }],
  ['that contradict', { namespace: 'a', object: { spec: { nodeSelector: { zone: 'y' } } } }, CONFLICT],
  ['those of all namespaces', { namespace: 'b', object: { spec: {} } }, { zone: 'default' }],
  ['within what is allowed', { namespace: 'c', object: { spec: { nodeSelector: { disk: 'slow' } } } }, { zone: 'x', disk: 'slow' }],
  ['beyond what is allowed', { namespace: 'c', object: { spec: { nodeSelector: { disk: 'fast' } } } }, SHUT_OUT],
  ['an update', { operation: 'update', namespace: 'a', object: { spec: {} } }, undefined],
  ['another resource', { resource: 'jobs', namespace: 'a', object: { spec: {} } }, undefined],
];
for (const [name, given, expected] of ROWS)
  test(name, async () => {
    // biome-ignore lint/suspicious/noExplicitAny: of a pod one member matters
    const outcome = (await asked(podNodeSelector(partsOf({ configuration }, { namespaces })), given)) as any;
    assert.equal(typeof outcome === 'string' ? outcome : outcome.spec.nodeSelector, expected);
  });

test('without a configuration', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: of a pod one member matters
  const pod = (await asked(podNodeSelector(partsOf({}, { namespaces })), { namespace: 'b', object: { spec: {} } })) as any;
  assert.is(pod.spec.nodeSelector, undefined);
});

test('an annotation that is none is said to be none', async () => {
  const wrong = [{ metadata: { name: 'a', annotations: { [ANNOTATION]: 'zone' } } }];
  const outcome = await asked(podNodeSelector(partsOf({}, { namespaces: wrong })), { namespace: 'a', object: { spec: {} } });
  assert.is(outcome, `the annotation ${ANNOTATION} of the namespace: invalid selector: zone`);
});

for (const given of [{ podNodeSelectorPluginConfig: 'zone=x' }, {}, { podNodeSelectorPluginConfig: { a: 'zone' } }])
  test(`a configuration that is none: ${JSON.stringify(given)}`, () =>
    assert.throws(() => podNodeSelector(partsOf({ configuration: () => given }))));

test.run();

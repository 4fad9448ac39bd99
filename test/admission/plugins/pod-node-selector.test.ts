import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { podNodeSelector } from '../../../runtime/admission/plugins/pod-node-selector.ts';
import { type Asked, asked, partsOf } from '../asking.ts';

const test = suite('node selectors of namespaces');

const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector';
const namespaces = [
  { metadata: { name: 'a', annotations: { [ANNOTATION]: 'zone=x, disk=fast' } } },
  { metadata: { name: 'b' } },
  { metadata: { name: 'c', annotations: { [ANNOTATION]: 'zone=x' } } },
  { metadata: { name: 'd', annotations: { [ANNOTATION]: '' } } },
];
const configuration = () => ({ podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'zone=default', c: 'zone=x,disk=slow' } });
const CONFLICT = 'pods "x" is forbidden: pod node label selector conflicts with its namespace node label selector';
const SHUT_OUT = 'pods "x" is forbidden: pod node label selector labels conflict with its namespace whitelist';

const ROWS: readonly (readonly [name: string, asked: Asked, expected: object | string | undefined])[] = [
  ['those of the namespace', { namespace: 'a', object: { spec: {} } }, { zone: 'x', disk: 'fast' }],
  ['with those of the pod', { namespace: 'a', object: { spec: { nodeSelector: { gpu: 'y' } } } }, { zone: 'x', disk: 'fast', gpu: 'y' }],
  ['that contradict', { namespace: 'a', object: { spec: { nodeSelector: { zone: 'y' } } } }, CONFLICT],
  [
    'a label that objects have of themselves',
    { namespace: 'd', object: { spec: { nodeSelector: { constructor: 'x' } } } },
    { constructor: 'x' },
  ],
  ['those of all namespaces', { namespace: 'b', object: { spec: {} } }, { zone: 'default' }],
  ['a namespace that wants none', { namespace: 'd', object: { spec: {} } }, undefined],
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

test('a pod without a name yet is refused without one', async () => {
  const object = { metadata: { generateName: 'x-' }, spec: { nodeSelector: { zone: 'y' } } };
  assert.is(await asked(podNodeSelector(partsOf({}, { namespaces })), { namespace: 'a', name: '', object }), CONFLICT.replace(' "x"', ''));
});

test('without a configuration', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: of a pod one member matters
  const pod = (await asked(podNodeSelector(partsOf({}, { namespaces })), { namespace: 'b', object: { spec: {} } })) as any;
  assert.is(pod.spec.nodeSelector, undefined);
});

const WRONG: readonly (readonly [selector: string, message: RegExp])[] = [
  ['zone', /^invalid selector: \[zone\]$/],
  ['a==b', /^invalid selector: \[a {2}b\]$/],
  ['a=b,', /^invalid selector: \[\]$/],
  ['-=b', /^<nil>: Invalid value: "-": name part must consist of /],
  ['a=-', /^\[a\]: Invalid value: "-": a valid label must be /],
];
for (const [selector, message] of WRONG)
  test(`an annotation that is none is said to be none: ${selector}`, async () => {
    const wrong = [{ metadata: { name: 'a', annotations: { [ANNOTATION]: selector } } }];
    const outcome = await asked(podNodeSelector(partsOf({}, { namespaces: wrong })), { namespace: 'a', object: { spec: {} } });
    assert.match(String(outcome), message);
  });

test('what a later plugin takes away is not looked for among what is allowed', async () => {
  const { validate } = podNodeSelector(
    partsOf({ configuration: () => ({ podNodeSelectorPluginConfig: { c: 'disk=slow' } }) }, { namespaces }),
  );
  assert.type(await asked({ ...(validate && { validate }) }, { namespace: 'c', object: { spec: {} } }), 'object');
});

test('a selector of the configuration that is none is told to who makes a pod that it is for', async () => {
  const wrong = () => ({ podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'a=b', a: 'zone' } });
  const plugin = podNodeSelector(partsOf({ configuration: wrong }, { namespaces: [] }));
  assert.match(String(await asked(plugin, { namespace: 'a', object: { spec: {} } })), /^invalid selector: \[zone\]$/);
  assert.type(await asked(plugin, { namespace: 'b', object: { spec: {} } }), 'object');
});

for (const given of [{ podNodeSelectorPluginConfig: 'zone=x' }, {}])
  test(`a configuration that is none: ${JSON.stringify(given)}`, () =>
    assert.throws(() => podNodeSelector(partsOf({ configuration: () => given }))));

test.run();

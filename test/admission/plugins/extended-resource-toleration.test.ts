import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { extendedResourceToleration } from '../../../runtime/admission/plugins/extended-resource-toleration.ts';
import { type Asked, asked, partsOf } from '../asking.ts';

const test = suite('tolerations of extended resources');

const container = (...names: string[]) => ({ name: 'c', resources: { requests: Object.fromEntries(names.map((name) => [name, '1'])) } });
const toleration = (key: string) => ({ key, operator: 'Exists', effect: 'NoSchedule' });

const ROWS: readonly (readonly [name: string, spec: object, asked: Asked, tolerations: readonly object[] | undefined])[] = [
  ['what every node has', { containers: [container('cpu', 'hugepages-2Mi', 'kubernetes.io/x')] }, {}, undefined],
  [
    'devices, in their order',
    { containers: [container('b.com/gpu', 'cpu')], initContainers: [container('a.com/nic')] },
    {},
    [toleration('a.com/nic'), toleration('b.com/gpu')],
  ],
  ['an update', { containers: [container('b.com/gpu')] }, { operation: 'update' }, [toleration('b.com/gpu')]],
  [
    'one that is tolerated',
    { containers: [container('b.com/gpu')], tolerations: [toleration('b.com/gpu')] },
    {},
    [toleration('b.com/gpu')],
  ],
  [
    'one that is tolerated for a while',
    { containers: [container('b.com/gpu')], tolerations: [{ ...toleration('b.com/gpu'), tolerationSeconds: 5 }] },
    {},
    [toleration('b.com/gpu')],
  ],
  ['requests of quotas', { containers: [container('requests.e.com/x')] }, {}, undefined],
  ['a name that is none', { containers: [container('e.com/x/y')] }, {}, undefined],
  ['a subresource', { containers: [container('b.com/gpu')] }, { subresource: 'status' }, undefined],
];
for (const [name, spec, given, expected] of ROWS)
  test(name, async () => {
    // biome-ignore lint/suspicious/noExplicitAny: of a pod one member matters
    const pod = (await asked(extendedResourceToleration(partsOf()), { ...given, object: { spec } })) as any;
    assert.equal(pod.spec.tolerations, expected);
  });

test.run();

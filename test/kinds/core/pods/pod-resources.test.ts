import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../../runtime/contract/object.ts';
import { qosClassOf } from '../../../../runtime/kinds/core/pods/pod-qos.ts';
import { defaultResources } from '../../../../runtime/kinds/core/pods/pod-resources.ts';
import { testKind } from '../kinds.ts';

const [RESIZE, WHOLE] = ['InPlacePodVerticalScaling', 'PodLevelResources'];
const gates = (...names: string[]): { featureEnabled(gate: string): boolean } => ({ featureEnabled: (gate) => names.includes(gate) });
const specOf = (whole: object | undefined, ...containers: object[]): ApiObject['spec'] => ({
  ...(whole && { resources: whole }),
  containers: containers.map((resources, index) => ({ name: `c${index}`, image: 'i', resources })),
});

const policyRows: [string, object, object[] | undefined, object[] | undefined][] = [
  ['no requests', {}, undefined, undefined],
  ['a request', { requests: { cpu: '1' } }, undefined, [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }]],
  [
    'requests, one of which has a policy',
    { requests: { memory: '1', cpu: '1', 'ephemeral-storage': '1' } },
    [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }],
    [
      { resourceName: 'memory', restartPolicy: 'RestartContainer' },
      { resourceName: 'cpu', restartPolicy: 'NotRequired' },
    ],
  ],
];
for (const [name, resources, given, expected] of policyRows)
  test(`resize policies: ${name}`, () => {
    const spec = specOf(undefined, resources);
    if (given !== undefined) spec.containers[0].resizePolicy = given;
    defaultResources(spec, gates());
    assert.equal(spec.containers[0].resizePolicy, given);
    for (const _twice of [1, 2]) defaultResources(spec, gates(RESIZE as string));
    assert.equal(spec.containers[0].resizePolicy, expected);
  });

const requestRows: [string, object | undefined, object[], object | undefined][] = [
  ['none', undefined, [{ requests: { cpu: '1' } }], undefined],
  ['no limits', { requests: { cpu: '1' } }, [{ requests: { memory: '1' } }], { cpu: '1' }],
  ['limits alone', { limits: { memory: '1Gi', cpu: '1' } }, [{}], { cpu: '1', memory: '1Gi' }],
  [
    'limits, and what containers request',
    { limits: { cpu: '3' } },
    [{ requests: { cpu: '500m', memory: '1', 'ephemeral-storage': '1' } }, { requests: { cpu: '1' } }],
    { cpu: '1500m', memory: '1' },
  ],
  ['requests of its own', { limits: { cpu: '3' }, requests: { cpu: '2' } }, [{ requests: { cpu: '1' } }], { cpu: '2' }],
];
for (const [name, whole, containers, expected] of requestRows)
  test(`requests of a pod: ${name}`, () => {
    const spec = specOf(whole, ...containers);
    for (const _twice of [1, 2]) defaultResources(spec, gates(WHOLE as string));
    assert.equal(spec.resources?.requests, expected);
  });

test('the quality of service of a pod with resources of its own is theirs, where the gate is on', () => {
  const equal = { cpu: '1', memory: '1Gi' };
  const spec = specOf({ limits: equal, requests: equal }, {}, { requests: { cpu: '1' } });
  assert.equal([qosClassOf(spec, gates(WHOLE as string)), qosClassOf(spec, gates())], ['Guaranteed', 'Burstable']);
  assert.is(qosClassOf(specOf({}, { requests: { cpu: '1' } }), gates(WHOLE as string)), 'BestEffort');
});

const errorRows: [string, object, object[], string[]][] = [
  ['enough', { limits: { cpu: '2' }, requests: { cpu: '1' } }, [{ limits: { cpu: '2' }, requests: { cpu: '1' } }], []],
  [
    'too little',
    { limits: { cpu: '1' }, requests: { cpu: '1' } },
    [{ limits: { cpu: '2' }, requests: { cpu: '1' } }, { requests: { cpu: '500m', 'ephemeral-storage': '1Gi' } }],
    [
      'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 1500m',
      'spec.resources.requests[ephemeral-storage]: Invalid value: "0": must be greater than or equal to aggregate container requests of 1Gi',
      'spec.resources.containers[0][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1',
    ],
  ],
  [
    'a resource that is none of a pod, and claims',
    { limits: { 'ephemeral-storage': '1' }, claims: [{ name: 'a' }] },
    [{}],
    [
      'spec.resources.claims: Forbidden: claims cannot be set for Resources at pod-level',
      'spec.resources.limits[ephemeral-storage]: Unsupported value: ephemeral-storage: supported values: "cpu", "memory"',
      'spec.resources.claims[0]: Not found: "a": must be one of the names in pod.spec.resourceClaims which is empty',
    ],
  ],
];
for (const [name, whole, containers, expected] of errorRows)
  test(`resources of a pod: ${name}`, async () => {
    const pods = await testKind('Pod', WHOLE as string);
    assert.equal(pods.errors({ spec: specOf(whole, ...containers) }), expected);
  });

test('templates of pods get no such defaults', async () => {
  const { make } = await testKind('PodTemplate', RESIZE as string, WHOLE as string);
  const { template } = make({ template: { spec: specOf({ limits: { cpu: '1' } }, { requests: { cpu: '1' } }) } });
  assert.equal([template.spec.resources.requests, template.spec.containers[0].resizePolicy], [undefined, undefined]);
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { lines, object, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('horizontal pod autoscalers');
const autoscalers = await loadKind('autoscaling/v2', 'HorizontalPodAutoscaler');
const { rules } = autoscalers;

const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } };

function autoscaler(spec: object, status: object = { desiredReplicas: 0, currentMetrics: null }): ApiObject {
  return object('autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, minReplicas: 1, maxReplicas: 3, metrics: [cpu], ...spec },
    status,
  });
}

test('a behavior is completed in both directions', () => {
  const scaleDown = { stabilizationWindowSeconds: 60, policies: [{ type: 'Pods', value: 1, periodSeconds: 30 }] };
  const given = autoscalers.decode(autoscaler({ behavior: { scaleDown } })).object;
  assert.is(
    JSON.stringify(given.spec.behavior),
    '{"scaleUp":{"stabilizationWindowSeconds":0,"selectPolicy":"Max","policies":[{"type":"Pods","value":4,"periodSeconds":15},' +
      '{"type":"Percent","value":100,"periodSeconds":15}]},"scaleDown":{"stabilizationWindowSeconds":60,"selectPolicy":"Max",' +
      '"policies":[{"type":"Pods","value":1,"periodSeconds":30}]}}',
  );
  assert.equal(autoscalers.decode(given).object, given);
});

test('policies that are none at all are not completed', () => {
  const given = autoscalers.decode(autoscaler({ behavior: { scaleUp: { policies: null }, scaleDown: { policies: [] } } })).object;
  assert.equal(lines(rules.validate?.(given, ruleContext(), undefined)), [
    'spec.behavior.scaleDown.policies: Required value: must specify at least one Policy',
  ]);
});

test('no behavior stays none', () => {
  const given = autoscalers.decode(autoscaler({})).object;
  assert.not.ok('behavior' in given.spec);
});

test('annotations that v1 alone has are dropped', () => {
  const given = autoscaler({});
  given.metadata.annotations = { 'autoscaling.alpha.kubernetes.io/metrics': '[]', note: 'n' };
  rules.defaults?.(given, ruleContext());
  assert.equal(given.metadata.annotations, { note: 'n' });
});

const invalidSpecs: [string, object, string[]][] = [
  ['a good one', {}, []],
  ['no replicas at all', { maxReplicas: 0, minReplicas: undefined }, ['spec.maxReplicas: Invalid value: 0: must be greater than 0']],
  [
    'fewer at most than at least',
    { minReplicas: 5 },
    ['spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`'],
  ],
  [
    'scaling to zero without the gate',
    { minReplicas: 0 },
    [
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ],
  ],
  [
    'a target without kind and with a bad name',
    { scaleTargetRef: { kind: '', name: 'a/b' } },
    ['spec.scaleTargetRef.kind: Required value', `spec.scaleTargetRef.name: Invalid value: "a/b": may not contain '/'`],
  ],
  [
    'a metric of unknown type',
    { metrics: [{ type: 'X' }] },
    Array(2).fill(
      'spec.metrics[0].type: Unsupported value: "X": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
    ),
  ],
  [
    'a metric without its source',
    { metrics: [{ type: 'Pods' }] },
    ['spec.metrics[0].pods: Required value: must populate information for the given metric source'],
  ],
  [
    'a metric with two sources',
    { metrics: [{ ...cpu, pods: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '1' } } }] },
    ['spec.metrics[0].pods: Forbidden: must populate the given metric source only'],
  ],
  [
    'a resource with two targets',
    {
      metrics: [{ type: 'Resource', resource: { name: '', target: { type: 'Utilization', averageUtilization: 0, averageValue: '0' } } }],
    },
    [
      'spec.metrics[0].resource.name: Required value: must specify a resource name',
      'spec.metrics[0].resource.target.averageValue: Invalid value: "0": must be positive',
      'spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0',
      'spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization',
    ],
  ],
  [
    'a resource of a container',
    { metrics: [{ type: 'ContainerResource', containerResource: { name: 'gpu', container: '', target: { type: 'X' } } }] },
    [
      'spec.metrics[0].containerResource.name: Invalid value: gpu: must be a standard resource type or fully qualified',
      'spec.metrics[0].containerResource.name: Invalid value: gpu: must be a standard resource for containers',
      'spec.metrics[0].containerResource.container: Required value: must specify a container',
      'spec.metrics[0].containerResource.target.type: Invalid value: "X": must be either Utilization, Value, or AverageValue',
      'spec.metrics[0].containerResource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
    ],
  ],
  [
    'an external metric with two targets',
    { metrics: [{ type: 'External', external: { metric: { name: '' }, target: { type: 'Value', value: '1', averageValue: '1' } } }] },
    [
      'spec.metrics[0].external.metric.name: Required value: must specify a metric name',
      'spec.metrics[0].external.target.value: Forbidden: may not set both a target value for metric and a per-pod target',
    ],
  ],
  [
    'an object metric without target',
    {
      metrics: [{ type: 'Object', object: { describedObject: { kind: 'I', name: 'i' }, metric: { name: 'm' }, target: { type: '' } } }],
    },
    [
      'spec.metrics[0].object.target.type: Required value: must specify a metric target type',
      'spec.metrics[0].object.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
      'spec.metrics[0].object.target.averageValue: Required value: must set either a target value or averageValue',
    ],
  ],
  [
    'a behavior out of range',
    {
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 3601, selectPolicy: 'Most', policies: [{ type: 'X', value: 0, periodSeconds: 1801 }] },
        scaleDown: { stabilizationWindowSeconds: -1, selectPolicy: 'Max' },
      },
    },
    [
      'spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
      'spec.behavior.scaleUp.selectPolicy: Unsupported value: "Most": supported values: "Disabled", "Max", "Min"',
      'spec.behavior.scaleUp.policies[0].type: Unsupported value: "X": supported values: "Percent", "Pods"',
      'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
      'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
      'spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero',
      'spec.behavior.scaleDown.policies: Required value: must specify at least one Policy',
    ],
  ],
];
for (const [name, spec, expected] of invalidSpecs)
  test(`validates ${name}`, () => assert.equal(lines(rules.validate?.(autoscaler(spec), ruleContext())), expected));

test('with the gate and an external metric it may scale to zero', () => {
  const external = { type: 'External', external: { metric: { name: 'q' }, target: { type: 'Value', value: '30' } } };
  assert.equal(lines(rules.validate?.(autoscaler({ minReplicas: 0, metrics: [external] }), ruleContext('HPAScaleToZero'))), []);
});

test('the status has no negative counts', () => {
  const given = autoscaler({}, { currentReplicas: -1, desiredReplicas: -2 });
  assert.equal(lines(rules.validateStatusUpdate?.(given, autoscaler({}), ruleContext())), [
    'status.currentReplicas: Invalid value: -1: must be greater than or equal to 0',
    'status.desiredReplicas: Invalid value: -2: must be greater than or equal to 0',
  ]);
});

const pods = { type: 'Pods', pods: { metric: { name: 'qps' }, target: { type: 'AverageValue', averageValue: '1' } } };
const memory = { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } };
const targets: [string, object[] | undefined, object[] | null, string][] = [
  ['no metrics', undefined, null, '<none>'],
  ['nothing measured', [cpu], null, 'cpu: <unknown>/80%'],
  ['measured', [cpu], [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 0 } } }], 'cpu: 0%/80%'],
  ['a raw value', [memory], [{ type: 'Resource', resource: { current: { averageValue: '512Mi' } } }], 'memory: 512Mi/1Gi'],
  ['more than two', [memory, cpu, pods, pods, pods], [], 'memory: <unknown>/1Gi, cpu: <unknown>/80% + 3 more...'],
  ['per pod', [pods], [{ type: 'Pods', pods: { current: { averageValue: '3' } } }], '3/1'],
  [
    'external, average',
    [{ type: 'External', external: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '5' } } }],
    [{ type: 'External', external: { current: { averageValue: '2' } } }],
    '2/5 (avg)',
  ],
  [
    'external, the average alone where a value was wanted',
    [{ type: 'External', external: { metric: { name: 'q' }, target: { type: 'Value', value: '5' } } }],
    [{ type: 'External', external: { current: { averageValue: '2' } } }],
    '<nil>/5',
  ],
  [
    'external, a value where the average was wanted',
    [{ type: 'External', external: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '5' } } }],
    [{ type: 'External', external: { current: { value: '2' } } }],
    '<unknown>/5 (avg)',
  ],
  ['per pod, without average', [pods], [{ type: 'Pods', pods: { current: { value: '3' } } }], '<nil>/1'],
  [
    'a share where a raw value was wanted',
    [memory],
    [{ type: 'Resource', resource: { current: { averageUtilization: 5 } } }],
    'memory: <nil>/1Gi',
  ],
];
for (const [name, metrics, currentMetrics, expected] of targets) {
  test(`cells: ${name}`, async () => {
    const given = autoscaler({ metrics, minReplicas: undefined }, { currentReplicas: 2, currentMetrics });
    assert.equal(await rowOf(given, Date.parse('2026-01-01T00:02:00Z')), ['x', 'Deployment/d', expected, '<unset>', 3, 2, '2m']);
  });
}

test.run();

import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { conversion as horizontalPodAutoscalerConversion } from '../../../runtime/kinds/autoscaling/horizontal-pod-autoscaler-v1.ts';
import { identity, object } from '../context.ts';

const test = suite('autoscalers between v1 and v2');
const conversion = horizontalPodAutoscalerConversion(identity);
const prefix = 'autoscaling.alpha.kubernetes.io';
const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };

function v1(spec: object, status: object, annotations?: Record<string, string>): ApiObject {
  return object('autoscaling/v1', 'HorizontalPodAutoscaler', { spec: { scaleTargetRef, ...spec }, status }, annotations && { annotations });
}
function v2(spec: object, status: object, annotations?: Record<string, string>): ApiObject {
  return object('autoscaling/v1', 'HorizontalPodAutoscaler', { spec: { scaleTargetRef, ...spec }, status }, annotations && { annotations });
}
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const toV2 = (given: ApiObject): ApiObject => conversion.toHub(copy(given));
const toV1 = (given: ApiObject): ApiObject => conversion.fromHub(copy(given));

const cpu = (averageUtilization: number): object => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

test('without metrics, CPU utilization is watched', () => {
  assert.equal(
    toV2(v1({ minReplicas: 1, maxReplicas: 3 }, { currentReplicas: 0, desiredReplicas: 0 })),
    v2({ minReplicas: 1, maxReplicas: 3, metrics: [cpu(80)] }, { desiredReplicas: 0, currentMetrics: null }),
  );
});

test('the CPU metric has a member of its own', () => {
  assert.equal(
    toV1(v2({ minReplicas: 1, maxReplicas: 3, metrics: [cpu(70)] }, { currentReplicas: 1, desiredReplicas: 2, currentMetrics: null })),
    v1({ minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 70 }, { currentReplicas: 1, desiredReplicas: 2 }),
  );
});

test('what v1 cannot say stands in annotations', () => {
  const converted = toV1(
    v2(
      {
        maxReplicas: 3,
        metrics: [
          cpu(70),
          {
            type: 'Object',
            object: {
              describedObject: { kind: 'Ingress', name: 'i' },
              target: { type: 'Value', value: '2k' },
              metric: { name: 'hits', selector: { matchLabels: { a: 'b' } } },
            },
          },
        ],
        behavior: { scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Pods', value: 1, periodSeconds: 30 }] } },
      },
      {
        desiredReplicas: 1,
        currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageValue: '10m', averageUtilization: 5 } } }],
        conditions: [{ type: 'AbleToScale', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'R' }],
      },
      { note: 'n', [`${prefix}/metrics`]: 'of a client' },
    ),
  );
  assert.equal(converted.metadata.annotations, {
    [`${prefix}/behavior`]:
      '{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":30}]}}',
    [`${prefix}/conditions`]: '[{"type":"AbleToScale","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"R"}]',
    [`${prefix}/current-metrics`]:
      '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":5,"currentAverageValue":"10m"}}]',
    [`${prefix}/metrics`]:
      '[{"type":"Object","object":{"target":{"kind":"Ingress","name":"i"},"metricName":"hits","targetValue":"2k","selector":{"matchLabels":{"a":"b"}}}}]',
    note: 'n',
  });
  assert.equal(converted.spec, { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 70 });
  assert.equal(converted.status, { currentReplicas: 0, desiredReplicas: 1, currentCPUUtilizationPercentage: 5 });
});

test('the behavior is read whatever the case of its names', () => {
  const annotations = { [`${prefix}/behavior`]: '{"scaleup":{"selectpolicy":"Min","POLICIES":null}}' };
  assert.equal(toV2(v1({ maxReplicas: 1 }, {}, annotations)).spec.behavior, { scaleUp: { selectPolicy: 'Min' } });
});

const unreadable: [string, string, string][] = [
  ['no JSON', 'metrics', '['],
  ['no list', 'metrics', '{}'],
  ['elements that are no structs', 'metrics', '[1]'],
  ['a number where a text belongs', 'metrics', '[{"type":1}]'],
  ['no quantity', 'metrics', '[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"many"}}]'],
  ['a fraction of a utilization', 'metrics', '[{"type":"Resource","resource":{"name":"cpu","targetAverageUtilization":1.5}}]'],
  ['a selector of numbers', 'metrics', '[{"type":"Pods","pods":{"selector":{"matchLabels":{"a":1}}}}]'],
  ['policies that are no list', 'behavior', '{"ScaleUp":{"Policies":1}}'],
  ['a source that is no struct', 'current-metrics', '[{"type":"Object","object":[]}]'],
  ['no time', 'conditions', '[{"type":"A","status":"B","lastTransitionTime":"now"}]'],
];
for (const [name, annotation, text] of unreadable) {
  test(`an unreadable annotation counts as absent: ${name}`, () => {
    assert.equal(
      toV2(v1({ maxReplicas: 1 }, {}, { [`${prefix}/${annotation}`]: text })),
      v2({ maxReplicas: 1, metrics: [cpu(80)] }, { desiredReplicas: 0, currentMetrics: null }),
    );
  });
}

test('quantities of an annotation become canonical', () => {
  const annotations = { [`${prefix}/metrics`]: '[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"1024Mi"}}]' };
  assert.is(toV2(v1({ maxReplicas: 1 }, {}, annotations)).spec.metrics[0].pods.target.averageValue, '1Gi');
});

const name = fc.stringMatching(/^[a-z]{1,8}$/);
const quantity = fc.integer({ min: 1, max: 999 }).map((value) => `${value}m`);
const percentage = fc.integer({ min: 1, max: 200 });
const selector = fc.oneof(
  fc.record({ matchLabels: fc.dictionary(name, name, { minKeys: 1, maxKeys: 2 }) }),
  fc.record({ matchExpressions: fc.array(fc.record({ key: name, operator: fc.constant('Exists') }), { minLength: 1, maxLength: 2 }) }),
);
const metric = fc.record({ name, selector }, { requiredKeys: ['name'] });
const reference = fc.record({ kind: name, name, apiVersion: name }, { requiredKeys: ['kind', 'name'] });
const value = fc.record({ type: fc.constant('Value'), value: quantity });
const average = fc.record({ type: fc.constant('AverageValue'), averageValue: quantity });
const utilization = fc.record({ type: fc.constant('Utilization'), averageUtilization: percentage });
const otherMetric = fc.oneof(
  fc.record({ describedObject: reference, target: fc.oneof(value, average), metric }).map((object) => ({ type: 'Object', object })),
  fc.record({ metric, target: average }).map((pods) => ({ type: 'Pods', pods })),
  fc.record({ name: fc.constant('memory'), target: fc.oneof(average, utilization) }).map((resource) => ({ type: 'Resource', resource })),
  fc
    .record({ name: fc.constant('cpu'), target: fc.oneof(average, utilization), container: name })
    .map((containerResource) => ({ type: 'ContainerResource', containerResource })),
  fc.record({ metric, target: fc.oneof(value, average) }).map((external) => ({ type: 'External', external })),
);
const current = fc.oneof(
  fc
    .record({ metric, current: fc.record({ value: quantity, averageValue: quantity }), describedObject: reference })
    .map((object) => ({ type: 'Object', object })),
  fc.record({ metric, current: fc.record({ averageValue: quantity }) }).map((pods) => ({ type: 'Pods', pods })),
  fc
    .record({ name: fc.constant('cpu'), current: fc.record({ averageValue: quantity, averageUtilization: percentage }) })
    .map((resource) => ({ type: 'Resource', resource })),
  fc
    .record({ name: fc.constant('cpu'), current: fc.record({ averageValue: quantity }), container: name })
    .map((containerResource) => ({ type: 'ContainerResource', containerResource })),
  fc.record({ metric, current: fc.record({ value: quantity }) }).map((external) => ({ type: 'External', external })),
);
const direction = fc.record(
  {
    stabilizationWindowSeconds: percentage,
    selectPolicy: fc.constantFrom('Max', 'Min', 'Disabled'),
    policies: fc.array(fc.record({ type: fc.constantFrom('Pods', 'Percent'), value: percentage, periodSeconds: percentage }), {
      minLength: 1,
      maxLength: 2,
    }),
  },
  {},
);
const condition = fc.record(
  { type: name, status: fc.constantFrom('True', 'False'), lastTransitionTime: fc.constantFrom(null, '2026-01-01T00:00:00Z'), reason: name },
  { requiredKeys: ['type', 'status', 'lastTransitionTime'] },
);
const list = <T>(element: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(element, { minLength: 1, maxLength: 3 });

const spec = fc
  .record({
    others: list(otherMetric),
    cpu: fc.option(percentage.map(cpu)),
    behavior: fc.record({ scaleUp: direction, scaleDown: direction }),
  })
  .map(({ others, cpu: last, behavior }) => ({
    minReplicas: 2,
    maxReplicas: 9,
    metrics: last === null ? others : [...others, last],
    behavior,
  }));
const status = fc.record(
  {
    observedGeneration: percentage,
    currentReplicas: percentage,
    desiredReplicas: percentage,
    currentMetrics: list(current),
    conditions: list(condition),
  },
  { requiredKeys: ['desiredReplicas', 'currentMetrics'] },
);

test('v2 to v1 and back loses nothing', () => {
  fc.assert(
    fc.property(spec, status, (someSpec, someStatus) => {
      const given = copy(v2(someSpec, someStatus, { note: 'n' }));
      assert.equal(toV2(toV1(given)), given);
    }),
  );
});

test('v1 to v2 and back loses nothing', () => {
  fc.assert(
    fc.property(spec, status, (someSpec, someStatus) => {
      const given = toV1(v2(someSpec, someStatus));
      assert.equal(toV1(toV2(given)), given);
    }),
  );
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { applyScale, ReplicasMissing, type ScaleData, scaleOf, validateScale } from '../../../runtime/kinds/autoscaling/scale.ts';
import { rowOf } from '../kind.ts';

const test = suite('scale');

const workload: ScaleData = { specReplicas: '.spec.replicas', statusReplicas: '.status.replicas', selector: '.spec.selector' };

function parent(members: object): ApiObject {
  return {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: {
      name: 'd',
      namespace: 'n',
      uid: 'u',
      resourceVersion: '7',
      generation: 2,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { a: 'b' },
    },
    ...members,
  };
}

test('shows replicas, selector and the identity of the parent, nothing else', () => {
  const scale = scaleOf(parent({ spec: { replicas: 2, selector: { matchLabels: { app: 'a' } } }, status: {} }), workload);
  assert.is(
    JSON.stringify(scale),
    '{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"d","namespace":"n","uid":"u","resourceVersion":"7",' +
      '"creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"replicas":2},"status":{"replicas":0,"selector":"app=a"}}',
  );
});

const statuses: [string, object, ScaleData, object, object][] = [
  ['zero replicas are left out', { spec: { replicas: 0 } }, workload, {}, { replicas: 0 }],
  [
    'a selector that is a map',
    { spec: { replicas: 1, selector: { b: 'y', a: 'x' } }, status: { replicas: 1 } },
    { ...workload, selectorIsMap: true },
    { replicas: 1 },
    { replicas: 1, selector: 'a=x,b=y' },
  ],
  [
    'a selector that is a text',
    { spec: { replicas: 1 }, status: { replicas: 3, selector: 'app in (a)' } },
    { ...workload, selector: '.status.selector' },
    { replicas: 1 },
    { replicas: 3, selector: 'app in (a)' },
  ],
];
for (const [name, members, data, spec, status] of statuses) {
  test(name, () => {
    const scale = scaleOf(parent(members), data);
    assert.equal([scale.spec, scale.status], [spec, status]);
  });
}

test('without replicas there is nothing to show', () => {
  assert.throws(
    () => scaleOf(parent({ spec: {} }), workload),
    (error: unknown) => error instanceof ReplicasMissing && error.message === 'the spec replicas field ".spec.replicas" does not exist',
  );
});

test('a write changes replicas alone', () => {
  const object = parent({ spec: { replicas: 2, paused: true } });
  applyScale(object, { ...parent({}), spec: { replicas: 5 } }, workload);
  assert.equal(object, parent({ spec: { replicas: 5, paused: true } }));
});

test('a Scale without replicas writes 0, and makes the members on the way', () => {
  const object = parent({});
  applyScale(object, { ...parent({}), spec: {} }, workload);
  assert.equal(object.spec, { replicas: 0 });
});

test('replicas are not negative', () => {
  assert.equal(
    validateScale({ ...parent({}), spec: { replicas: -1 } }).map((error) => `${error.field}: ${error.message}`),
    ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
  );
  assert.equal(validateScale({ ...parent({}), spec: {} }), []);
});

test('cells', async () => {
  const scale = scaleOf(parent({ spec: { replicas: 1, selector: {} }, status: { replicas: 2 } }), workload);
  assert.equal(await rowOf(scale, Date.parse('2026-01-01T00:00:09Z')), ['d', 1, 2, '9s']);
});

test.run();

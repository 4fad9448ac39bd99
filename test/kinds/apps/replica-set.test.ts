import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lines, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';
import { workload } from './workload.ts';

const test = suite('replica sets');
const kind = await loadKind('apps/v1', 'ReplicaSet');
const { rules } = kind;
const context = ruleContext();

test('defaults', () => {
  const { spec, status } = workload(kind);
  assert.equal([Object.keys(spec), spec.replicas, status], [['replicas', 'selector', 'template'], 1, { replicas: 0 }]);
});

test('counts are checked before the selector', () => {
  assert.equal(lines(rules.validate?.(workload(kind, { replicas: -1, minReadySeconds: -1, selector: {} }), context)), [
    'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
    'spec.selector: Invalid value: {}: empty selector is invalid for deployment',
  ]);
});

test('each finding of an update is reported twice, the selector once', () => {
  const changed = workload(kind, { replicas: -1, selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } });
  const replicas = 'spec.replicas: Invalid value: -1: must be greater than or equal to 0';
  const found = [...(rules.validate?.(changed, context) ?? []), ...(rules.validateUpdate?.(changed, workload(kind), context) ?? [])];
  assert.equal(lines(found), [
    replicas,
    replicas,
    'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Exists"}]}: field is immutable',
  ]);
});

test('counts of the status fit together', () => {
  const status = { replicas: 1, fullyLabeledReplicas: 2, readyReplicas: 0, availableReplicas: 1, observedGeneration: -1 };
  assert.equal(lines(rules.validateStatusUpdate?.(workload(kind, {}, status), workload(kind), context)), [
    'status.observedGeneration: Invalid value: -1: must be greater than or equal to 0',
    'status.fullyLabeledReplicas: Invalid value: 2: cannot be greater than status.replicas',
    'status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas',
  ]);
});

test('cells', async () => {
  const given = workload(kind, { replicas: 5 }, { replicas: 4, readyReplicas: 3 });
  assert.equal(await rowOf(given, Date.parse('2026-01-01T00:00:05Z')), ['x', 5, 4, 3, '5s', 'c', 'nginx:1.27', 'app=a']);
});

test.run();

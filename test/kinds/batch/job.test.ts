import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { decode } from '../../../runtime/schema/codec/codec.ts';
import { copyValue } from '../../../runtime/schema/copy.ts';
import { creationErrors, lines, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('jobs');
const jobs = await loadKind('batch/v1', 'Job');
const { rules } = jobs;
const gates = ['JobManagedBy', 'JobPodFailurePolicy', 'JobSuccessPolicy', 'JobBackoffLimitPerIndex', 'JobPodReplacementPolicy'];
const context = ruleContext(...gates, 'ElasticIndexedJob');

function template(spec: object = {}, labels: object = { app: 'a' }): object {
  const container = { name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
  const pod = { containers: [container], restartPolicy: 'Never', dnsPolicy: 'ClusterFirst', terminationGracePeriodSeconds: 30 };
  return { metadata: { labels }, spec: { ...pod, ...spec } };
}

function job(spec: object = {}, members: object = {}, metadata: object = {}): ApiObject {
  return jobs.decode({
    metadata: { name: 'x', namespace: 'n', creationTimestamp: '2026-01-01T00:00:00Z', uid: 'u', ...metadata },
    spec: { manualSelector: true, selector: { matchLabels: { app: 'a' } }, template: template(), ...spec },
    ...members,
  }).object;
}

const stored = (spec: object = {}, status: object = {}): ApiObject => job(spec, { status }, { resourceVersion: '1' });
const found = (spec: object): string[] => creationErrors(rules, job(spec), context);
const indexed = { completionMode: 'Indexed', completions: 5 };

test('defaults', () => {
  const { completions, parallelism, backoffLimit, podReplacementPolicy } = job().spec;
  assert.equal([completions, parallelism, backoffLimit, podReplacementPolicy], [1, 1, 6, 'TerminatingOrFailed']);
  assert.is(job({ parallelism: 3 }).spec.completions, undefined);
  assert.is(job({ completions: 3 }).spec.parallelism, 1);
  assert.is(job({ ...indexed, backoffLimitPerIndex: 1 }).spec.backoffLimit, 2147483647);
  assert.is(job({ podFailurePolicy: { rules: [] } }).spec.podReplacementPolicy, 'Failed');
  assert.equal(job().metadata.labels, { app: 'a' });
  assert.not.ok('podReplacementPolicy' in (decode(jobs.compiled, {}, { defaults: true }).object as ApiObject).spec, 'its gate is off');
});

test('the server generates a selector and labels from the uid', async () => {
  const created = job({ manualSelector: false, selector: undefined });
  await rules.prepareForCreate?.(created, context);
  assert.equal(created.spec.selector, { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } });
  assert.equal(created.spec.template.metadata.labels, {
    app: 'a',
    'batch.kubernetes.io/controller-uid': 'u',
    'batch.kubernetes.io/job-name': 'x',
    'controller-uid': 'u',
    'job-name': 'x',
  });
  assert.equal(created.metadata.labels, created.spec.template.metadata.labels);
  assert.equal(creationErrors(rules, created, context), []);
});

test('what contradicts the generated selector is refused', async () => {
  const own = job({ manualSelector: false });
  await rules.prepareForCreate?.(own, context);
  assert.match(creationErrors(rules, own, context)[0] as string, /^spec.selector: .*`selector` not auto-generated$/);
  const label = job({ manualSelector: false, selector: undefined, template: template({}, { 'job-name': 'y' }) });
  await rules.prepareForCreate?.(label, context);
  assert.match(creationErrors(rules, label, context)[0] as string, /^spec.template.metadata.labels\[job-name\]: .*must be 'x'$/);
});

test('members behind gates are dropped', async () => {
  const created = job({ ...indexed, managedBy: 'a.b/c', successPolicy: { rules: [{ succeededCount: 1 }] }, backoffLimitPerIndex: 1 });
  await rules.prepareForCreate?.(created, ruleContext());
  for (const member of ['managedBy', 'successPolicy', 'backoffLimitPerIndex', 'podReplacementPolicy'])
    assert.is(created.spec[member], undefined, member);
});

const INVALID: readonly (readonly [name: string, spec: object, ...expected: string[]])[] = [
  ['nothing', {}],
  ['indexed', { ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 2 }],
  [
    'too many failed indexes',
    { ...indexed, maxFailedIndexes: 6 },
    'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
    'spec.maxFailedIndexes: Invalid value: 6: must be less than or equal to completions',
  ],
  [
    'parallelism of indexed jobs',
    { ...indexed, parallelism: 100001 },
    'spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed',
  ],
  [
    'many completions',
    { ...indexed, completions: 100001, parallelism: 10001, backoffLimitPerIndex: 1 },
    'spec.maxFailedIndexes: Required value: must be specified when completions is above 100000',
    'spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
  ],
  ['managed by', { managedBy: `a.b/${'c'.repeat(60)}` }, 'spec.managedBy: Too long: may not be more than 63 bytes'],
  [
    'restart policy of a failure policy',
    { podFailurePolicy: { rules: [] }, template: template({ restartPolicy: 'OnFailure' }) },
    'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
  ],
  [
    'replacement with a failure policy',
    { podFailurePolicy: { rules: [] }, podReplacementPolicy: 'TerminatingOrFailed' },
    'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
  ],
  [
    'failure rules',
    {
      podFailurePolicy: {
        rules: [
          { action: '', onExitCodes: { operator: '', containerName: 'z', values: [2, 1] } },
          { action: 'Ignore', onExitCodes: { operator: 'In', values: [1] }, onPodConditions: [{ type: 'A', status: 'X' }] },
        ],
      },
    },
    'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
    'spec.podFailurePolicy.rules[0].onExitCodes.operator: Required value: valid values: ["In" "NotIn"]',
    'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "z": must be one of the container or initContainer names in the pod template',
    'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: []int32{2, 1}: must be ordered',
    'spec.podFailurePolicy.rules[1].onPodConditions[0].status: Unsupported value: "X": supported values: "False", "True", "Unknown"',
    'spec.podFailurePolicy.rules[1]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported',
  ],
  [
    'success rules',
    { ...indexed, successPolicy: { rules: [{}, { succeededIndexes: '0,7' }, { succeededIndexes: '0-1', succeededCount: 6 }] } },
    'spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified',
    'spec.successPolicy.rules[1].succeededIndexes: Invalid value: "0,7": error parsing succeededIndexes: too large index: "7"',
    'spec.successPolicy.rules[2].succeededCount: Invalid value: 6: must be less than or equal to 5 (the number of specified completions)',
    'spec.successPolicy.rules[2].succeededCount: Invalid value: 6: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)',
  ],
];

for (const [name, spec, ...expected] of INVALID) test(`validation: ${name}`, () => assert.equal(found(spec), expected));

test('the longest pod name must be a label', () => {
  const long = job(indexed, {}, { name: 'a'.repeat(62) });
  assert.equal(creationErrors(rules, long, context), [
    `metadata.name: Invalid value: "${'a'.repeat(62)}": will not able to create pod with invalid DNS label: ${'a'.repeat(62)}-4`,
  ]);
});

const UPDATES: readonly (readonly [name: string, old: object, changed: object, fields: readonly string[]])[] = [
  ['parallelism', {}, { completions: 1, parallelism: 4 }, []],
  ['suspend', {}, { suspend: true }, []],
  ['completions', {}, { completions: 2 }, ['spec.completions']],
  ['completions with parallelism', { ...indexed, parallelism: 5 }, { ...indexed, completions: 7, parallelism: 7 }, []],
  ['completions alone', { ...indexed, parallelism: 5 }, { ...indexed, completions: 7, parallelism: 5 }, ['spec.completions']],
  ['manager', {}, { managedBy: 'a.b/c' }, ['spec.managedBy']],
  ['node selector of a running job', {}, { template: template({ nodeSelector: { a: 'b' } }) }, ['spec.template']],
  ['node selector of a suspended job', { suspend: true }, { suspend: true, template: template({ nodeSelector: { a: 'b' } }) }, []],
  ['image of a suspended job', { suspend: true }, { suspend: true, template: template({ hostNetwork: true }) }, ['spec.template']],
];

for (const [name, old, changed, fields] of UPDATES)
  test(`update: ${name}`, () => {
    const errors = rules.validateUpdate?.(stored(changed), stored(old), context) ?? [];
    assert.equal(
      errors.map((error) => error.field),
      fields,
    );
  });

test('a job that has started keeps its template while it is suspended', () => {
  const old = stored({ suspend: true }, { startTime: '2026-01-01T00:00:00Z' });
  const changed = stored({ suspend: true, template: template({ nodeSelector: { a: 'b' } }) });
  assert.is(rules.validateUpdate?.(changed, old, context).length, 1);
});

const condition = (...types: string[]): object => ({ conditions: types.map((type) => ({ type, status: 'True' })) });
const times = { startTime: '2026-01-01T00:00:00Z', completionTime: '2026-01-01T00:01:00Z' };
const complete = { ...condition('Complete', 'SuccessCriteriaMet'), ...times };

const STATUS: readonly (readonly [name: string, spec: object, old: object, status: object, ...expected: string[]])[] = [
  ['complete', {}, {}, complete],
  ['failed', {}, {}, { ...condition('Failed', 'FailureTarget'), startTime: times.startTime }],
  ['counts', {}, {}, { active: -1 }, 'status.active: Invalid value: -1: must be greater than or equal to 0'],
  [
    'uncounted pods',
    {},
    {},
    { uncountedTerminatedPods: { succeeded: ['a', ''], failed: ['a'] } },
    'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
    'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
  ],
  ['complete and active', {}, {}, { ...complete, active: 1 }, 'status.active: Invalid value: 1: active>0 is invalid for finished job'],
  [
    'completed before the start',
    {},
    {},
    { ...complete, startTime: '2026-01-02T00:00:00Z' },
    'status.completionTime: Invalid value: 2026-01-01 00:01:00 +0000 UTC: completionTime cannot be set before startTime',
  ],
  [
    'failed without the target',
    {},
    {},
    condition('Failed'),
    'status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition',
    'status.startTime: Required value: startTime is required for finished job',
  ],
  [
    'undone',
    {},
    complete,
    times,
    'status.completionTime: Invalid value: 2026-01-01 00:01:00 +0000 UTC: cannot set completionTime when there is no Complete=True condition',
    'status.conditions: Invalid value: cannot disable the terminal Complete=True condition',
    'status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition',
  ],
  [
    'counters that fall',
    {},
    { failed: 2, succeeded: 2 },
    { failed: 1, succeeded: 1 },
    'status.failed: Invalid value: 1: cannot decrease the failed counter',
    'status.succeeded: Invalid value: 1: cannot decrease the succeeded counter',
  ],
  ['a smaller indexed job', { ...indexed, parallelism: 5 }, { succeeded: 2 }, { succeeded: 1 }],
  [
    'indexes of a job without',
    {},
    {},
    { completedIndexes: '0', failedIndexes: '1' },
    'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
    'status.failedIndexes: Invalid value: "1": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
  ],
  [
    'overlapping indexes',
    { ...indexed, backoffLimitPerIndex: 1 },
    {},
    { completedIndexes: '0-2', failedIndexes: '2,4' },
    'status.failedIndexes: Invalid value: "2,4": failedIndexes and completedIndexes overlap at index: 2',
  ],
  ['more ready than active', {}, {}, { ready: 1 }, 'status.ready: Invalid value: 1: cannot set more ready pods than active'],
];

for (const [name, spec, old, status, ...expected] of STATUS)
  test(`status: ${name}`, () =>
    assert.equal(lines(rules.validateStatusUpdate?.(stored(spec, status), stored(spec, old), context)), expected));

test('cells', async () => {
  const now = Date.parse('2026-01-01T00:05:00Z');
  const shown = (spec: object, status: object): Promise<unknown[]> => rowOf(stored(spec, status), now);
  assert.equal(await shown({}, complete), ['x', 'Complete', '0/1', '60s', '5m', 'c', 'i', 'app=a']);
  assert.equal((await shown({ parallelism: 3 }, { succeeded: 1 })).slice(1, 4), ['Running', '1/1 of 3', '']);
  assert.equal((await shown({}, { ...condition('Suspended'), startTime: times.startTime })).slice(1, 4), ['Suspended', '0/1', '5m']);
  const again = {
    conditions: [
      { type: 'Suspended', status: 'False' },
      { type: 'Suspended', status: 'True' },
    ],
  };
  assert.equal((await shown({}, again)).slice(1, 4), ['Running', '0/1', '']);
});

test('rules about indexes go with their gate, and a list that is empty then is none', () => {
  const left = (...actions: string[]): unknown => {
    const made = job({ podFailurePolicy: { rules: actions.map((action) => ({ action, onExitCodes: { operator: 'In', values: [1] } })) } });
    rules.prepareForCreate?.(made, ruleContext('JobPodFailurePolicy'));
    return made.spec.podFailurePolicy.rules?.map(({ action }: { action: string }) => action) ?? null;
  };
  assert.equal([left('FailIndex', 'FailJob'), left('FailIndex')], [['FailJob'], null]);
});

test('nothing changes the old object', () => {
  const old = stored();
  const before = copyValue(old);
  rules.validateUpdate?.(stored({ suspend: true }), old, context);
  assert.equal(old, before);
});

test('a deletion that leaves the pods to the default is warned of', () => {
  assert.is(rules.deletionWarnings?.({}).length, 1);
  assert.equal(rules.deletionWarnings?.({ propagationPolicy: 'Background' }), []);
  assert.equal(rules.deletionWarnings?.({ orphanDependents: false }), []);
});

test.run();

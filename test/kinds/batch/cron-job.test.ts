import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FieldError } from '../../../runtime/contract/field-error.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { countIndexes, firstOverlap } from '../../../runtime/kinds/batch/indexes.ts';
import { ofObject } from '../../../runtime/validation/findings.ts';
import { creationErrors, lines, object, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('cron jobs');
const { rules, data } = await loadKind('batch/v1', 'CronJob');
const context = ruleContext();

test('sets of indexes', () => {
  assert.is(countIndexes('1,3-5,7', 8), 5);
  assert.is(countIndexes('3,1', 8), 'non-increasing order, previous: 3, current: 1');
  assert.is(
    countIndexes('1-2-3', 8),
    'the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by \'-\'',
  );
  assert.is(countIndexes('a', 8), 'cannot convert string to integer for index: "a"');
  assert.is(countIndexes('\u0001', 8), 'cannot convert string to integer for index: "\\x01"');
  assert.is(firstOverlap('0-1,4', '2-3,4-5', 8), 4);
  assert.is(firstOverlap('0-1', '2', 8), undefined);
});

function cronJob(spec: object = {}, metadata: object = {}): ApiObject {
  const container = { name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
  const pod = { containers: [container], restartPolicy: 'Never', dnsPolicy: 'ClusterFirst', terminationGracePeriodSeconds: 30 };
  const jobTemplate = { spec: { template: { spec: pod } } };
  return object('batch/v1', 'CronJob', { spec: { schedule: '@daily', concurrencyPolicy: 'Allow', jobTemplate, ...spec } }, metadata);
}

test('a template may not select pods', () => {
  const { jobTemplate } = cronJob().spec;
  const given = { spec: { ...jobTemplate.spec, manualSelector: true, selector: {} } };
  assert.equal(creationErrors(rules, cronJob({ jobTemplate: given }), context), [
    'spec.jobTemplate.spec.selector: Invalid value: {}: `selector` will be auto-generated',
    'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
  ]);
});

test('what old cron jobs have may stay', () => {
  const metadata = { name: 'a'.repeat(60), resourceVersion: '1' };
  const old = cronJob({ schedule: 'TZ=UTC @daily', timeZone: undefined }, metadata);
  const update = (spec: object): string[] => {
    const changed = cronJob(spec, metadata);
    const out: FieldError[] = [];
    data.validators?.object?.(changed, old, context, undefined, out);
    return lines(ofObject(out));
  };
  assert.equal(update({ schedule: 'TZ=UTC @hourly' }), []);
  assert.equal(update({ schedule: 'TZ=UTC @daily', timeZone: 'UTC' }), [
    'spec.schedule: Invalid value: "TZ=UTC @daily": cannot use both timeZone field and TZ or CRON_TZ in schedule',
  ]);
  assert.is(rules.warnings?.(old, old, context).length, 1);
});

test('cells', async () => {
  const now = Date.parse('2026-01-01T00:05:00Z');
  const given = { ...cronJob({ suspend: true, timeZone: 'UTC' }), status: { active: [{}], lastScheduleTime: '2026-01-01T00:04:00Z' } };
  assert.equal(await rowOf(given, now), ['x', '@daily', 'UTC', 'True', 1, '60s', '5m', 'c', 'i', '<none>']);
});

test.run();

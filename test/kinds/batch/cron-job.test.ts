import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { rules } from '../../../runtime/kinds/batch/cron-job.ts';
import { countIndexes, firstOverlap } from '../../../runtime/kinds/batch/indexes.ts';
import { scheduleError } from '../../../runtime/kinds/batch/schedule.ts';
import { timeZoneError, validateTimeZone } from '../../../runtime/kinds/batch/time-zone.ts';
import { creationErrors, lines, object, ruleContext } from '../context.ts';

const test = suite('cron jobs');
const context = ruleContext();

const SCHEDULES: readonly (readonly [schedule: string, error?: string])[] = [
  ['*/5 * * * *'],
  ['0 0 1,15 JAN-mar sun'],
  ['? 1-5/2 * * 1'],
  ['@hourly'],
  ['@every 1h30m'],
  ['* * *', 'expected exactly 5 fields, found 3: [* * *]'],
  ['61 * * * *', 'end of range (61) above maximum (59): 61'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['*/2/3 * * * *', 'too many slashes: */2/3'],
  ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ['* * * * 7', 'end of range (7) above maximum (6): 7'],
  ['@never', 'unrecognized descriptor: @never'],
  ['@every 5', 'failed to parse duration @every 5: time: missing unit in duration "5"'],
  ['@every 5y', 'failed to parse duration @every 5y: time: unknown unit "y" in duration "5y"'],
  ['@every x', 'failed to parse duration @every x: time: invalid duration "x"'],
  ['TZ=Mars/Base * * * * *', 'provided bad location Mars/Base: unknown time zone Mars/Base'],
  ['TZ=UTC', 'expected exactly 5 fields, found 0: []'],
];

for (const [schedule, error] of SCHEDULES) test(`schedule ${schedule}`, () => assert.is(scheduleError(schedule, timeZoneError), error));

test('no text makes the parser fail', () => {
  fc.assert(fc.property(fc.string(), (text) => ['undefined', 'string'].includes(typeof scheduleError(text, timeZoneError))));
});

const ZONES: readonly (readonly [zone: string | undefined, ...errors: string[]])[] = [
  [undefined],
  ['UTC'],
  ['Europe/Vienna'],
  ['US/Eastern'],
  ['Etc/GMT+5'],
  ['', 'z: Invalid value: "": timeZone must be nil or non-empty string'],
  ['Mars/Base', 'z: Invalid value: "Mars/Base": unknown time zone Mars/Base'],
  ['europe/vienna', 'z: Invalid value: "europe/vienna": unknown time zone europe/vienna'],
  ['../UTC', 'z: Invalid value: "../UTC": unknown time zone ../UTC'],
  ['+01:00', 'z: Invalid value: "+01:00": unknown time zone +01:00'],
  ['Local', 'z: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'],
];

for (const [zone, ...errors] of ZONES) test(`zone ${zone}`, () => assert.equal(lines(validateTimeZone(zone, 'z')), errors));

test('sets of indexes', () => {
  assert.is(countIndexes('1,3-5,7', 8), 5);
  assert.is(countIndexes('3,1', 8), 'non-increasing order, previous: 3, current: 1');
  assert.is(
    countIndexes('1-2-3', 8),
    'the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by \'-\'',
  );
  assert.is(countIndexes('a', 8), 'cannot convert string to integer for index: "a"');
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
    return [...lines(rules.validate?.(changed, context)), ...lines(rules.validateUpdate?.(changed, old, context))];
  };
  assert.equal(update({ schedule: 'TZ=UTC @hourly' }), []);
  assert.equal(update({ schedule: 'TZ=UTC @daily', timeZone: 'UTC' }), [
    'spec.schedule: Invalid value: "TZ=UTC @daily": cannot use both timeZone field and TZ or CRON_TZ in schedule',
  ]);
  assert.is(rules.warnings?.(old, old, context).length, 1);
});

test('cells', () => {
  const now = Date.parse('2026-01-01T00:05:00Z');
  const given = { ...cronJob({ suspend: true, timeZone: 'UTC' }), status: { active: [{}], lastScheduleTime: '2026-01-01T00:04:00Z' } };
  assert.equal(rules.cells?.(given, now), ['x', '@daily', 'UTC', 'True', 1, '60s', '5m', 'c', 'i', '<none>']);
});

test.run();

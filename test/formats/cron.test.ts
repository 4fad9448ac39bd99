import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cron } from '../../runtime/formats/cron.ts';
import { timeZone } from '../../runtime/formats/time-zones.ts';

const test = suite('schedules and time zones');

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
  ['\u001b * * * *', 'failed to parse int from \u001b: strconv.Atoi: parsing "\\x1b": invalid syntax'],
  ['+5 * * * *'],
  ['-5 * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
  ['5- * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
  [
    '9223372036854775808 * * * *',
    'failed to parse int from 9223372036854775808: strconv.Atoi: parsing "9223372036854775808": value out of range',
  ],
  ['* * * * mon-Sat'],
  ['* * * * tue,wed,thu,fri'],
  ['* * * apr-may,jun,jul,aug,sep,oct,nov,dec *'],
  ['* * * feb *'],
  ['@every 5\u00e9', 'failed to parse duration @every 5\u00e9: time: unknown unit "\\xc3\\xa9" in duration "5\\xc3\\xa9"'],
  ['* * * * 7', 'end of range (7) above maximum (6): 7'],
  ['@never', 'unrecognized descriptor: @never'],
  ['@every 5', 'failed to parse duration @every 5: time: missing unit in duration "5"'],
  ['@every 5y', 'failed to parse duration @every 5y: time: unknown unit "y" in duration "5y"'],
  ['@every x', 'failed to parse duration @every x: time: invalid duration "x"'],
  ['TZ=Mars/Base * * * * *', 'provided bad location Mars/Base: unknown time zone Mars/Base'],
  ['TZ=/Mars * * * * *', 'provided bad location /Mars: time: invalid location name'],
  ['TZ=UTC', 'expected exactly 5 fields, found 0: []'],
];

for (const [schedule, error] of SCHEDULES)
  test(`schedule ${schedule}`, () => assert.equal(cron(schedule), error === undefined ? [] : [error]));

test('no text makes the parser fail', () => {
  fc.assert(fc.property(fc.string(), (text) => cron(text).length <= 1));
});

const ZONES: readonly (readonly [zone: string, ...errors: string[]])[] = [
  ['UTC'],
  ['Europe/Vienna'],
  ['US/Eastern'],
  ['Etc/GMT+5'],
  ['', 'timeZone must be nil or non-empty string'],
  ['Mars/Base', 'unknown time zone Mars/Base'],
  ['../Mars', 'unknown time zone ../Mars'],
  ['a..b', 'time: invalid location name'],
  ['europe/vienna', 'unknown time zone europe/vienna'],
  ['EUROPE/VIENNA', 'unknown time zone EUROPE/VIENNA'],
  ['Asia/Kolkata'],
  ['EST5EDT'],
  ['../UTC', 'unknown time zone ../UTC'],
  ['+01:00', 'unknown time zone +01:00'],
  ['Local', 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'],
];

for (const [zone, ...errors] of ZONES) test(`zone ${zone}`, () => assert.equal(timeZone(zone), errors));

test.run();

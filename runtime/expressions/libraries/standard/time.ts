/** Functions that select parts of timestamps and durations. */
import { goQuote } from '../../../contract/go-quote.ts';
import type { FunctionDeclaration, Overload } from '../../environment/declarations.ts';
import { DURATION, INT, STRING, TIMESTAMP } from '../../types/type.ts';
import { type Duration, ErrorValue, type Timestamp, type Value } from '../../values/value.ts';
import { MAX_DIGITS, secondsOf } from './conversions.ts';
import { SECOND } from './ranges.ts';
import { isZoneName } from './zone-names.ts';

/** @param local the local time, stored in the UTC fields of a date */
type Part = (local: Date, timestamp: Timestamp) => number;

const DAY = 86_400_000;
const PARTS: Readonly<Record<string, readonly [id: string, part: Part]>> = {
  getFullYear: ['timestamp_to_year', (date) => date.getUTCFullYear()],
  getMonth: ['timestamp_to_month', (date) => date.getUTCMonth()],
  getDate: ['timestamp_to_day_of_month_1_based', (date) => date.getUTCDate()],
  getDayOfMonth: ['timestamp_to_day_of_month', (date) => date.getUTCDate() - 1],
  getDayOfWeek: ['timestamp_to_day_of_week', (date) => date.getUTCDay()],
  getDayOfYear: ['timestamp_to_day_of_year', dayOfYear],
  getHours: ['timestamp_to_hours', (date) => date.getUTCHours()],
  getMinutes: ['timestamp_to_minutes', (date) => date.getUTCMinutes()],
  getSeconds: ['timestamp_to_seconds', (date) => date.getUTCSeconds()],
  getMilliseconds: ['timestamp_to_milliseconds', (date) => date.getUTCMilliseconds()],
};

const DURATION_PARTS: Readonly<Record<string, readonly [id: string, part: (nanoseconds: bigint) => bigint]>> = {
  getHours: ['duration_to_hours', (value) => value / 3_600_000_000_000n],
  getMinutes: ['duration_to_minutes', (value) => value / 60_000_000_000n],
  getSeconds: ['duration_to_seconds', (value) => value / 1_000_000_000n],
  getMilliseconds: ['duration_to_milliseconds', (value) => value / 1_000_000n],
};

function dayOfYear(date: Date): number {
  const start = new Date(0);
  start.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  start.setUTCHours(0, 0, 0, 0);
  return Math.floor((date.getTime() - start.getTime()) / DAY);
}

export const timeFunctions: readonly FunctionDeclaration[] = Object.entries(PARTS).map(([name, [id, part]]) => ({
  name,
  overloads: [...timestampOverloads(id, part), ...durationOverloads(name)],
}));

function timestampOverloads(id: string, part: Part): Overload[] {
  return [
    {
      id,
      member: true,
      parameters: [TIMESTAMP],
      result: INT,
      run: (value: Timestamp) => BigInt(part(dateOf(value), value)),
    },
    {
      id: `${id}_with_tz`,
      member: true,
      parameters: [TIMESTAMP, STRING],
      result: INT,
      run: (value: Timestamp, zone: string): Value => {
        const offset = offsetOf(value, zone);
        return offset instanceof ErrorValue ? offset : BigInt(part(new Date(dateOf(value).getTime() + offset), value));
      },
    },
  ];
}

function durationOverloads(name: string): Overload[] {
  const stated = DURATION_PARTS[name];
  if (stated === undefined) return [];
  const [id, part] = stated;
  return [{ id, member: true, parameters: [DURATION], result: INT, run: (value: Duration) => part(value.nanoseconds) }];
}

function dateOf(timestamp: Timestamp): Date {
  const seconds = secondsOf(timestamp);
  return new Date(Number(seconds) * 1000 + Number((timestamp.nanoseconds - seconds * 1_000_000_000n) / 1_000_000n));
}

const INTEGER = /^[+-]?\d+$/;
/** such names could lead out of the folder of time zones, so Go refuses them */
const NO_LOCATION = /^[/\\]|\.\./;
const MINUTE = 60_000_000_000n;

/** Parses an int of 64 bits as Go does, digits with an optional sign. */
function integerOf(text: string): bigint | ErrorValue {
  const problem = (detail: string) => new ErrorValue(`strconv.Atoi: parsing ${goQuote(text)}: ${detail}`);
  if (!INTEGER.test(text)) return problem('invalid syntax');
  const value = text.length > MAX_DIGITS ? undefined : BigInt(text.replace('+', ''));
  return value === undefined || BigInt.asIntN(64, value) !== value ? problem('value out of range') : value;
}

/** Milliseconds of an offset `hours:minutes`, computed in 64 bits as in 1.32. */
function fixedOffset(hours: string, minutes: string): number | ErrorValue {
  const hour = integerOf(hours);
  if (hour instanceof ErrorValue) return hour;
  const minute = integerOf(minutes);
  if (minute instanceof ErrorValue) return minute;
  const offset = hour * 60n + (hours.startsWith('-') ? -minute : minute);
  return Number(BigInt.asIntN(64, offset * MINUTE) / SECOND) * 1000;
}

/** Milliseconds by which local time is ahead of UTC at that moment. @param zone such as `Europe/Berlin`, `-02:30`, or '' for UTC */
function offsetOf(timestamp: Timestamp, zone: string): number | ErrorValue {
  const colon = zone.indexOf(':');
  if (colon >= 0) return fixedOffset(zone.slice(0, colon), zone.slice(colon + 1));
  if (NO_LOCATION.test(zone)) return new ErrorValue('time: invalid location name');
  const format = zone === '' || zone === 'Local' ? zoneFormat('UTC') : isZoneName(zone) ? zoneFormat(zone) : undefined;
  // Go looks for a file of that name, and a name with NUL is an invalid argument of the system call.
  if (format === undefined) return new ErrorValue(zone.includes('\0') ? 'invalid argument' : `unknown time zone ${zone}`);
  const date = dateOf(timestamp);
  const fields = Object.fromEntries(format.formatToParts(date).map(({ type, value }) => [type, value]));
  const local = new Date(0);
  const year = fields.era === 'BC' ? 1 - Number(fields.year) : Number(fields.year);
  local.setUTCFullYear(year, Number(fields.month) - 1, Number(fields.day));
  local.setUTCHours(Number(fields.hour) % 24, Number(fields.minute), Number(fields.second), date.getUTCMilliseconds());
  return local.getTime() - date.getTime();
}

/** How many time zones' formats are cached. */
const MAX_KEPT = 100;
const formats = new Map<string, Intl.DateTimeFormat | undefined>();

function zoneFormat(zone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(zone)) return formats.get(zone);
  if (formats.size >= MAX_KEPT) formats.delete(formats.keys().next().value as string);
  const format = makeFormat(zone);
  formats.set(zone, format);
  return format;
}

function makeFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      hourCycle: 'h23',
    });
  } catch {
    return undefined;
  }
}

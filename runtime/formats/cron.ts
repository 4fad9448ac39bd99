/**
 * Schedules in cron format: five fields for minute, hour, day of month, month and day of week, or a shorthand such as `@hourly`. Only the
 * syntax is checked; errors have the words of 1.32.
 */
import { goQuote } from '../contract/go-quote.ts';
import { parseDuration } from '../schema/scalar/duration.ts';
import { quoteForTime } from '../schema/scalar/time-quote.ts';
import { NOTHING } from './messages.ts';
import { timeZoneError } from './time-zones.ts';

interface Bounds {
  readonly lowest: number;
  readonly highest: number;
  /** numbers by lower-case names */
  readonly names?: ReadonlyMap<string, number>;
}

const numbered = (first: number, names: readonly string[]): ReadonlyMap<string, number> =>
  new Map(names.map((name, index) => [name, first + index]));

const MEMBERS: readonly Bounds[] = [
  { lowest: 0, highest: 59 },
  { lowest: 0, highest: 23 },
  { lowest: 1, highest: 31 },
  {
    lowest: 1,
    highest: 12,
    names: numbered(1, ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']),
  },
  { lowest: 0, highest: 6, names: numbered(0, ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']) },
];

const SHORTHANDS = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);
const EVERY = '@every ';

/** It is thrown and caught within this file only. */
class ScheduleError extends Error {}

/** Accepts a schedule, which may begin with a time zone, such as `TZ=UTC `. */
export function cron(value: string): readonly string[] {
  try {
    parse(withoutZone(value));
    return NOTHING;
  } catch (error) {
    if (error instanceof ScheduleError) return [error.message];
    throw error;
  }
}

function withoutZone(schedule: string): string {
  if (!schedule.startsWith('TZ=') && !schedule.startsWith('CRON_TZ=')) return schedule;
  const space = schedule.indexOf(' ');
  const end = space === -1 ? schedule.length : space;
  const name = schedule.slice(schedule.indexOf('=') + 1, end);
  const error = timeZoneError(name);
  if (error !== undefined) throw new ScheduleError(`provided bad location ${name}: ${error}`);
  return schedule.slice(end).trim();
}

function parse(schedule: string): void {
  if (schedule.startsWith('@')) return parseShorthand(schedule);
  const members = schedule.split(/\s+/).filter((member) => member !== '');
  if (members.length !== MEMBERS.length)
    throw new ScheduleError(`expected exactly ${MEMBERS.length} fields, found ${members.length}: [${members.join(' ')}]`);
  for (const [index, bounds] of MEMBERS.entries())
    for (const range of (members[index] as string).split(',')) if (range !== '') parseRange(range, bounds);
}

function parseShorthand(text: string): void {
  if (SHORTHANDS.has(text)) return;
  if (!text.startsWith(EVERY)) throw new ScheduleError(`unrecognized descriptor: ${text}`);
  const duration = text.slice(EVERY.length);
  if (parseDuration(duration) === undefined) throw new ScheduleError(`failed to parse duration ${text}: time: ${durationError(duration)}`);
}

function durationError(text: string): string {
  const shown = quoteForTime(text);
  const part = /^[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))*(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)([^0-9.]*)/.exec(text);
  if (part === null) return `invalid duration ${shown}`;
  return part[1] === '' ? `missing unit in duration ${shown}` : `unknown unit ${quoteForTime(part[1] as string)} in duration ${shown}`;
}

/** Checks one of `*`, `5`, `1-5`, each with an optional step such as `/2`; `?` means `*`. */
function parseRange(text: string, { lowest, highest, names }: Bounds): void {
  const [span = '', stepText, ...moreSteps] = text.split('/');
  const [first = '', last, ...moreLimits] = span.split('-');
  const all = first === '*' || first === '?';
  const start = all ? lowest : parseNumber(first, names);
  if (!all && moreLimits.length > 0) throw new ScheduleError(`too many hyphens: ${text}`);
  let end = all ? highest : last === undefined ? start : parseNumber(last, names);
  if (moreSteps.length > 0) throw new ScheduleError(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1 : parseNumber(stepText);
  if (stepText !== undefined && last === undefined) end = highest;
  if (start < lowest) throw new ScheduleError(`beginning of range (${start}) below minimum (${lowest}): ${text}`);
  if (end > highest) throw new ScheduleError(`end of range (${end}) above maximum (${highest}): ${text}`);
  if (start > end) throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`);
}

function parseNumber(text: string, names?: ReadonlyMap<string, number>): number {
  const named = names?.get(text.toLowerCase());
  if (named !== undefined) return named;
  if (!/^[-+]?[0-9]+$/.test(text)) throw notANumber(text, 'invalid syntax');
  const number = BigInt(text.replace('+', ''));
  if (BigInt.asIntN(64, number) !== number) throw notANumber(text, 'value out of range');
  if (number < 0n) throw new ScheduleError(`negative number (${number}) not allowed: ${text}`);
  return Number(number);
}

const notANumber = (text: string, reason: string): ScheduleError =>
  new ScheduleError(`failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: ${reason}`);

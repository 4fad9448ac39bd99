/** Parses and formats durations and timestamps as Go does. */
import { parseDuration as nanosecondsOf } from '../../schema/scalar/duration.ts';
import { Duration, Timestamp } from './value.ts';

const SECOND = 1_000_000_000n;
/** Longer texts are refused: digits after the ninth of a second have no effect, and no real time is as long. */
const MAX_LENGTH = 200;

/** @returns undefined for an invalid text, such as `1d` */
export function parseDuration(text: string): Duration | undefined {
  const nanoseconds = nanosecondsOf(text);
  return nanoseconds === undefined ? undefined : new Duration(nanoseconds);
}

/** Formats a duration in seconds, such as `1.5s`, with the precision of a double. */
export function durationText({ nanoseconds }: Duration): string {
  const seconds = Number(nanoseconds / SECOND) + Number(nanoseconds % SECOND) / 1e9;
  // JavaScript writes smaller numbers with an exponent; a nanosecond has at most nine decimal places
  return `${Math.abs(seconds) < 1e-6 ? seconds.toFixed(9).replace(/\.?0+$/, '') : seconds}s`;
}

const TIMESTAMP = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/**
 * Parses RFC 3339 as Go does: an hour may have a single digit, and an offset may have 24 hours or 60 minutes.
 * @returns undefined for an invalid text
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = text.length > MAX_LENGTH ? null : TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  const [, , , , , , , fraction = '', sign, zoneHours = '0', zoneMinutes = '0'] = match;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isDate = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isDate || hour > 23 || minute > 59 || second > 59 || Number(zoneHours) > 24 || Number(zoneMinutes) > 60) return undefined;
  const zone = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -60 : 60);
  const seconds = BigInt(date.getTime() / 1000 + hour * 3600 + minute * 60 + second - zone);
  return new Timestamp(seconds * SECOND + BigInt(fraction.slice(0, 9).padEnd(9, '0')), zone);
}

/** Formats a timestamp by RFC 3339 in its time zone, without trailing zeros in the fraction. */
export function timestampText({ nanoseconds, offset }: Timestamp): string {
  const within = ((nanoseconds % SECOND) + SECOND) % SECOND;
  const seconds = (nanoseconds - within) / SECOND;
  const fraction = within.toString().padStart(9, '0').replace(/0+$/, '');
  const text = localText(Number(seconds) + offset);
  return `${text}${fraction === '' ? '' : `.${fraction}`}${offset === 0 ? 'Z' : offsetText(offset)}`;
}

/** Because of the offset, the year may be 0 or 10000. */
function localText(seconds: number): string {
  return new Date(seconds * 1000)
    .toISOString()
    .replace(/^[+-]0*(?=\d{4})/, '')
    .slice(0, -5);
}

function offsetText(offset: number): string {
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 3600), Math.floor((Math.abs(offset) % 3600) / 60)].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
}
